import { Expose, Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';

/** The names of the environment variables, by property of a class of settings. */
export const VARIABLES = new Map<string, string>();

/** Reads a property from an environment variable. `valueOf` converts the text to the value. */
export function Variable(name: string, valueOf: (text: string) => unknown = String): PropertyDecorator {
  return (target, property) => {
    VARIABLES.set(String(property), name);
    Expose()(target, property);
    Transform(({ value }: { value: string }) => valueOf(value))(target, property);
  };
}

/**
 * Validates the text of a variable. `expected` completes the sentence "X must be …". The message quotes the text,
 * unless `secret` is true because the text may contain a password.
 */
export function MustBe(
  expected: string,
  isValid: (text: string) => boolean,
  { secret = false } = {},
): PropertyDecorator {
  return ValidateBy({
    name: 'mustBe',
    validator: {
      validate: (text: string) => isValid(text),
      defaultMessage: ({ property, value }: ValidationArguments) =>
        `${VARIABLES.get(property)} must be ${expected}${secret ? '' : `, but is "${value}"`}.`,
    },
  });
}

/** Validates the text of a variable. `errorsOf` returns the ends of sentences, which begin with the name of the variable. */
export function HasNone(errorsOf: (text: string) => readonly string[]): PropertyDecorator {
  return ValidateBy({
    name: 'hasNone',
    validator: {
      validate: (text: string) => errorsOf(text).length === 0,
      defaultMessage: ({ property, value }: ValidationArguments) =>
        errorsOf(value as string)
          .map((error) => `${VARIABLES.get(property)}${error}`)
          .join('\n'),
    },
  });
}

export function WholeNumber(min: number, max: number): PropertyDecorator {
  return MustBe(
    `a whole number from ${min} to ${max}`,
    (text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max,
  );
}

export function OneOf(choices: readonly string[]): PropertyDecorator {
  return MustBe(`one of ${choices.join(', ')}`, (text) => choices.includes(text));
}

export function ListOf(expected: string, isValid: (entry: string) => boolean): PropertyDecorator {
  return MustBe(`${expected}, separated by commas`, (text) => entriesOf(text).every(isValid));
}

export function entriesOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
