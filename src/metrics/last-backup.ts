import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import { writable } from '../database/iso-timestamp.js';
import type { Database } from '../database/database.js';
import { statement } from '../database/statement.js';

const FIND_LAST_BACKUP = statement(
  'metrics.find_last_backup',
  `select extract(epoch from ${writable('taken_at')}) from backups`,
  { seconds: Number },
);

/** Milliseconds after which a known timestamp is read again. */
const FRESH_FOR = 10_000;
/** Milliseconds after which a scrape no longer waits for the query. */
const DEADLINE = 1_000;

/** Exports when the last good backup was taken, and nothing while none is recorded. */
export function watchLastBackup(registry: Registry, database: Pick<Database, 'query' | 'connections'>): void {
  const lastBackup = new LastBackup(database);
  new Gauge({
    name: 'formtrail_last_backup_timestamp_seconds',
    help: 'When the last good backup that is recorded was begun, in seconds since 1970.',
    registers: [registry],
    async collect() {
      const seconds = await lastBackup.seconds();
      if (seconds === undefined) this.remove();
      else this.set(seconds);
    },
  });
}

/** Keeps the last value while the database is away: a timestamp does not become wrong. */
export class LastBackup {
  private known: number | undefined;
  private readAt = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly database: Pick<Database, 'query' | 'connections'>,
    private readonly freshFor = FRESH_FOR,
  ) {}

  /** Resolves within a second; undefined if none is recorded. */
  async seconds(): Promise<number | undefined> {
    if (this.known === undefined || performance.now() - this.readAt >= this.freshFor) {
      this.reading ??= this.read().finally(() => (this.reading = undefined));
      await Promise.race([this.reading, sleep(DEADLINE, undefined, { ref: false })]);
    }
    return this.known;
  }

  private async read(): Promise<void> {
    const { inUse, size } = this.database.connections;
    // Requests come first.
    if (inUse >= size) return;
    try {
      const [row] = await this.database.query(FIND_LAST_BACKUP);
      this.known = row?.seconds;
      this.readAt = performance.now();
    } catch {
      // The database is away, which other metrics and alerts say. The next scrape tries again.
    }
  }
}
