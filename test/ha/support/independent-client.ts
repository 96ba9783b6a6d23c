import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Connection } from '../../../src/database/connection.js';
import type { Attempt } from './outage.js';

const PATIENCE = 1_000;
const PAUSE = 25;

/** The reference for the service's recovery: a client that opens a new connection for each insert. */
export class IndependentClient {
  readonly attempts: Attempt[] = [];
  private isStopped = false;
  private readonly ended: Promise<void>;

  /** The table `probes` must exist. */
  constructor(private readonly connection: Connection) {
    this.ended = this.run();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.ended;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      const sentAt = performance.now();
      const isSuccess = await this.insert();
      this.attempts.push({ sentAt, took: performance.now() - sentAt, isSuccess });
      await sleep(PAUSE);
    }
  }

  private async insert(): Promise<boolean> {
    const client = new pg.Client({
      ...this.connection,
      connectionTimeoutMillis: PATIENCE,
      query_timeout: PATIENCE,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('insert into probes default values');
      return true;
    } catch {
      return false;
    } finally {
      // Do not await the end, because the server may not respond.
      void client.end().catch(() => undefined);
    }
  }
}
