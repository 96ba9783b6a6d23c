import { Injectable, Logger } from '@nestjs/common';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';

/** SQL that each connection prepares once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export function statement(name: string, text: string): Statement {
  return { name, text };
}

/** What runs statements: the pool, each on its own, or one transaction. */
export interface Executor {
  query<Row extends QueryResultRow>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

/** Hand-written statements, prepared, on TypeORM's own pool of connections. */
@Injectable()
export class Database implements Executor {
  private readonly logger = new Logger('Database');
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
    try {
      await client.query('begin');
      const result = await work(on(client));
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      await client.query('rollback').then(
        () => client.release(),
        (lost: unknown) => {
          this.logger.debug(`a connection was lost in a transaction: ${String(lost)}`);
          client.release(true);
        },
      );
      throw error;
    }
  }
}

function on(client: PoolClient): Executor {
  return {
    query: async <Row extends QueryResultRow>(statement: Statement, values: readonly unknown[] = []) =>
      (await client.query<Row>({ ...statement, values: [...values] })).rows,
  };
}
