import { Inject, Injectable } from '@nestjs/common';
import type { Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { isDatabaseUnavailable } from './database-errors.js';
import type { Executor, Statement } from './statement.js';

/**
 * Hand-written statements on TypeORM's own pool of connections. They are prepared, except by way of a pooler: it may
 * hand the next statement to a connection of the server's that has never heard of the first.
 */
@Injectable()
export class Database implements Executor {
  private readonly pool: Pool;
  private readonly isPrepared: boolean;

  constructor(dataSource: DataSource, @Inject(ENVIRONMENT) environment: Environment) {
    this.isPrepared = environment.databaseDirectUrl === undefined;
    this.pool = (dataSource.driver as unknown as { master: Pool }).master;
  }

  async query<Row extends QueryResultRow>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return (await this.pool.query<Row>(this.toConfig(statement, values))).rows;
  }

  /** Commits when `work` ends, rolls back when it throws. */
  async transaction<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    // The statement under way fails as well and says so; without a listener the process would end.
    const onLost = () => undefined;
    client.on('error', onLost);
    let isBroken = false;
    try {
      await client.query('begin');
      const result = await work(this.on(client));
      await client.query('commit');
      return result;
    } catch (error) {
      // Where the server is out of reach there is nobody to roll back with, and no time left to try.
      isBroken = isDatabaseUnavailable(error) || !(await rollBack(client));
      throw error;
    } finally {
      client.off('error', onLost);
      client.release(isBroken);
    }
  }

  private on(client: PoolClient): Executor {
    return {
      query: async <Row extends QueryResultRow>(statement: Statement, values: readonly unknown[] = []) =>
        (await client.query<Row>(this.toConfig(statement, values))).rows,
    };
  }

  private toConfig({ name, text }: Statement, values: readonly unknown[]): QueryConfig {
    return this.isPrepared ? { name, text, values: [...values] } : { text, values: [...values] };
  }
}

async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}
