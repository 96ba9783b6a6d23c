import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager, QueryRunner } from 'typeorm';
import { StartError } from '../config/start-error.js';
import { isDeadlock, isLockTimeout } from '../database/database-errors.js';
import { describeWait, type LockWait, LockWatch } from './lock-watch.js';

/**
 * While a migration waits for a table, everybody who comes later waits behind it. So it gives up before requests do (after two
 * seconds), and before PostgreSQL looks for deadlocks (after one), so that PostgreSQL ends no request for its sake.
 */
const LOCK_TIMEOUT = '500ms';
export const TRIES = 30;
/** Milliseconds until the second try; the pause doubles up to the longest. All tries together take about two minutes. */
const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 5_000;

export interface Retrying {
  /** Runs the transaction. */
  readonly runner: QueryRunner;
  /** Another connection, which looks at what the transaction waits for. */
  readonly watcher: EntityManager;
  readonly onProgress: (sentence: string) => void;
  readonly tries: number;
}

/**
 * Runs `work` in a transaction, and again as a whole if it was rolled back because of locks of others. A `lock_timeout` that the
 * operator has set, for example in the URL, is kept.
 *
 * @throws StartError after the last try
 */
export async function retryWhileLocked(
  title: string,
  { runner, watcher, onProgress, tries }: Retrying,
  work: () => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const watch = await LockWatch.start(runner, watcher);
    try {
      await inTransaction(runner, work);
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

async function inTransaction(runner: QueryRunner, work: () => Promise<unknown>): Promise<void> {
  await runner.startTransaction();
  try {
    const [{ timeout }] = (await runner.query(`select current_setting('lock_timeout') as timeout`)) as [
      { timeout: string },
    ];
    // As a statement: Citus passes it on to its workers.
    if (timeout === '0') await runner.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    await work();
    await runner.commitTransaction();
  } catch (error) {
    // Where the connection is lost the rollback fails too; the first error says why.
    await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  }
}

function remedy(wait: LockWait | undefined): string {
  const pids = wait?.blockers.map(({ pid }) => pid).filter((pid) => pid !== 0) ?? [];
  const end = pids.map((pid) => `"select pg_terminate_backend(${pid})"`).join(', ');
  const [first] = pids;
  return first === undefined
    ? 'Wait until long transactions have ended, then run "db migrate" again: it goes on where it stopped.'
    : `See what it does: "select state, query from pg_stat_activity where pid = ${first}". ` +
        `Wait until it has ended, or end it: ${end}. Then run "db migrate" again: it goes on where it stopped.`;
}
