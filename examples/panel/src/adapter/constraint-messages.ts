import { ValidationError } from 'adminjs';
import { QueryFailedError } from 'typeorm';
import { type Cells, InvalidInput } from './cells.js';

/** By constraint name: the property that shows the message, such as `slug` or `options.value`, and the message. */
export type ConstraintMessages = Readonly<Record<string, readonly [property: string, message: string]>>;

/** An error in one of the rows that are edited with a record. */
export class PartError extends Error {
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
 * Turns an invalid input or a violated constraint into a validation error at its input. Returns any other error unchanged.
 *
 * @param given the values that should have been stored
 */
export function asValidationError(
  error: unknown,
  constraintMessages: ConstraintMessages = {},
  given: Cells = {},
): unknown {
  const place = error instanceof PartError ? `${error.part}.${error.index}.` : '';
  const cause = error instanceof PartError ? error.cause : error;
  if (cause instanceof InvalidInput) return validationError(place + cause.property, cause.message);
  if (!(cause instanceof QueryFailedError)) return cause;
  const { code, constraint } = cause.driverError as DriverError;
  const found = constraintMessages[constraint ?? ''];
  if (found !== undefined) {
    const [property, message] = found;
    return validationError(
      place + (place ? property.replace(/^\w+\./, '') : duplicate(property, given)),
      message,
    );
  }
  // SQLSTATE class 22: invalid data, such as a character that PostgreSQL cannot store. Class 23: other constraints.
  if (code?.startsWith('22') || code?.startsWith('23')) {
    return validationError('', `The database rejects this: ${cause.message}.`);
  }
  return cause;
}

function validationError(property: string, message: string): ValidationError {
  return new ValidationError({ [property]: { message } }, { message });
}

/** Path of the first row that repeats the value of an earlier one. The deferred constraint does not tell which row it is. */
function duplicate(property: string, given: Cells): string {
  const [part = '', column] = property.split('.');
  const items = given[part];
  if (column === undefined || !Array.isArray(items)) return property;
  const cells = (items as Cells[]).map((item) => item[column]);
  return `${part}.${cells.findIndex((cell, index) => cells.indexOf(cell) < index)}.${column}`;
}
