import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty } from '#swagger';
import { CheckNested } from './checks.js';
import { type FieldError, fieldError } from '../errors/problems.js';

/** A check for each property of an entry. A check returns undefined if the property is valid. */
export type EntryChecks<Entry> = {
  readonly [Name in keyof Entry]-?: (value: unknown, entry: Entry) => FieldError | undefined;
};

/**
 * Checks an array of at most `max` objects by `entryChecks`. One check validates all entries, because class-validator needs 10 kB of
 * memory for each nested object, and a body can have hundreds (ADR 6). `type` describes an entry in the OpenAPI document and has
 * no decorators of class-validator.
 */
export function EntriesOf<Entry extends object>(
  type: Type<Entry>,
  max: number,
  entryChecks: EntryChecks<Entry>,
): PropertyDecorator {
  const checks = Object.entries<EntryChecks<Entry>[keyof Entry]>(entryChecks);
  return applyDecorators(
    ApiProperty({ type: [type], maxItems: max }),
    CheckNested('entriesOf', (entries, property) => {
      if (!Array.isArray(entries)) return undefined;
      // Check the number before the entries, because a body can contain thousands of entries.
      if (entries.length > max)
        return [
          ['', fieldError('too_many', `The ${property} must not have more than ${max} entries.`, { max })],
        ];
      const errors: [path: string, error: FieldError][] = [];
      for (const [index, entry] of (entries as unknown[]).entries()) {
        if (!isJsonObject(entry)) {
          errors.push([`${index}`, fieldError('not_an_object', 'The entry must be an object.')]);
          continue;
        }
        for (const [name, check] of checks) {
          const error = check(entry[name], entry as Entry);
          if (error !== undefined) errors.push([`${index}.${name}`, error]);
        }
      }
      return errors.length === 0 ? undefined : errors;
    }),
  );
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
