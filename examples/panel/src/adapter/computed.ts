import { BaseProperty, type BaseRecord } from 'adminjs';
import { type EntityManager, type FindOperator, Raw } from 'typeorm';

/** By property: an SQL condition on the key of a row, which is an integer. */
export type ComputedConditions = Readonly<Record<string, (key: string) => string>>;

/** Read-only yes-or-no properties that the database computes. */
export class Computed {
  constructor(private readonly conditions: ComputedConditions = {}) {}

  get properties(): BaseProperty[] {
    return Object.keys(this.conditions).map(
      (path) => new BaseProperty({ path, type: 'boolean', isSortable: false }),
    );
  }

  /** Returns the filter on the key, or undefined if the property is not computed. */
  matching(path: string, wanted: unknown): FindOperator<unknown> | undefined {
    const condition = Object.hasOwn(this.conditions, path) ? this.conditions[path] : undefined;
    if (condition === undefined) return undefined;
    return Raw((key) => (String(wanted) === 'true' ? condition(key) : `not ${condition(key)}`));
  }

  async fill(manager: EntityManager, key: string, records: readonly BaseRecord[]): Promise<void> {
    if (records.length === 0) return;
    for (const [path, condition] of Object.entries(this.conditions)) {
      const rows = await manager.query<{ id: number }[]>(
        `select id from unnest($1::integer[]) as id where ${condition('id')}`,
        [records.map((record) => Number(record.get(key)))],
      );
      const ids = new Set(rows.map(({ id }) => id));
      for (const record of records) record.set(path, ids.has(Number(record.get(key))));
    }
  }
}
