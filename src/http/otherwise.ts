import {
  ValidateBy,
  type ValidationArguments,
  type ValidationError,
  type ValidationOptions,
} from 'class-validator';
import type { MistakeCode } from './problem-codes.js';
import { type Mistake, mistake } from './problems.js';

// class-validator hands on a text and no more, unless it is given a `context`, which it would look up for what is right
// as well. So the text that it knows is the whole mistake.

/** For a decorator of class-validator: what is wrong where it does not hold. */
export function otherwise<Code extends MistakeCode>(
  ...wrong: Parameters<typeof mistake<Code>>
): ValidationOptions {
  return { message: JSON.stringify(mistake(...wrong)) };
}

/** A decorator of a property, whose value is right where `mistakeIn` finds none. */
export function Judged(
  name: string,
  mistakeIn: (value: unknown, property: string) => Mistake | undefined,
): PropertyDecorator {
  const find = (value: unknown, args: ValidationArguments | undefined) =>
    mistakeIn(value, args?.property ?? '');
  return ValidateBy({
    name,
    validator: {
      validate: (value, args) => find(value, args) === undefined,
      defaultMessage: (args) => JSON.stringify(find(args?.value, args)),
    },
  });
}

/** What is wrong with the property itself, rather than with what it holds; undefined: nothing. */
export function mistakesOf({ constraints }: ValidationError): Mistake[] | undefined {
  return constraints && Object.values(constraints).map((text) => JSON.parse(text) as Mistake);
}
