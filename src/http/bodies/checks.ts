import { applyDecorators } from '@nestjs/common';
import { IsIn, ValidateBy, type ValidationError, type ValidationOptions } from 'class-validator';
import { ApiProperty } from '#swagger';
import type { FieldErrorCode } from '../errors/problem-codes.js';
import { type FieldErrors, type FieldError, fieldError } from '../errors/problems.js';
import { RECORD_ID_SCHEMA } from '../openapi/openapi.schemas.js';

/** Errors within a property, each with its path relative to the property; '' is the property itself. */
export type NestedErrors = readonly (readonly [path: string, error: FieldError])[];

type Find<Found> = (value: unknown, property: string, object: object) => Found | undefined;

/** The `context` of each decorator. class-validator adds the context to its error if the decorator rejects a value. */
interface Context {
  readonly find: Find<NestedErrors>;
}

/** Options for a decorator of class-validator: the error to respond with if the decorator rejects the value. */
export function withError<Code extends FieldErrorCode>(
  ...parts: Parameters<typeof fieldError<Code>>
): ValidationOptions {
  const error = fieldError(...parts);
  return { message: error.message, context: { find: () => [['', error]] } satisfies Context };
}

/** Decorates a property. The property's value is valid if `find` returns no error. `find` may look at the whole `object`. */
export function Check(name: string, find: Find<FieldError>): PropertyDecorator {
  return CheckNested(name, (value, property, object) => {
    const error = find(value, property, object);
    return error && [['', error]];
  });
}

/** Like `Check()`, for a property with nested properties. */
export function CheckNested(name: string, find: Find<NestedErrors>): PropertyDecorator {
  return ValidateBy(
    {
      name,
      validator: {
        validate: (value, args) => find(value, args?.property ?? '', args?.object ?? {}) === undefined,
      },
    },
    { message: 'The $property is not valid.', context: { find } satisfies Context },
  );
}

export function IsOneOf(allowed: readonly string[], message: string): PropertyDecorator {
  return IsIn(allowed, withError('not_allowed', message, { allowed }));
}

/** Accepts the id of a record: a positive integer that JavaScript can represent exactly (V10). */
export function IsRecordId(): PropertyDecorator {
  return applyDecorators(ApiProperty(RECORD_ID_SCHEMA), IsIntegerUpTo(RECORD_ID_SCHEMA.maximum));
}

export function IsIntegerUpTo(max: number): PropertyDecorator {
  return Check('isIntegerUpTo', (value, property) => integerError(value, property, max));
}

export function integerError(value: unknown, property: string, max: number): FieldError | undefined {
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max) return undefined;
  return fieldError('not_an_integer', `The ${property} must be an integer from 1 to ${max}.`, {
    min: 1,
    max,
  });
}

/** Returns all errors in a body or a query, by dotted path (E1). */
export function fieldErrorsOf(
  errors: readonly ValidationError[],
  parent = '',
  found: FieldErrors = {},
): FieldErrors {
  for (const { property, value, target = {}, constraints = {}, contexts = {}, children = [] } of errors) {
    const path = parent + property;
    for (const [name, message] of Object.entries(constraints)) {
      const { find = withoutCode(message) } = (contexts[name] ?? {}) as Partial<Context>;
      for (const [within, error] of find(value, property, target) ?? [])
        found[within === '' ? path : `${path}.${within}`] = [error];
    }
    fieldErrorsOf(children, `${path}.`, found);
  }
  return found;
}

/** Fallback for a decorator without `withError`, so that the response is 422, not 500. A test forbids such decorators. */
const withoutCode = (message: string) => (): NestedErrors => [
  ['', fieldError('not_allowed', message, { allowed: [] })],
];
