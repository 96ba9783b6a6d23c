import { readdirSync, readlinkSync } from 'node:fs';
import { eventually } from '../../support/eventually.js';

/** Those that work in a directory or below it: programs that were started there, and what they have started. */
function processesIn(directory: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return `${readlinkSync(`/proc/${name}/cwd`)}/`.startsWith(`${directory}/`) ? [Number(name)] : [];
    } catch {
      // It has ended, or is somebody else's.
      return [];
    }
  });
}

export function signalIn(directory: string, signal: NodeJS.Signals): void {
  for (const pid of processesIn(directory)) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** All at once, as if the machine had lost its power. */
export async function killIn(directory: string): Promise<void> {
  await eventually('nobody works there any more', () => {
    signalIn(directory, 'SIGKILL');
    return processesIn(directory).length === 0;
  });
}
