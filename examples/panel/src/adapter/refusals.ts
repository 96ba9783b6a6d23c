import { ValidationError } from 'adminjs';
import { QueryFailedError } from 'typeorm';
import { type Cells, Misfit } from './cells.js';

/** By the name of the constraint: the property, such as `slug` or `options.value`, and a sentence that says what to do. */
export type Refusals = Readonly<Record<string, readonly [property: string, sentence: string]>>;

/** What went wrong with one of the rows that are edited with a record. */
export class InPart extends Error {
  constructor(
    readonly part: string,
    readonly index: number,
    override readonly cause: unknown,
  ) {
    super();
  }
}

interface DriverError {
  readonly code?: string;
  readonly constraint?: string;
}

/**
 * A refusal of the database as sentences at their inputs; any other error as it is.
 *
 * @param given the record as it should have become
 */
export function asValidationError(error: unknown, refusals: Refusals = {}, given: Cells = {}): unknown {
  const place = error instanceof InPart ? `${error.part}.${error.index}.` : '';
  const cause = error instanceof InPart ? error.cause : error;
  if (cause instanceof Misfit) return mistake(place + cause.property, cause.message);
  if (!(cause instanceof QueryFailedError)) return cause;
  const { code, constraint } = cause.driverError as DriverError;
  const refusal = refusals[constraint ?? ''];
  if (refusal !== undefined) {
    const [property, sentence] = refusal;
    return mistake(place + (place ? property.replace(/^\w+\./, '') : repeated(property, given)), sentence);
  }
  // Class 22: data that no column takes, such as a character that PostgreSQL cannot store; 23: other constraints.
  if (code?.startsWith('22') || code?.startsWith('23')) {
    return mistake('', `The database does not take this: ${cause.message}.`);
  }
  return cause;
}

function mistake(property: string, message: string): ValidationError {
  return new ValidationError({ [property]: { message } }, { message });
}

/** What is unique among rows is looked at when all are written: of two that are alike, the mistake is at the second. */
function repeated(property: string, given: Cells): string {
  const [part = '', column] = property.split('.');
  const items = given[part];
  if (column === undefined || !Array.isArray(items)) return property;
  const cells = (items as Cells[]).map((item) => item[column]);
  return `${part}.${cells.findIndex((cell, index) => cells.indexOf(cell) < index)}.${column}`;
}
