import { IsArray, IsDefined, IsInt, IsOptional, IsString, Max, Min, ValidateIf } from 'class-validator';
import { EntriesOf } from '../../http/entries-of.decorator.js';
import { IsStorableValue } from './storable-value.validator.js';

const MAX_ENTRIES = 500;
const MAX_INTEGER = 2_147_483_647;

const notAnId = (name: string) => `The ${name} must be an integer from 1 to ${MAX_INTEGER}.`;

export class ValueEntryDto {
  /** This or `field_code`; both where they name the same field (V1). */
  @ValidateIf((entry: ValueEntryDto) => entry.field_id !== undefined || entry.field_code === undefined)
  @Min(1, { message: notAnId('field_id') })
  @Max(MAX_INTEGER, { message: notAnId('field_id') })
  @IsInt({ message: notAnId('field_id') })
  @IsDefined({ message: 'The field_id is required where no field_code is given.' })
  field_id?: number;

  @ValidateIf((entry: ValueEntryDto) => entry.field_code !== undefined)
  @IsString({ message: 'The field_code must be a string.' })
  field_code?: string;

  @IsStorableValue()
  value!: string;

  @IsOptional()
  @Min(1, { message: notAnId('entity_record_id') })
  @Max(MAX_INTEGER, { message: notAnId('entity_record_id') })
  @IsInt({ message: notAnId('entity_record_id') })
  entity_record_id?: number | null;
}

export class StoreValuesDto {
  @EntriesOf(ValueEntryDto, MAX_ENTRIES)
  @IsArray({ message: 'The values must be an array.' })
  @IsDefined({ message: 'The values are required.' })
  values!: ValueEntryDto[];
}
