import { readdirSync, readlinkSync } from 'node:fs';
import { eventually } from '../../support/eventually.js';

/** Finds the processes that work in or below the directory: programs that were started in it, and their children. */
function processesIn(directory: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return `${readlinkSync(`/proc/${name}/cwd`)}/`.startsWith(`${directory}/`) ? [Number(name)] : [];
    } catch {
      // The process has ended or belongs to another user.
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

/** Kills all processes of a directory at once, like a power failure. */
export async function killIn(directory: string): Promise<void> {
  await eventually('nobody works there any more', () => {
    signalIn(directory, 'SIGKILL');
    return processesIn(directory).length === 0;
  });
}
