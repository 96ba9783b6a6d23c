import { Command } from 'commander';
import { runsLong } from './compile-cache.js';
import { endOnSignal } from '../server/stop-on-signal.js';

export function serveCommand(packageRoot: string): Command {
  return runsLong(new Command('serve'))
    .description('start the server; it ends on SIGTERM or SIGINT')
    .action(async () => {
      endOnSignal();
      const { start } = await import('../server/start.js');
      await start(packageRoot, async () => (await import('../server/serve.js')).serve);
    });
}
