import {
  type ActionContext,
  BaseRecord,
  BaseResource,
  type Filter,
  flat,
  type ParamsType,
  ValidationError,
} from 'adminjs';
import { Form } from 'formtrail-entities';
import {
  type DataSource,
  type EntityManager,
  type EntityMetadata,
  type EntityTarget,
  type FindOptionsWhere,
  In,
  type ObjectLiteral,
} from 'typeorm';
import { asSignedIn } from './as-signed-in.js';
import { cellOf, type Cells, matching, paramsOf } from './cells.js';
import { Computed, type ComputedConditions } from './computed.js';
import { ColumnProperty } from './entity-property.js';
import { lockUnchanged } from './lock-form.js';
import { Parts, type PartsPlan } from './parts.js';
import { asValidationError, type ConstraintMessages } from './constraint-messages.js';
import { TitledRecord, type TitleOf } from './titled-record.js';
import { HttpError } from '../errors.js';

/** A table, and how the panel writes it. */
export interface EntitySource {
  readonly dataSource: DataSource;
  readonly entity: EntityTarget<ObjectLiteral>;
  /** One-to-many relations whose rows are edited with the record, in its transaction. */
  readonly parts?: Readonly<Record<string, PartsPlan>>;
  /** Read-only yes-or-no properties: an SQL condition for each, on the key of a row. */
  readonly computed?: ComputedConditions;
  /** Returns the title of a record. By default, AdminJS shows the title property. */
  readonly titleOf?: TitleOf;
  /** Property with the id of the form that the row belongs to. A record that was read before the form changed is not saved. */
  readonly formKey?: string;
  /** Throws a ValidationError if the record must not be changed to `given`. */
  readonly check?: (manager: EntityManager, id: number, given: Cells) => Promise<void>;
  /** Messages for violated constraints, and the properties at which to show them. */
  readonly constraintMessages?: ConstraintMessages;
}

interface Page {
  readonly limit?: number;
  readonly offset?: number;
  readonly sort?: { readonly sortBy?: string; readonly direction?: 'asc' | 'desc' };
}

/** Additional value of a record: the version of its form when it was read. */
const READ_VERSION = 'readVersion';

/**
 * Adapter of AdminJS to an entity of a TypeORM data source. Writes a record and its parts in one transaction. Writes only properties
 * of the edit view.
 */
export class EntityResource extends BaseResource {
  private readonly manager: EntityManager;
  private readonly metadata: EntityMetadata;
  private readonly columns: readonly ColumnProperty[];
  private readonly parts: readonly Parts[];
  private readonly key: ColumnProperty;
  private readonly computed: Computed;

  static override isAdapterFor(raw: unknown): raw is EntitySource {
    return typeof raw === 'object' && raw !== null && 'dataSource' in raw && 'entity' in raw;
  }

  constructor(private readonly source: EntitySource) {
    super(source);
    this.manager = source.dataSource.manager;
    this.metadata = source.dataSource.getMetadata(source.entity);
    // Never show binary columns, such as the hash of a token.
    const columns = this.metadata.columns.filter(({ type }) => type !== 'bytea');
    this.columns = columns.map((column) => new ColumnProperty(column));
    this.parts = Object.entries(source.parts ?? {}).map((plan) => new Parts(this.metadata, ...plan));
    const [key, ...others] = this.columns.filter((property) => property.isId());
    if (key === undefined || others.length > 0) throw new Error(`${this.id()} needs a key of one column.`);
    this.key = key;
    this.computed = new Computed(source.computed);
  }

  override id(): string {
    return this.metadata.tableName;
  }

  override databaseName(): string {
    return 'formtrail';
  }

  override databaseType(): string {
    return 'Postgres';
  }

  override properties() {
    return [...this.columns, ...this.computed.properties, ...this.parts.map(({ property }) => property)];
  }

  override property(path: string) {
    return this.properties().find((property) => property.path() === path) ?? null;
  }

  /** @throws HttpError if there is no such column, or PostgreSQL cannot compare its type (JSON) */
  private comparable(path: string): ColumnProperty {
    const found = this.columns.find((column) => column.path() === path);
    if (found !== undefined && found.type() !== 'textarea') return found;
    throw new HttpError(400, `There is no column "${path}" to sort or filter by.`);
  }

  override count(filter: Filter): Promise<number> {
    return this.manager.countBy(this.source.entity, this.whereOf(filter));
  }

  override async find(filter: Filter, { limit, offset, sort }: Page): Promise<BaseRecord[]> {
    const key = this.key.path();
    const sortBy = this.comparable(sort?.sortBy ?? key).path();
    const direction = sort?.direction === 'desc' ? 'desc' : 'asc';
    const rows = await this.manager.find(this.source.entity, {
      where: this.whereOf(filter),
      // If the rows are sorted by their key, its direction comes last.
      order: sortBy === key ? { [key]: direction } : { [sortBy]: direction, [key]: 'asc' },
      ...(limit !== undefined && { take: countOf(limit) }),
      ...(offset !== undefined && { skip: countOf(offset) }),
    });
    return this.recordsOf(rows);
  }

