import type { EntityManager, QueryRunner } from 'typeorm';

/** A transaction that keeps another one waiting. */
export interface Blocker {
  /** 0: a prepared transaction, which no process holds. */
  readonly pid: number;
  readonly application: string | null;
  readonly user: string | null;
  /** Of its transaction, in seconds; null if this role may not see it. */
  readonly age: number | null;
}

export interface LockWait {
  /** The table or index, if the lock is on one. */
  readonly relation: string | null;
  readonly blockers: readonly Blocker[];
}

/** Milliseconds between two looks. */
const LOOK_EVERY = 100;

/** Without the text of the query, which may have values in it. */
const LOOK = `
  select locks.relation::regclass::text as relation,
         array(select json_build_object('pid', pid, 'application', nullif(application_name, ''), 'user', usename,
                   'age', round(extract(epoch from clock_timestamp() - xact_start)))
                 from (select distinct unnest(pg_blocking_pids($1)) as pid) blocking
                 left join pg_stat_activity activity using (pid)) as blockers
    from pg_locks locks where locks.pid = $1 and not granted limit 1`;

/** Looks from another connection at what a connection waits for, until it is stopped. */
export class LockWatch {
  /** What it waited for last. */
  latest: LockWait | undefined;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private isStopped = false;

  private constructor(
    private readonly watcher: EntityManager,
    private readonly pid: number,
  ) {
    this.lookLater();
  }

  static async start(runner: QueryRunner, watcher: EntityManager): Promise<LockWatch> {
    const [{ pid }] = (await runner.query('select pg_backend_pid() as pid')) as [{ pid: number }];
    return new LockWatch(watcher, pid);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private lookLater(): void {
    this.timer = setTimeout(() => {
      // The watcher's own connection is lost: whoever uses it next is told.
      this.looking = this.look().catch(() => undefined);
    }, LOOK_EVERY);
  }

  private async look(): Promise<void> {
    // A transaction sees the activity as it was when it looked first.
    await this.watcher.query('select pg_stat_clear_snapshot()');
    const [wait] = await this.watcher.query<LockWait[]>(LOOK, [this.pid]);
    if (wait !== undefined && wait.blockers.length > 0) this.latest = wait;
    if (!this.isStopped) this.lookLater();
  }
}

/** For a sentence: "a lock on submissions, which process 12 (pg_dump, user backup, for 90 s) holds". */
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
