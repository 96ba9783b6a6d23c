import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { arrayLiteral } from '../../database/array-literal.js';
import type { Distribution, Queryable } from '../../database/distribution.js';
import type { Execute, Parameter, Statement } from '../../database/statement.js';
import { isShardMoved, isUnreached, isWorkerLost, toDatabaseError, withUnknownOutcome } from './errors.js';
import { NEXT_RECORD_ID, ON_SHARD, valuesOfRow } from './on-shard.js';
import { findShards, type Shards } from './shards.js';
import { describe } from './status.js';
import { coordinatorSql, isDistributed, shardSql } from './texts.js';

/** Milliseconds between two probes of a lost worker. */
const PROBE_INTERVAL = 1_000;

/** A UUID, or an array that begins with a UUID. */
const UUID = /^(?:\{")?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:$|")/i;

/** Executes statements if Citus distributes submissions (ADR 10). */
export class Citus implements Distribution {
  readonly name = 'Citus';
  /** Lower than with one server, because a statement takes two round trips, and a batch has requests for one shard only. */
  readonly fewInFlight = 1;
  readonly textOf = coordinatorSql;
  readonly toDatabaseError = toDatabaseError;
  readonly describe = () => describe(this.database);
  readonly close = () => this.closing.abort();
  /** The UUID of one submission of each worker that does not respond. The UUID, because shards move. */
  private readonly lost = new Set<string>();
  private readonly closing = new AbortController();

  private constructor(
    private shards: Shards,
    private readonly database: Queryable,
  ) {}

  /** Returns undefined if the tables are not distributed. */
  static async find(database: Queryable): Promise<Citus | undefined> {
    const shards = await findShards(database);
    return shards && new Citus(shards, database);
  }

  /** Chooses a worker that responds, if there is one. */
  newUuid(): string {
    return this.uuidOnRespondingWorker() ?? uuidV7();
  }

  serverOf(statement: Statement<unknown>, [first]: readonly Parameter[]): number | undefined {
    const uuid = submissionOf(statement, first);
    return uuid === undefined ? undefined : this.shards.holding(uuid).id;
  }

  /** A worker executes statements on a submission, or on several of one shard. The coordinator executes all others. */
  async execute<Row>(
    statement: Statement<Row>,
    values: readonly unknown[],
    execute: Execute,
  ): Promise<Row[]> {
    const uuid = submissionOf(statement, values[0]);
    try {
      if (uuid === undefined) return await execute({ ...statement, text: coordinatorSql(statement) }, values);
      const shard = this.shards.holding(uuid);
      const added = statement.name === 'records.create' ? await execute(NEXT_RECORD_ID, []) : [];
      const parameters = [...values.map(textOfValue), ...added.map(({ id }) => id)];
      // Named after the statement, because a trace shows the name.
      const onShard = { ...ON_SHARD, name: `${statement.name}.on_shard` };
      const rows = await execute(onShard, [
        uuid,
        shard.id,
        shardSql(statement, shard),
        arrayLiteral(parameters),
      ]);
      return rows.map(({ row }) => statement.read(valuesOfRow(row)));
    } catch (error) {
      if (uuid === undefined) throw toDatabaseError(error);
      await this.learn(error, uuid);
      const isNew = statement.name === 'submissions.create';
      throw toDatabaseError(withUnknownOutcome(error), isNew && this.uuidOnRespondingWorker() !== undefined);
    }
  }

  /** Marks the worker of the submission as lost, if the error shows that it did not respond. */
  private async learn(error: unknown, uuid: string): Promise<void> {
    const isNew = isWorkerLost(error) && !this.isLost(this.shards.holding(uuid).worker);
    if (isNew) void this.probeUntilResponse(uuid);
    if (!isNew && !isShardMoved(error)) return;
    const refreshed = this.refreshShards().catch(() => undefined);
    // If the shard has moved, another worker is lost. Other errors took seconds, so their requests do not wait.
    if (isUnreached(error)) await refreshed;
  }

  private isLost(worker: number): boolean {
    return [...this.lost].some((uuid) => this.shards.holding(uuid).worker === worker);
  }

  private uuidOnRespondingWorker(): string | undefined {
    return this.shards.newUuid(({ worker }) => !this.isLost(worker));
  }

  private async probeUntilResponse(uuid: string): Promise<void> {
    this.lost.add(uuid);
    const { signal } = this.closing;
    const isOpen = () => sleep(PROBE_INTERVAL, true, { ref: false, signal }).catch(() => false);
    const probe = () => this.database.query('select from submissions where uuid = $1', [uuid]);
    const responds = () =>
      this.refreshShards()
        .then(probe)
        .then(Boolean, () => false);
    while ((await isOpen()) && !(await responds()));
    this.lost.delete(uuid);
  }

  private async refreshShards(): Promise<void> {
    this.shards = (await findShards(this.database)) ?? this.shards;
  }
}

/** Returns the UUID of the submission, or of the first submission, if the statement is only on these. */
const submissionOf = (statement: Statement<unknown>, first: unknown) =>
  typeof first === 'string' && isDistributed(statement) ? UUID.exec(first)?.[1] : undefined;

const textOfValue = (value: unknown) =>
  Array.isArray(value) ? arrayLiteral(value as Parameter[]) : (value as Parameter);
