import { IsArray, IsDefined } from 'class-validator';
import { ApiProperty, ApiSchema } from '#swagger';
import { countCharacters } from '../../forms/field-rules/rule-values.js';
import { ID_SCHEMA, RECORD_ID_SCHEMA, withKeywords } from '../../http/openapi/openapi.schemas.js';
import { EntriesOf, type EntryChecks } from '../../http/bodies/entries-of.decorator.js';
import { integerError, withError } from '../../http/bodies/checks.js';
import { unstorableReason } from '../../http/bodies/storable-text.js';
import { type FieldError, fieldError } from '../../http/errors/problems.js';

const MAX_ENTRIES = 500;
export const MAX_CHARACTERS = 65_535;

@withKeywords('NewValue', {
  anyOf: [{ required: ['field_id'] }, { required: ['field_code'] }],
})
export class ValueEntryDto {
  /** An entry has `field_id` or `field_code`, or both if they name the same field (V1). */
  @ApiProperty({ ...ID_SCHEMA, required: false })
  field_id?: number;

  @ApiProperty({ required: false })
  field_code?: string;

  @ApiProperty({ maxLength: MAX_CHARACTERS, description: 'An empty string counts as no value.' })
  value!: string;

  @ApiProperty({ ...RECORD_ID_SCHEMA, required: false, nullable: true })
  entity_record_id?: number | null;
}

const ENTRY_CHECKS: EntryChecks<ValueEntryDto> = {
  field_id: (id, { field_code }) => {
    if (id === undefined && field_code !== undefined) return undefined;
    return id === undefined || id === null
      ? fieldError('required', 'The field_id is required if no field_code is given.')
      : integerError(id, 'field_id', ID_SCHEMA.maximum);
  },
  field_code: (code) =>
    code === undefined || typeof code === 'string'
      ? undefined
      : fieldError('not_a_string', 'The field_code must be a string.'),
  value: valueError,
  entity_record_id: (id) =>
    id === undefined || id === null
      ? undefined
      : integerError(id, 'entity_record_id', RECORD_ID_SCHEMA.maximum),
};

@ApiSchema({ name: 'NewValues' })
export class StoreValuesDto {
  @EntriesOf(ValueEntryDto, MAX_ENTRIES, ENTRY_CHECKS)
  @IsArray(withError('not_an_array', 'The values must be an array.'))
  @IsDefined(withError('required', 'The body needs an array `values`.'))
  values!: ValueEntryDto[];
}

/** Returns the error of a value that cannot be stored (V4, V9, V10). */
function valueError(value: unknown): FieldError | undefined {
  if (value === undefined) {
    return fieldError('required', 'The value is required; an empty string stands for no value.');
  }
  if (typeof value !== 'string') return fieldError('not_a_string', 'The value must be a string.');
  const found = unstorableReason(value);
  if (found !== undefined) {
    return fieldError(found.code, `The value ${found.why}.`);
  }
  // Count only if necessary: a string has at most as many code points as code units.
  return value.length > MAX_CHARACTERS && countCharacters(value) > MAX_CHARACTERS
    ? tooLongError()
    : undefined;
}

const tooLongError = () =>
  fieldError('too_long', `The value must not be longer than ${MAX_CHARACTERS} characters.`, {
    max: MAX_CHARACTERS,
  });
