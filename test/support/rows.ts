import { escapeLiteral, type Pool } from 'pg';
import type { DataSource, ObjectLiteral } from 'typeorm';

interface Row {
  id: number;
}

type EntityClass<T extends Row = Row> = new () => T;

/**
 * Rows of several tables that are written in one round trip, because most tests spend most of their time on their rows. The worker
 * gives the ids, so that rows can refer to each other before they are written.
 */
export class Rows {
  /** A table comes before the tables that refer to it. */
  readonly #rows = new Map<EntityClass, (Row & ObjectLiteral)[]>();
  readonly #written = new Map<EntityClass, Row[]>();

  constructor(private readonly dataSource: DataSource) {}

  /** Returns the id of the new row. */
  add<T extends Row>(
    entity: EntityClass<T>,
    columns: { readonly [Name in keyof T]?: T[Name] | undefined },
  ): number {
    const row = { id: globalThis.worker.newId(), ...columns };
    const rows = this.#rows.get(entity) ?? [];
    rows.push(row);
    this.#rows.set(entity, rows);
    return row.id;
  }

  async write(): Promise<void> {
    const tables = [...this.#rows];
    const inserts = tables.map(([entity, rows]) => this.#insert(entity, rows));
    // Triggers change rows after their insertion.
    const reads = tables.map(([entity, rows]) => this.#select(entity, rows));
    const { master } = this.dataSource.driver as unknown as { master: Pool };
    // PostgreSQL executes the statements of one text in one transaction.
    const results = [await master.query([...inserts, ...reads].join(';'))].flat().slice(inserts.length);
    for (const [index, [entity]] of tables.entries())
      this.#written.set(
        entity,
        results[index]!.rows.map((row: ObjectLiteral) => this.#read(entity, row)),
      );
  }

  /** The rows of an entity as they are in the database, in the order of `add()`. */
  written<T extends Row>(entity: EntityClass<T>): T[] {
    return (this.#written.get(entity) ?? []) as T[];
  }

  #insert(entity: EntityClass, rows: readonly ObjectLiteral[]): string {
    const { tableName, columns } = this.dataSource.getMetadata(entity);
    const used = columns.filter(({ propertyName }) => rows.some((row) => row[propertyName] !== undefined));
    const names = used.map(({ databaseName }) => `"${databaseName}"`).join();
    const values = rows.map(
      (row) => `(${used.map(({ propertyName }) => literal(row[propertyName])).join()})`,
    );
    return `insert into "${tableName}" (${names}) values ${values.join()}`;
  }

  #select(entity: EntityClass, rows: readonly Row[]): string {
    const ids = rows.map(({ id }) => id).join();
    return `select * from "${this.dataSource.getMetadata(entity).tableName}" where id in (${ids}) order by id`;
  }

  #read(entity: EntityClass, row: ObjectLiteral): Row {
    const { driver } = this.dataSource;
    const read = new entity();
    for (const column of this.dataSource.getMetadata(entity).columns)
      column.setEntityValue(read, driver.prepareHydratedValue(row[column.databaseName], column));
    return read;
  }
}

function literal(value: unknown): string {
  if (value === undefined) return 'default';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
  if (value instanceof Date) return `'${value.toISOString()}'`;
  return escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value));
}
