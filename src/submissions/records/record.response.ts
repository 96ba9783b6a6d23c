import { ApiProperty } from '#swagger';
import { ID, ResponseSchema, TIMESTAMP } from '../../docs/openapi.schemas.js';

@ResponseSchema('Record')
export class RecordResponse {
  @ApiProperty(ID)
  readonly id!: number;

  @ApiProperty({ description: 'The name of its entity.' })
  readonly entity!: string;

  @ApiProperty(TIMESTAMP)
  readonly created_at!: string;
}
