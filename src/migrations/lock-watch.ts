import type { EntityManager, QueryRunner } from 'typeorm';

/** A transaction that has a lock for which another transaction waits. */
export interface Blocker {
  /** 0 for a prepared transaction, which has no process. */
  readonly pid: number;
  readonly application: string | null;
  readonly user: string | null;
  /** The age of the transaction in seconds. Null if our role may not see it. */
  readonly age: number | null;
}

export interface LockWait {
  /** The locked table or index. Null for other locks. */
  readonly relation: string | null;
  readonly blockers: readonly Blocker[];
}

/** Milliseconds between two queries for the wait. */
const WATCH_INTERVAL = 100;

/** Does not select the text of the blocking query, because it may contain values. */
const FIND_WAIT = `
  select locks.relation::regclass::text as relation,
         array(select json_build_object('pid', pid, 'application', nullif(application_name, ''), 'user', usename,
                   'age', round(extract(epoch from clock_timestamp() - xact_start)))
                 from (select distinct unnest(pg_blocking_pids($1)) as pid) blocking
                 left join pg_stat_activity activity using (pid)) as blockers
    from pg_locks locks where locks.pid = $1 and not granted limit 1`;

/** Watches which lock a connection waits for, until `stop` is called. The watcher uses another connection. */
export class LockWatch {
  /** The last wait that the watcher saw. */
  latest: LockWait | undefined;
  private timer: NodeJS.Timeout | undefined;
  private watching: Promise<void> = Promise.resolve();
  private isStopped = false;

  private constructor(
    private readonly watcher: EntityManager,
    private readonly pid: number,
  ) {
    this.watchLater();
  }

  static async start(runner: QueryRunner, watcher: EntityManager): Promise<LockWatch> {
    const [{ pid }] = (await runner.query('select pg_backend_pid() as pid')) as [{ pid: number }];
    return new LockWatch(watcher, pid);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.watching;
  }

  private watchLater(): void {
    this.timer = setTimeout(() => {
      // An error means that the watcher's connection is lost. The next query on that connection reports the loss.
      this.watching = this.findWait().catch(() => undefined);
    }, WATCH_INTERVAL);
  }

  private async findWait(): Promise<void> {
    // Without this, PostgreSQL would return the activity that it cached earlier in this transaction.
    await this.watcher.query('select pg_stat_clear_snapshot()');
    const [wait] = await this.watcher.query<LockWait[]>(FIND_WAIT, [this.pid]);
    if (wait !== undefined && wait.blockers.length > 0) this.latest = wait;
    if (!this.isStopped) this.watchLater();
  }
}

/** Returns a part of a sentence: "a lock on submissions, which process 12 (pg_dump, user backup, in a transaction for 90 s) held". */
export function describeWait(wait: LockWait | undefined): string {
  if (wait === undefined) return 'a lock, whose holder could not be seen';
  const what = wait.relation === null ? 'a lock' : `a lock on ${wait.relation}`;
  return `${what}, which ${wait.blockers.map(describe).join(' and ')} held`;
}

function describe({ pid, application, user, age }: Blocker): string {
  if (pid === 0) return 'a prepared transaction (see pg_prepared_xacts)';
  const details = [
    application,
    user === null ? undefined : `user ${user}`,
    age === null ? undefined : `in a transaction for ${age} s`,
  ].filter((detail) => typeof detail === 'string');
  return `process ${pid}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
}
