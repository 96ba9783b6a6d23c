import { Command } from 'commander';

export function serveCommand(packageRoot: string): Command {
  return new Command('serve')
    .description('start the server; it ends on SIGTERM or SIGINT')
    .action(async () => {
      const { start } = await import('../server/start.js');
      await start(packageRoot, async () => (await import('../server/serve.js')).serve);
    });
}
