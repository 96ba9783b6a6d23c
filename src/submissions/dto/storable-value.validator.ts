import { applyDecorators } from '@nestjs/common';
import { buildMessage, ValidateBy } from 'class-validator';
import { ApiProperty } from '#swagger';
import { countCharacters } from '../../forms/field-rules/rule-values.js';
import { unstorable } from '../../http/storable-text.js';

export const MAX_CHARACTERS = 65_535;

/** Whether a value is a string that can be stored (V4, V9, V10). */
export function IsStorableValue(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', maxLength: MAX_CHARACTERS }),
    ValidateBy({
      name: 'isStorableValue',
      validator: {
        validate: (value) => valueMistake(value) === undefined,
        defaultMessage: buildMessage((_each, args) => valueMistake(args?.value) ?? ''),
      },
    }),
  );
}

function valueMistake(value: unknown): string | undefined {
  if (value === undefined) return 'The value is required; an empty string stands for no value.';
  if (typeof value !== 'string') return 'The value must be a string.';
  const why = unstorable(value);
  if (why !== undefined) return `The value ${why}.`;
  // A string has at most as many code points as code units.
  return value.length > MAX_CHARACTERS && countCharacters(value) > MAX_CHARACTERS
    ? `The value must not be longer than ${MAX_CHARACTERS} characters.`
    : undefined;
}
