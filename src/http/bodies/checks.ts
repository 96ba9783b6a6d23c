import {
  ValidateBy,
  type ValidationArguments,
  type ValidationError,
  type ValidationOptions,
} from 'class-validator';
import type { MistakeCode } from '../errors/problem-codes.js';
import { type FieldErrors, type Mistake, mistake } from '../errors/problems.js';

/** What is wrong within a property: paths from there with their mistakes, '' for that of the property itself. */
export type MistakesWithin = readonly (readonly [path: string, mistake: Mistake])[];

// class-validator hands on a text and no more, unless it is given a `context`, which it would look up for what is right
// as well. So the text that it knows is all that is wrong.

/** For a decorator of class-validator: what is wrong where it does not hold. */
export function otherwise<Code extends MistakeCode>(
  ...wrong: Parameters<typeof mistake<Code>>
): ValidationOptions {
  return { message: JSON.stringify([['', mistake(...wrong)]]) };
}

/** A decorator of a property, whose value is right where `mistakeIn` finds none. It may look at the whole `object`. */
export function Check(
  name: string,
  mistakeIn: (value: unknown, property: string, object: object) => Mistake | undefined,
): PropertyDecorator {
  return CheckNested(name, (value, property, object) => {
    const wrong = mistakeIn(value, property, object);
    return wrong && [['', wrong]];
  });
}

/** The same for a property that holds others. */
export function CheckNested(
  name: string,
  mistakesIn: (value: unknown, property: string, object: object) => MistakesWithin | undefined,
): PropertyDecorator {
  const find = (value: unknown, args: ValidationArguments | undefined) =>
    mistakesIn(value, args?.property ?? '', args?.object ?? {});
  return ValidateBy({
    name,
    validator: {
      validate: (value, args) => find(value, args) === undefined,
      defaultMessage: (args) => JSON.stringify(find(args?.value, args)),
    },
  });
}

/** All mistakes that were found in a body or a query, by dotted path (E1). */
export function mistakesOf(
  errors: readonly ValidationError[],
  parent = '',
  found: FieldErrors = {},
): FieldErrors {
  for (const { property, constraints = {}, children = [] } of errors) {
    const path = parent + property;
    for (const text of Object.values(constraints))
      for (const [within, wrong] of JSON.parse(text) as MistakesWithin)
        found[within === '' ? path : `${path}.${within}`] = [wrong];
    mistakesOf(children, `${path}.`, found);
  }
  return found;
}
