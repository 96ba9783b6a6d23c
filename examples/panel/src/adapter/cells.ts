import type { PropertyType } from 'adminjs';
import {
  Between,
  Equal,
  type FindOperator,
  ILike,
  In,
  LessThanOrEqual,
  MoreThanOrEqual,
  type ObjectLiteral,
  Raw,
} from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { HttpError } from '../errors.js';
import { isRequired } from './entity-property.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The last eight digits of a UUID, which renderers show as the reference of a submission: ABCD-1234. */
const REFERENCE = /^[0-9a-f]{4}[- ]?[0-9a-f]{4}$/i;

/** An input that its column cannot store, with a message for the user. */
export class InvalidInput extends Error {
  constructor(
    readonly property: string,
    message: string,
  ) {
    super(message);
  }
}

/** Values of a record, by property. */
export type Cells = Record<string, unknown>;

/**
 * Converts an input to a value of its column. An empty input becomes null, or the column's default.
 *
 * @throws InvalidInput if the column cannot store the input
 */
export function cellOf(column: ColumnMetadata, given: unknown): unknown {
  // A checkbox that was never ticked has no value.
  if (column.type === 'boolean') return given === true || given === 'true';
  if (given === undefined || given === null || given === '') {
    if (isRequired(column)) throw new InvalidInput(column.propertyName, 'Enter a value.');
    // Undefined if the database computes the default.
    return column.isNullable ? null : typeof column.default === 'function' ? undefined : column.default;
  }
  // oxlint-disable-next-line typescript/no-base-to-string -- inputs contain only texts and numbers
  const text = String(given);
  if (column.type === 'integer') {
    if (isInteger(text)) return Number(text);
    throw new InvalidInput(column.propertyName, 'Enter a whole number.');
  }
  if (column.type === 'jsonb') return jsonOf(column, text);
  // Count code points, as PostgreSQL does.
  if (column.length && Array.from(text).length > Number(column.length)) {
    throw new InvalidInput(column.propertyName, `Enter at most ${column.length} characters.`);
  }
  return given;
}

/** Whether the text is an integer in the range of PostgreSQL. */
function isInteger(text: string): boolean {
  return Number.isInteger(Number(text)) && Math.abs(Number(text)) < 2 ** 31;
}

function jsonOf({ propertyName }: ColumnMetadata, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInput(propertyName, 'Enter a JSON object, such as {"icon": "coins"}.');
  }
}

/** Column values of a row as AdminJS shows them: JSON as text. */
export function paramsOf(row: ObjectLiteral, columns: readonly ColumnMetadata[]): Cells {
  return Object.fromEntries(
    columns.map(({ propertyName, type }) => {
      const cell: unknown = row[propertyName];
      const isJson = (type === 'json' || type === 'jsonb') && cell !== null;
      return [propertyName, isJson ? JSON.stringify(cell) : cell];
    }),
  );
}

interface Period {
  readonly from?: string;
  readonly to?: string;
}

/** Condition of a filter. A value that the column cannot contain matches no row. */
export function matching(type: PropertyType | 'choice', wanted: unknown): FindOperator<unknown> {
  if (type === 'datetime') return within(wanted as Period);
  const text = String(wanted);
  if (type === 'number' || type === 'reference') return isInteger(text) ? Equal(Number(text)) : In([]);
  if (type === 'uuid') return withUuid(text.trim());
  if (type === 'boolean') return Equal(text === 'true');
  if (type === 'choice') return Equal(text);
  return ILike(`%${text.replace(/[\\%_]/g, '\\$&')}%`);
}

function withUuid(text: string): FindOperator<unknown> {
  if (UUID.test(text)) return Equal(text);
  if (!REFERENCE.test(text)) return In([]);
  // Reads all rows that the other filters leave, because an index would slow down every new submission.
  const reference = text.replace(/[- ]/, '').toLowerCase();
  return Raw((column) => `right(cast(${column} as text), 8) = :reference`, { reference });
}

function within({ from, to }: Period): FindOperator<Date> {
  if (from && to) return Between(dateOf(from), dateOf(to));
  return from ? MoreThanOrEqual(dateOf(from)) : LessThanOrEqual(dateOf(to ?? ''));
}

function dateOf(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw new HttpError(400, `"${text}" is not a valid date for a filter. Use a date such as 2026-11-21.`);
  return date;
}
