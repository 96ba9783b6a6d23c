import { spawn } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import path from 'node:path';
import type { Connection } from '../../../src/database/connection.js';
import { programEnvironment } from '../../../packages/embedded-postgres/src/run-program.js';
import { killIn, signalIn } from './processes.js';

/** A program with its arguments, and with its user if that is not the user of this process. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly owner?: { uid: number; gid: number } | undefined;
  readonly environment?: Record<string, string>;
}

/**
 * Starts a program in a directory, by which {@link killIn} and `reap.sh` find the program. The file `log` in the
 * directory has its output. This process can end before the program.
 */
export function launch(directory: string, { file, args, owner, environment }: Command): void {
  const log = openSync(path.join(directory, 'log'), 'a');
  spawn(file, args, {
    cwd: directory,
    stdio: ['ignore', log, log],
    env: { ...programEnvironment(process.env), HOME: directory, ...environment },
    ...owner,
  }).unref();
  closeSync(log);
}

/** The programs of one node of the cluster. */
export class ClusterNode {
  constructor(
    readonly name: string,
    readonly directory: string,
    private readonly commands: readonly Command[],
    /** The URL of Patroni's API. */
    readonly url: string,
    /** The direct connection to the node's PostgreSQL, not through HAProxy. */
    readonly connection: Connection,
  ) {}

  start(): void {
    for (const command of this.commands) launch(this.directory, command);
  }

  kill(): Promise<void> {
    return killIn(this.directory);
  }

  freeze(): void {
    signalIn(this.directory, 'SIGSTOP');
  }

  thaw(): void {
    signalIn(this.directory, 'SIGCONT');
  }
}
