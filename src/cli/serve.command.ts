import { Command } from 'commander';
import { fitGarbageCollection } from '../garbage-collection.js';
import { endOnSignal } from '../stop-on-signal.js';

export function serveCommand(packageRoot: string): Command {
  return new Command('serve')
    .description('start the server; it ends on SIGTERM or SIGINT')
    .action(async () => {
      endOnSignal();
      const loaded = fitGarbageCollection();
      const { startTracing } = await import('../tracing/start-tracing.js');
      const tracing = await startTracing(process.env);
      // What is traced is loaded after that.
      const { serve } = await import('../serve.js');
      await serve(process.env, packageRoot, tracing);
      loaded();
    });
}
