import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager, QueryRunner } from 'typeorm';
import { StartError } from '../config/start-error.js';
import { isDeadlock, isLockTimeout } from '../database/database-errors.js';
import { describeWait, type LockWait, LockWatch } from './lock-watch.js';

export const TRIES = 30;
/**
 * Milliseconds before the second try. The pause doubles up to LONGEST_PAUSE. All tries together take about two
 * minutes.
 */
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 5_000;

export interface RetryOptions {
  /** The connection that executes the transaction. */
  readonly runner: QueryRunner;
  /** Another connection, which watches the locks that the transaction waits for. */
  readonly watcher: EntityManager;
  readonly onProgress: (sentence: string) => void;
  readonly tries: number;
  /**
   * Milliseconds. While a migration waits for the lock on a table, all later statements on that table wait behind the migration. By
   * default, the migration therefore gives up before requests do (after two seconds), and before PostgreSQL checks for deadlocks
   * (after one second), so that PostgreSQL never cancels a request because of a migration.
   */
  readonly lockTimeout: number;
}

/**
 * Runs `work` in a transaction, and retries the transaction after a lock timeout or a deadlock. A `lock_timeout` that the operator
 * has set, for example in the URL, remains in force.
 *
 * @throws StartError after the last try
 */
export async function retryWhileLocked(
  title: string,
  { runner, watcher, onProgress, tries, lockTimeout }: RetryOptions,
  work: () => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const watch = await LockWatch.start(runner, watcher);
    try {
      await inTransaction(runner, lockTimeout, work);
      return;
    } catch (error) {
      if (!isLockTimeout(error) && !isDeadlock(error)) throw error;
      await watch.stop();
      const waited = isDeadlock(error) ? 'was in a deadlock' : 'gave up waiting';
      const reason = `it ${waited} for ${describeWait(watch.latest)}`;
      if (attempt === tries) {
        const seconds = Math.round((performance.now() - startedAt) / 1_000);
        throw new StartError(
          `${title} was tried ${tries} times in ${seconds} s, and PostgreSQL undid all of it each time: ${reason}. ` +
            remedy(watch.latest),
          { cause: error },
        );
      }
      const pause = Math.min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE) * (0.75 + Math.random() / 4);
      onProgress(
        `${title} was undone: ${reason}. Try ${attempt + 1} of ${tries} in ${(pause / 1_000).toFixed(1)} s.`,
      );
      await sleep(pause);
    } finally {
      await watch.stop();
    }
  }
}

async function inTransaction(
  runner: QueryRunner,
  lockTimeout: number,
  work: () => Promise<unknown>,
): Promise<void> {
  await runner.startTransaction();
  try {
    const [{ timeout }] = (await runner.query(`select current_setting('lock_timeout') as timeout`)) as [
      { timeout: string },
    ];
    // A `set local` statement, unlike `set_config`, reaches all servers of a distributed database.
    if (timeout === '0') await runner.query(`set local lock_timeout = ${lockTimeout}`);
    await work();
    await runner.commitTransaction();
  } catch (error) {
    // If the connection is lost, the rollback fails too. The first error is the cause.
    await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  }
}

function remedy(wait: LockWait | undefined): string {
  const pids = wait?.blockers.map(({ pid }) => pid).filter((pid) => pid !== 0) ?? [];
  const end = pids.map((pid) => `"select pg_terminate_backend(${pid})"`).join(', ');
  const [first] = pids;
  return first === undefined
    ? 'Wait until long transactions have ended, then run "db migrate" again: it continues where it stopped.'
    : `See what it does: "select state, query from pg_stat_activity where pid = ${first}". ` +
        `Wait until it has ended, or end it: ${end}. Then run "db migrate" again: it continues where it stopped.`;
}