  override async findOne(id: string | number): Promise<BaseRecord | null> {
    const row = await this.manager.findOne(this.source.entity, {
      where: { [this.key.path()]: matching(this.key.type(), id) },
      relations: Object.fromEntries(this.parts.map(({ name }) => [name, true])),
      relationLoadStrategy: 'query',
    });
    if (row === null) return null;
    const [record] = await this.recordsOf([row]);
    if (record === undefined) return null;
    const { formKey } = this.source;
    const form = formKey && (await this.manager.findOneBy(Form, { id: Number(row[formKey]) }));
    if (form) record.set(READ_VERSION, form.version);
    return record;
  }

  override async findMany(ids: (string | number)[]): Promise<BaseRecord[]> {
    const rows = await this.manager.findBy(this.source.entity, { [this.key.path()]: In(ids) });
    return this.recordsOf(rows);
  }

  override create(params: ParamsType, context?: ActionContext): Promise<ParamsType> {
    return this.saveAndRead(params, context, async (manager, given) => {
      const { identifiers } = await manager.insert(
        this.source.entity,
        this.valuesOf(given, () => true),
      );
      return identifiers[0]?.[this.key.path()] as number;
    });
  }

  override update(id: string, params: ParamsType, context?: ActionContext): Promise<ParamsType> {
    return this.saveAndRead(params, context, async (manager, given) => {
      await this.checkVersion(manager, id, given[READ_VERSION]);
      await this.source.check?.(manager, Number(id), given);
      const values = this.valuesOf(given, (name) => name in given);
      if (Object.keys(values).length > 0) await manager.update(this.source.entity, id, values);
      return Number(id);
    });
  }

  override async delete(id: string, context?: ActionContext): Promise<void> {
    const deletion = asSignedIn(this.source.dataSource, context, (manager) =>
      manager.delete(this.source.entity, id),
    );
    await deletion.catch((error: unknown) => {
      throw asValidationError(error, this.source.constraintMessages);
    });
  }

  private async saveAndRead(
    params: ParamsType,
    context: ActionContext | undefined,
    save: (manager: EntityManager, given: Cells) => Promise<number>,
  ): Promise<ParamsType> {
    const given: Cells = flat.unflatten(params);
    try {
      const id = await asSignedIn(this.source.dataSource, context, async (manager) => {
        // Deferred, so that two steps can swap their positions, and two options their values.
        await manager.query('set constraints all deferred');
        const id = await save(manager, given);
        for (const part of this.parts) {
          const rows = given[part.name];
          if (Array.isArray(rows)) await part.save(manager, id, rows as Cells[]);
        }
        return id;
      });
      return (await this.findOne(id))?.params ?? {};
    } catch (error) {
      throw asValidationError(error, this.source.constraintMessages, given);
    }
  }

  /** Rejects the change if the form has changed since it was read, and locks the form until the commit. */
  private async checkVersion(manager: EntityManager, id: string, readVersion: unknown): Promise<void> {
    const { entity, formKey } = this.source;
    if (formKey === undefined || readVersion === undefined) return;
    const row = await manager.findOneByOrFail(entity, { [this.key.path()]: id });
    if (await lockUnchanged(manager, Number(row[formKey]), Number(readVersion))) return;
    const message = 'Somebody has changed this form meanwhile. Reload the page and repeat your changes.';
    const top = this.editable()[0] ?? '';
    throw new ValidationError({ [top]: { message } }, { message });
  }

  private valuesOf(given: Cells, isGiven: (name: string) => boolean): Cells {
    const editable = this.editable();
    const columns = this.columns.map(({ column }) => column);
    return Object.fromEntries(
      columns
        .filter(({ propertyName }) => editable.includes(propertyName) && isGiven(propertyName))
        .map((column) => [column.propertyName, cellOf(column, given[column.propertyName])]),
    );
  }

  /** Names of the properties in the edit view, in its order. */
  private editable(): string[] {
    const properties = this.decorate().getProperties({ where: 'edit' });
    return properties.map((property) => property.name());
  }

  private async recordsOf(rows: ObjectLiteral[]): Promise<BaseRecord[]> {
    const records = rows.map((row) => this.recordOf(row));
    await this.computed.fill(this.manager, this.key.path(), records);
    return records;
  }

  private recordOf(row: ObjectLiteral): BaseRecord {
    const params = paramsOf(
      row,
      this.columns.map(({ column }) => column),
    );
    for (const part of this.parts) params[part.name] = part.paramsOf(row);
    return new TitledRecord(params, this, this.source.titleOf);
  }

  private whereOf(filter: Filter): FindOptionsWhere<ObjectLiteral> {
    return filter.reduce<FindOptionsWhere<ObjectLiteral>>((where, { path, value }) => {
      const operator = this.computed.matching(path, value);
      if (operator !== undefined) return { ...where, [this.key.path()]: operator };
      const property = this.comparable(path);
      const isChoice = this.decorate().getPropertyByKey(path)?.availableValues();
      return { ...where, [path]: matching(isChoice ? 'choice' : property.type(), value) };
    }, {});
  }
}

/** Validates a page parameter, because AdminJS passes it on from the URL unchecked. */
function countOf(given: number | string): number {
  const count = Number(given);
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new HttpError(400, 'The page and the number of records per page must be whole numbers from 1.');
}
