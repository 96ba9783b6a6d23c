import { IsArray, IsDefined, IsOptional, IsString, ValidateIf } from 'class-validator';
import { EntriesOf } from '../../http/entries-of.decorator.js';
import { IsId } from '../../http/is-id.decorator.js';
import { IsStorableValue } from './storable-value.validator.js';

const MAX_ENTRIES = 500;

export class ValueEntryDto {
  /** This or `field_code`; both where they name the same field (V1). */
  @ValidateIf((entry: ValueEntryDto) => entry.field_id !== undefined || entry.field_code === undefined)
  @IsId()
  @IsDefined({ message: 'The field_id is required where no field_code is given.' })
  field_id?: number;

  @ValidateIf((entry: ValueEntryDto) => entry.field_code !== undefined)
  @IsString({ message: 'The field_code must be a string.' })
  field_code?: string;

  @IsStorableValue()
  value!: string;

  @IsOptional()
  @IsId()
  entity_record_id?: number | null;
}

export class StoreValuesDto {
  @EntriesOf(ValueEntryDto, MAX_ENTRIES)
  @IsArray({ message: 'The values must be an array.' })
  @IsDefined({ message: 'The values are required.' })
  values!: ValueEntryDto[];
}
