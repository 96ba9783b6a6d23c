import { Command } from 'commander';
import { endOnSignal } from '../server/stop-on-signal.js';
import type { Tracing } from '../capabilities/tracing/open-telemetry.js';

export function serveCommand(packageRoot: string): Command {
  return new Command('serve')
    .description('start the server; it ends on SIGTERM or SIGINT')
    .action(() => startProgram(packageRoot, async () => (await import('../server/serve.js')).serve));
}

export function deliverCommand(packageRoot: string): Command {
  return new Command('deliver')
    .description(
      'deliver webhooks until SIGTERM or SIGINT, if servers have WEBHOOKS=off; run as many processes as you like',
    )
    .action(() =>
      startProgram(packageRoot, async () => (await import('../capabilities/webhooks/deliver.js')).deliver),
    );
}

type Program = (variables: NodeJS.ProcessEnv, packageRoot: string, tracing?: Tracing) => Promise<void>;

/** Starts tracing before `load` imports the modules that are traced. */
async function startProgram(packageRoot: string, load: () => Promise<Program>): Promise<void> {
  endOnSignal();
  const { startTracing } = await import('../capabilities/tracing/start-tracing.js');
  const tracing = await startTracing(process.env);
  const program = await load();
  await program(process.env, packageRoot, tracing);
}
