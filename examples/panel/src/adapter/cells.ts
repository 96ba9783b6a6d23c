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
} from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { HttpError } from '../errors.js';
import { isRequired } from './entity-property.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What cannot be stored in a column, with a sentence for who typed it. */
export class Misfit extends Error {
  constructor(
    readonly property: string,
    sentence: string,
  ) {
    super(sentence);
  }
}

/** Of a record, by property. */
export type Cells = Record<string, unknown>;

/**
 * What an input holds, as its column holds it. An empty one is the column's default, where it has one.
 *
 * @throws Misfit
 */
export function cellOf(column: ColumnMetadata, given: unknown): unknown {
  // Of a box that was never ticked nothing is given.
  if (column.type === 'boolean') return given === true || given === 'true';
  if (given === undefined || given === null || given === '') {
    if (isRequired(column)) throw new Misfit(column.propertyName, 'Enter something here.');
    // What the database works out is left to it.
    return column.isNullable ? null : typeof column.default === 'function' ? undefined : column.default;
  }
  // eslint-disable-next-line @typescript-eslint/no-base-to-string -- texts and numbers are all that inputs have
  const text = String(given);
  if (column.type === 'integer') {
    if (isInteger(text)) return Number(text);
    throw new Misfit(column.propertyName, 'Enter a whole number.');
  }
  if (column.type === 'jsonb') return jsonOf(column, text);
  // In code points, as PostgreSQL counts.
  if (column.length && Array.from(text).length > Number(column.length)) {
    throw new Misfit(column.propertyName, `Enter at most ${column.length} characters.`);
  }
  return given;
}

/** Of the range of PostgreSQL's integer. */
function isInteger(text: string): boolean {
  return Number.isInteger(Number(text)) && Math.abs(Number(text)) < 2 ** 31;
}

function jsonOf({ propertyName }: ColumnMetadata, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Misfit(propertyName, 'Enter a JSON object, such as {"icon": "coins"}.');
  }
}

/** The columns of a row as the pages show them. */
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

/** The condition of a filter; what no cell can hold matches none. */
export function matching(type: PropertyType | 'choice', wanted: unknown): FindOperator<unknown> {
  if (type === 'datetime') return within(wanted as Period);
  const text = String(wanted);
  if (type === 'number' || type === 'reference') return isInteger(text) ? Equal(Number(text)) : In([]);
  if (type === 'uuid') return UUID.test(text) ? Equal(text) : In([]);
  if (type === 'boolean') return Equal(text === 'true');
  if (type === 'choice') return Equal(text);
  return ILike(`%${text.replace(/[\\%_]/g, '\\$&')}%`);
}

interface Period {
  readonly from?: string;
  readonly to?: string;
}

function within({ from, to }: Period): FindOperator<Date> {
  if (from && to) return Between(dateOf(from), dateOf(to));
  return from ? MoreThanOrEqual(dateOf(from)) : LessThanOrEqual(dateOf(to ?? ''));
}

function dateOf(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new HttpError(400, `"${text}" is not a date to filter by.`);
  return date;
}
