import { BaseProperty, type PropertyType } from 'adminjs';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

const TYPES: Readonly<Record<string, PropertyType>> = {
  boolean: 'boolean',
  integer: 'number',
  bigint: 'number',
  timestamptz: 'datetime',
  uuid: 'uuid',
  json: 'textarea',
  jsonb: 'textarea',
};

/** A column. If it belongs to a many-to-one relation, it references the resource of the other table. */
export class ColumnProperty extends BaseProperty {
  constructor(readonly column: ColumnMetadata) {
    super({
      path: column.propertyName,
      type: column.relationMetadata ? 'reference' : typeOf(column),
      isId: column.isPrimary,
    });
  }

  override reference(): string | null {
    return this.column.relationMetadata?.inverseEntityMetadata.tableName ?? null;
  }

  override availableValues(): string[] | null {
    return this.column.enum?.map(String) ?? null;
  }

  override isRequired(): boolean {
    return isRequired(this.column);
  }
}

function typeOf({ type }: ColumnMetadata): PropertyType | undefined {
  // TypeORM reports the type of an identity column as `Number`.
  return type === Number ? 'number' : TYPES[String(type)];
}

/** Rows of another table that are edited with their record. */
export class PartsProperty extends BaseProperty {
  constructor(
    name: string,
    private readonly columns: readonly ColumnMetadata[],
  ) {
    super({ path: name, type: 'mixed', isSortable: false });
  }

  override isArray(): boolean {
    return true;
  }

  override subProperties(): BaseProperty[] {
    return this.columns.map((column) => new ColumnProperty(column));
  }
}

export function isRequired({ isNullable, isGenerated, default: byDefault }: ColumnMetadata): boolean {
  return !isNullable && !isGenerated && byDefault === undefined;
}
