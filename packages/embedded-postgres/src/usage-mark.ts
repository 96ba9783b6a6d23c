import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, errorText } from './embedded-postgres-error.js';

export interface ServerAddress {
  host: string;
  port: number;
  user: string;
  password?: string;
}

// The key is "form" in ASCII. An advisory lock is valid within one database, so all marks connect to the database
// `postgres`.
const lockKey = 0x666f726d;
const creationLockKey = lockKey + 1;
const markName = 'formtrail-embedded';
const leavingName = `${markName}-leaving`;
const lingerMilliseconds = 1000;

/** Methods that @types/pg lacks. */
type KeepAliveClient = pg.Client & { ref(): void; unref(): void };

/**
 * An open session, which marks the server as used by this process. All marks have a shared advisory lock. A process
 * that leaves tries to get the lock exclusively. If the process gets the lock, there is no other mark. New processes
 * then wait for the lock until the server has stopped, or until the leaving process has decided not to stop it.
 */
export class UsageMark {
  private lost = false;

  private constructor(private readonly client: KeepAliveClient) {
    // Without this listener, a server that stops or crashes during the session would crash the process.
    client.on('error', () => (this.lost = true));
    client.on('end', () => (this.lost = true));
  }

  static async place(address: ServerAddress, timeoutMilliseconds: number): Promise<UsageMark> {
    const client = new pg.Client({
      ...address,
      database: 'postgres',
      application_name: `${markName} ${process.pid}`,
      ssl: false,
      connectionTimeoutMillis: 5000,
      lock_timeout: timeoutMilliseconds,
      query_timeout: timeoutMilliseconds + 1000,
    });
    const mark = new UsageMark(client as KeepAliveClient);
    try {
      await client.connect();
      await client.query('select pg_advisory_lock_shared($1)', [lockKey]);
    } catch (error) {
      await mark.drop();
      throw error;
    }
    return mark;
  }

  get isLost(): boolean {
    return this.lost;
  }

  /** Returns the data directory of the connected server. */
  async dataDirectory(): Promise<string> {
    const { rows } = await this.client.query<{ place: string }>(
      `select current_setting('data_directory') as place`,
    );
    return rows[0]?.place ?? '';
  }

  async ensureDatabase(name: string): Promise<void> {
    if (await this.hasDatabase(name)) return;
    await this.exclusively(async () => {
      if (!(await this.hasDatabase(name)))
        await this.client.query(`create database ${pg.escapeIdentifier(name)}`);
    });
  }

  /** Sets the password that the loopback requires. */
  async setPassword(password: string): Promise<void> {
    await this.exclusively(() =>
      this.client.query(`alter role current_user password ${pg.escapeLiteral(password)}`),
    );
  }

  private async exclusively(work: () => Promise<unknown>): Promise<void> {
    await this.client.query('select pg_advisory_lock($1)', [creationLockKey]);
    await work();
    await this.client.query('select pg_advisory_unlock($1)', [creationLockKey]);
  }

  /** Lets the process end while the session is open. */
  unref(): void {
    this.client.unref();
  }

  /** Removes the mark. Calls `stop` first if nobody else uses the server. */
  async leave(stop: () => Promise<void>): Promise<void> {
    this.client.ref();
    try {
      if (await this.isLastUser()) await stop();
    } finally {
      await this.drop();
    }
  }

  /** Ends the session without stopping the server. */
  async drop(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }

  private async hasDatabase(name: string): Promise<boolean> {
    const { rowCount } = await this.client.query('select from pg_database where datname = $1', [name]);
    return rowCount === 1;
  }

  private async isLastUser(): Promise<boolean> {
    await this.client.query(`set application_name to '${leavingName}'`);
    await this.client.query('select pg_advisory_unlock_all()');
    const { rows } = await this.client.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [
      lockKey,
    ]);
    if (rows[0]?.alone !== true) return false;
    // This process may just have closed its own pool, and the server notices closed connections a moment later.
    const deadline = Date.now() + lingerMilliseconds;
    for (;;) {
      const { users, newcomers } = await this.countOthers();
      if (users === 0) return true;
      if (newcomers > 0 || Date.now() > deadline) return false;
      await sleep(20);
    }
  }

  /** Counts all other connections (`users`), and those of processes that are placing a mark (`newcomers`). */
  private async countOthers(): Promise<{ users: number; newcomers: number }> {
    const { rows } = await this.client.query<{ users: number; newcomers: number }>(
      `select count(*)::int as users,
              (count(*) filter (where application_name like '${markName} %'))::int as newcomers
         from pg_stat_activity
        where backend_type in ('client backend', 'walsender') and pid <> pg_backend_pid()
          and application_name is distinct from '${leavingName}'`,
    );
    return rows[0] ?? { users: 0, newcomers: 0 };
  }
}

/** Whether a connection that failed may work a moment later, because the server is starting or stopping. */
export function isTransient(error: unknown): boolean {
  const code = errorCode(error) ?? '';
  const transient = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EAGAIN', 'ETIMEDOUT'];
  // Stopping or starting (class 57), too many connections (53300), lock_timeout (55P03).
  if (transient.includes(code) || /^57P0[1-5]$|^53300$|^55P03$/.test(code)) return true;
  return /^Connection terminated|timeout expired|timeout exceeded|^Query read timeout|not queryable/.test(
    errorText(error),
  );
}
