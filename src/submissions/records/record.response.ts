import { ApiProperty } from '#swagger';
import { RECORD_ID, ResponseSchema, TIMESTAMP } from '../../http/openapi/openapi.schemas.js';

@ResponseSchema('Record')
export class RecordResponse {
  @ApiProperty(RECORD_ID)
  readonly id!: number;

  @ApiProperty({ description: 'The name of its entity.' })
  readonly entity!: string;

  @ApiProperty(TIMESTAMP)
  readonly created_at!: string;
}
