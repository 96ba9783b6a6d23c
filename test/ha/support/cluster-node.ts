import { spawn } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import path from 'node:path';
import type { Connection } from '../../../src/database/connection.js';
import { programEnvironment } from '../../../src/embedded/run-program.js';
import { killIn, signalIn } from './processes.js';

/** A program with its arguments; as whom it runs, where it is not this process's user. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly owner?: { uid: number; gid: number } | undefined;
  readonly environment?: Record<string, string>;
}

/**
 * Starts a program in a directory, where {@link killIn} and `reap.sh` find it. What it says is in `log` there. This
 * process may end before it.
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

/** What runs on one machine of the cluster. */
export class ClusterNode {
  constructor(
    readonly name: string,
    readonly directory: string,
    private readonly commands: readonly Command[],
    /** Of Patroni. */
    readonly url: string,
    /** To its PostgreSQL, past the balancer. */
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
