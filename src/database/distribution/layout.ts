/** What the text of a statement depends on: whether the tables lie on one server or are distributed by Citus (ADR 20). */
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
  /** Locks rows wherever they lie. Citus locks those of one shard only. */
  readonly skippingLocked: string;
}

export const ONE_SERVER: Layout = {
  isDistributed: false,
  users: 'users',
  forms: 'forms',
  steps: 'steps',
  bound: () => 'true',
  skippingLocked: 'for update skip locked',
};

export const DISTRIBUTED: Layout = {
  isDistributed: true,
  users: 'user_keys',
  forms: 'form_keys',
  steps: 'step_keys',
  bound: (column) => `${column} = any ($1)`,
  skippingLocked: '',
};
