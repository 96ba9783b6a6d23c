import { Injectable } from '@nestjs/common';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
import { isDatabaseUnavailable } from './database-errors.js';
import type { Executor, Statement } from './statement.js';

/** Hand-written statements, prepared, on TypeORM's own pool of connections. */
@Injectable()
export class Database implements Executor {
  private readonly pool: Pool;

  constructor(dataSource: DataSource) {
    this.pool = (dataSource.driver as unknown as { master: Pool }).master;
  }

  async query<Row extends QueryResultRow>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return (await this.pool.query<Row>({ ...statement, values: [...values] })).rows;
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
      const result = await work(on(client));
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
}

async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}

function on(client: PoolClient): Executor {
  return {
    query: async <Row extends QueryResultRow>(statement: Statement, values: readonly unknown[] = []) =>
      (await client.query<Row>({ ...statement, values: [...values] })).rows,
  };
}
