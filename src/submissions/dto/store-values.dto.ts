import { IsArray, IsDefined, IsOptional, IsString, ValidateIf } from 'class-validator';
import { ApiProperty, ApiSchema } from '#swagger';
import { withKeywords } from '../../docs/openapi.schemas.js';
import { EntriesOf } from '../../http/entries-of.decorator.js';
import { IsId, IsRecordId } from '../../http/is-id.decorator.js';
import { otherwise } from '../../http/otherwise.js';
import { IsStorableValue } from './storable-value.validator.js';

const MAX_ENTRIES = 500;

@withKeywords('NewValue', {
  description: 'Name the field by its id or by its code; by both only where they are of the same field.',
  anyOf: [{ required: ['field_id'] }, { required: ['field_code'] }],
})
export class ValueEntryDto {
  /** This or `field_code`; both where they name the same field (V1). */
  @ApiProperty({ required: false })
  @ValidateIf((entry: ValueEntryDto) => entry.field_id !== undefined || entry.field_code === undefined)
  @IsId()
  @IsDefined(otherwise('required', 'The field_id is required where no field_code is given.'))
  field_id?: number;

  @ApiProperty({ required: false })
  @ValidateIf((entry: ValueEntryDto) => entry.field_code !== undefined)
  @IsString(otherwise('not_a_string', 'The field_code must be a string.'))
  field_code?: string;

  @ApiProperty({ description: 'Always a string. An empty one is stored and counts as no value.' })
  @IsStorableValue()
  value!: string;

  @ApiProperty({
    required: false,
    nullable: true,
    description: 'An entity record of this submission. Leave it out, or send null, for none.',
  })
  @IsOptional()
  @IsRecordId()
  entity_record_id?: number | null;
}

@ApiSchema({ name: 'NewValues' })
export class StoreValuesDto {
  @EntriesOf(ValueEntryDto, MAX_ENTRIES)
  @IsArray(otherwise('not_an_array', 'The values must be an array.'))
  @IsDefined(otherwise('required', 'The values are required.'))
  values!: ValueEntryDto[];
}
