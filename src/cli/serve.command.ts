import { Command } from 'commander';

export function serveCommand(packageRoot: string): Command {
  return new Command('serve')
    .description('start the server; it ends on SIGTERM or SIGINT')
    .action(async () => {
      const { serve } = await import('../serve.js');
      await serve(process.env, packageRoot);
    });
}
