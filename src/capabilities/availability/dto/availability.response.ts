import { ApiProperty } from '#swagger';
import { ID_SCHEMA, ResponseSchema, TIMESTAMP_SCHEMA } from '../../../http/openapi/openapi.schemas.js';

const PLACES = { type: 'integer', minimum: 0 } as const;

@ResponseSchema('OptionAvailability')
export class OptionAvailabilityResponse {
  @ApiProperty(ID_SCHEMA) readonly field_id!: number;
  @ApiProperty() readonly field_code!: string;
  @ApiProperty() readonly value!: string;
  @ApiProperty(PLACES) readonly places_left!: number;
}

@ResponseSchema('Availability')
export class AvailabilityResponse {
  @ApiProperty({
    description: 'Whether a submission can be begun now, as far as its times and `is_active` say.',
  })
  readonly is_open!: boolean;
  @ApiProperty({ ...TIMESTAMP_SCHEMA, nullable: true }) readonly opens_at!: string | null;
  @ApiProperty({ ...TIMESTAMP_SCHEMA, nullable: true }) readonly closes_at!: string | null;
  @ApiProperty({ ...PLACES, nullable: true, description: 'Null: any number.' })
  readonly places_left!: number | null;
  @ApiProperty({
    type: [OptionAvailabilityResponse],
    description: 'The options with places, in schema order.',
  })
  readonly options!: readonly OptionAvailabilityResponse[];
}
