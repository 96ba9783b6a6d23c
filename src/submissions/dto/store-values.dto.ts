import { IsArray, IsDefined } from 'class-validator';
import { ApiProperty, ApiSchema } from '#swagger';
import { ID, RECORD_ID, withKeywords } from '../../http/openapi/openapi.schemas.js';
import { EntriesOf, type EntryRules } from '../../http/bodies/entries-of.decorator.js';
import { integerMistake } from '../../http/bodies/is-id.decorator.js';
import { withError } from '../../http/bodies/checks.js';
import { mistake } from '../../http/errors/problems.js';
import { MAX_CHARACTERS, valueMistake } from './value-mistake.js';

const MAX_ENTRIES = 500;

@withKeywords('NewValue', {
  description: 'Name the field by its id or by its code; by both only where they are of the same field.',
  anyOf: [{ required: ['field_id'] }, { required: ['field_code'] }],
})
export class ValueEntryDto {
  /** This or `field_code`; both where they name the same field (V1). */
  @ApiProperty({ ...ID, required: false })
  field_id?: number;

  @ApiProperty({ required: false })
  field_code?: string;

  @ApiProperty({
    type: 'string',
    maxLength: MAX_CHARACTERS,
    description: 'Always a string. An empty one is stored and counts as no value.',
  })
  value!: string;

  @ApiProperty({
    ...RECORD_ID,
    required: false,
    nullable: true,
    description: 'An entity record of this submission. Leave it out, or send null, for none.',
  })
  entity_record_id?: number | null;
}

const ENTRY_RULES: EntryRules<ValueEntryDto> = {
  field_id: (id, { field_code }) => {
    if (id === undefined && field_code !== undefined) return undefined;
    return id === undefined || id === null
      ? mistake('required', 'The field_id is required where no field_code is given.')
      : integerMistake(id, 'field_id', ID.maximum);
  },
  field_code: (code) =>
    code === undefined || typeof code === 'string'
      ? undefined
      : mistake('not_a_string', 'The field_code must be a string.'),
  value: valueMistake,
  entity_record_id: (id) =>
    id === undefined || id === null ? undefined : integerMistake(id, 'entity_record_id', RECORD_ID.maximum),
};

@ApiSchema({ name: 'NewValues' })
export class StoreValuesDto {
  @EntriesOf(ValueEntryDto, MAX_ENTRIES, ENTRY_RULES)
  @IsArray(withError('not_an_array', 'The values must be an array.'))
  @IsDefined(withError('required', 'The values are required.'))
  values!: ValueEntryDto[];
}
