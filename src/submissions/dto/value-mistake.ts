import { countCharacters } from '../../forms/field-rules/rule-values.js';
import { type Mistake, mistake } from '../../http/errors/problems.js';
import { unstorable } from '../../http/bodies/storable-text.js';

export const MAX_CHARACTERS = 65_535;

/** What keeps a value from being stored (V4, V9, V10); undefined: nothing. */
export function valueMistake(value: unknown): Mistake | undefined {
  if (value === undefined) {
    return mistake('required', 'The value is required; an empty string stands for no value.');
  }
  if (typeof value !== 'string') return mistake('not_a_string', 'The value must be a string.');
  const found = unstorable(value);
  if (found !== undefined) {
    return mistake(found.code, `The value ${found.why}.`);
  }
  // A string has at most as many code points as code units.
  return value.length > MAX_CHARACTERS && countCharacters(value) > MAX_CHARACTERS ? tooLong() : undefined;
}

const tooLong = () =>
  mistake('too_long', `The value must not be longer than ${MAX_CHARACTERS} characters.`, {
    max: MAX_CHARACTERS,
  });
