import { Command } from 'commander';
import { endOnSignal } from '../server/stop-on-signal.js';

export function serveCommand(packageRoot: string): Command {
  return new Command('serve')
    .description('start the server; it ends on SIGTERM or SIGINT')
    .action(async () => {
      endOnSignal();
      const { startTracing } = await import('../tracing/start-tracing.js');
      const tracing = await startTracing(process.env);
      // What is traced is loaded after that.
      const { serve } = await import('../server/serve.js');
      await serve(process.env, packageRoot, tracing);
    });
}
