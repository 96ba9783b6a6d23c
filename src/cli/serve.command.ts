import { Command } from 'commander';
import { endOnSignal } from '../server/stop-on-signal.js';
import type { Tracing } from '../tracing/open-telemetry.js';

export function serveCommand(packageRoot: string): Command {
  return new Command('serve')
    .description('start the server; it ends on SIGTERM or SIGINT')
    .action(() => startProgram(packageRoot, async () => (await import('../server/serve.js')).serve));
}

export function deliverCommand(packageRoot: string): Command {
  return new Command('deliver')
    .description(
      'deliver webhooks until SIGTERM or SIGINT, for a server with WEBHOOKS=off; any number may run',
    )
    .action(() => startProgram(packageRoot, async () => (await import('../server/deliver.js')).deliver));
}

type Program = (variables: NodeJS.ProcessEnv, packageRoot: string, tracing?: Tracing) => Promise<void>;

/** Tracing starts before `load` imports what it traces. */
async function startProgram(packageRoot: string, load: () => Promise<Program>): Promise<void> {
  endOnSignal();
  const { startTracing } = await import('../tracing/start-tracing.js');
  const tracing = await startTracing(process.env);
  const program = await load();
  await program(process.env, packageRoot, tracing);
}
