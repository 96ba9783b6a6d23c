import type { DataSource } from 'typeorm';
import { arrayOf } from '../../database/array-literal.js';
import { isShardMoved, WorkerUnreachedError } from '../../database/database-errors.js';
import type {
  BatchedRow,
  BatchedStatement,
  Execute,
  Parameter,
  Statement,
} from '../../database/statement.js';
import type { BatchDistribution } from '../../database/statement-batcher.js';
import { createRecord } from './create-record.js';
import { coordinatorText, shardText } from './distributed-text.js';
import { LostWorkers, PROBE_WORKER } from './lost-workers.js';
import { ON_SHARDS, valuesOfRow } from './on-shards.js';
import { readShards, type Shards } from './shards.js';

/** Executes statements if Citus distributes submissions (ADR 10). With one server, there is no `Distribution`. */
export class Distribution implements BatchDistribution {
  /** Lower than with one server, because a statement takes two round trips, and a batch has requests for one worker only. */
  readonly fewInFlight = 1;
  private readonly lostWorkers: LostWorkers;

  private constructor(
    private shards: Shards,
    private readonly dataSource: DataSource,
    query: Execute,
  ) {
    this.lostWorkers = new LostWorkers({
      shards: () => this.shards,
      probe: (uuid) => this.readShards().then(() => query(PROBE_WORKER, [uuid])),
    });
  }

  /** Returns undefined if there is one server. `query` executes a statement on the pool. */
  static async of(dataSource: DataSource, query: Execute): Promise<Distribution | undefined> {
    const shards = await readShards(dataSource);
    return shards && new Distribution(shards, dataSource, query);
  }

  close(): void {
    this.lostWorkers.close();
  }

  /** Returns a UUID for a new submission, chosen so that its worker is reachable. */
  newUuid(): string {
    return this.lostWorkers.newUuid();
  }

  serverOf({ types }: BatchedStatement<unknown>, values: readonly Parameter[]): number | undefined {
    return types[0] === 'uuid' ? this.shards.workerOf(values[0] as string) : undefined;
  }

  /** Executes a statement through the coordinator. */
  run<Row>(statement: Statement<Row>, values: readonly unknown[], execute: Execute): Promise<Row[]> {
    if (statement.name === 'records.create') return createRecord(values, execute) as Promise<Row[]>;
    return execute({ ...statement, text: coordinatorText(statement) }, values);
  }

  /**
   * Executes a batch on the worker of the submission `first`. A batch in a transaction, or without UUIDs, is executed
   * through the coordinator.
   */
  async runBatch<Row>(
    statement: BatchedStatement<Row>,
    arrays: readonly string[],
    first: Parameter,
    isInTransaction: boolean,
    execute: Execute,
  ): Promise<BatchedRow<Row>[]> {
    if (statement.types[0] !== 'uuid') return this.run(statement, arrays, execute);
    try {
      if (isInTransaction) return await this.run(statement, arrays, execute);
      // Named after the statement, because a trace shows the name.
      const onShards = { ...ON_SHARDS, name: `${statement.name}.on_shards` };
      const rows = await execute(onShards, [first, shardText(statement), arrayOf(arrays)]);
      return rows.map(({ row }) => statement.read(valuesOfRow(row)));
    } catch (error) {
      this.lostWorkers.note(error, first as string);
      if (isShardMoved(error)) void this.readShards().catch(() => undefined);
      if (statement.name === 'submissions.create' && this.lostWorkers.mayCreateElsewhere(error))
        throw new WorkerUnreachedError();
      throw error;
    }
  }

  private async readShards(): Promise<void> {
    this.shards = (await readShards(this.dataSource)) ?? this.shards;
  }
}
