import type { EntityManager, EntityMetadata, ObjectLiteral } from 'typeorm';
import { In, Not } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { cellOf, type Cells, paramsOf } from './cells.js';
import { PartsProperty } from './entity-property.js';
import { PartError } from './constraint-messages.js';

export interface PartsPlan {
  /** Columns that can be edited, in this order. */
  readonly columns: readonly string[];
  /** Column with the position of a row, from 1. Without it, the rows are ordered by id. */
  readonly position?: string;
}

/** Rows of a one-to-many relation that are edited together with their record. */
export class Parts {
  readonly property: PartsProperty;
  private readonly metadata: EntityMetadata;
  private readonly columns: readonly ColumnMetadata[];
  /** Column that references the record. */
  private readonly owner: string;
  private readonly position: string | undefined;

  constructor(
    record: EntityMetadata,
    readonly name: string,
    { columns, position }: PartsPlan,
  ) {
    const relation = record.oneToManyRelations.find(({ propertyName }) => propertyName === name);
    const owner = relation?.inverseRelation?.joinColumns[0];
    if (!relation || !owner) throw new Error(`${record.name} has no one-to-many relation "${name}".`);
    this.metadata = relation.inverseEntityMetadata;
    this.owner = owner.propertyName;
    this.position = position;
    const order = ({ propertyName }: ColumnMetadata) => columns.indexOf(propertyName);
    this.columns = this.metadata.columns
      .filter((column) => order(column) >= 0)
      .sort((one, other) => order(one) - order(other));
    this.property = new PartsProperty(name, this.columns);
  }

  /** Values of the rows. Undefined if the relation is not loaded. */
  paramsOf(row: ObjectLiteral): Cells[] | undefined {
    const rows = row[this.name] as Record<string, number>[] | undefined;
    const place = (part: Record<string, number>) => part[this.position ?? 'id'] ?? 0;
    return rows
      ?.toSorted((one, other) => place(one) - place(other))
      .map((part) => paramsOf(part, [...this.metadata.primaryColumns, ...this.columns]));
  }

  /**
   * Inserts and updates the given rows, and deletes all others.
   *
   * @throws PartError with the cause and the index of the row
   */
  async save(manager: EntityManager, ownerId: unknown, given: readonly Cells[]): Promise<void> {
    const { target } = this.metadata;
    const owned = { [this.owner]: ownerId };
    const kept = given.flatMap(({ id }) => (id ? [Number(id)] : []));
    await manager.delete(target, { ...owned, id: Not(In(kept)) });
    for (const [index, item] of given.entries()) {
      try {
        const values: Cells = { ...owned, ...(this.position && { [this.position]: index + 1 }) };
        for (const column of this.columns) {
          values[column.propertyName] = cellOf(column, item[column.propertyName]);
        }
        if (item['id']) await manager.update(target, { ...owned, id: Number(item['id']) }, values);
        else await manager.insert(target, values);
      } catch (error) {
        throw new PartError(this.name, index, error);
      }
    }
  }
}
