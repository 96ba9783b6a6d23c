/** What the text of a statement depends on: whether the tables lie on one server, or where Citus executes it (ADR 20). */
export interface Layout {
  readonly isDistributed: boolean;
  /**
   * What statements on submissions may join: on one server the tables themselves, else the copies of their keys that each
   * worker has.
   */
  readonly users: string;
  readonly forms: string;
  readonly steps: string;
  /**
   * That a distribution column is one of the values of `$1`. Citus looks for the shard there, and nowhere else; where there
   * is but one server it says nothing, and takes no time.
   */
  readonly bound: (column: string) => string;
  /** That the shard is the one of a submission, for what inserts; all else finds nothing to write to in another. */
  readonly isItsShard: (uuid: string) => string;
  /** Locks rows wherever they lie. Citus locks those of one shard only. */
  readonly skippingLocked: string;
}

export const ONE_SERVER: Layout = {
  isDistributed: false,
  users: 'users',
  forms: 'forms',
  steps: 'steps',
  bound: () => 'true',
  isItsShard: () => 'true',
  skippingLocked: 'for update skip locked',
};

/** Of one shard, at the worker that has it (`on-shards.ts`): as on one server, with the copies of keys. */
export const ONE_SHARD: Layout = {
  ...ONE_SERVER,
  users: 'user_keys',
  forms: 'form_keys',
  steps: 'step_keys',
  isItsShard: (uuid) => `get_shard_id_for_distribution_column('submissions', ${uuid}) = SHARD`,
};

/** Of all shards, by way of the coordinator. */
export const DISTRIBUTED: Layout = {
  ...ONE_SHARD,
  isDistributed: true,
  bound: (column) => `${column} = any ($1)`,
  skippingLocked: '',
};
