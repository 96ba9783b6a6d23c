import { IsOptional, IsString } from 'class-validator';
import { ApiProperty } from '#swagger';
import { otherwise } from '../../http/bodies/otherwise.js';

export class RecordsQuery {
  @ApiProperty({ required: false, description: 'The records of this entity only.' })
  @IsOptional()
  @IsString(otherwise('not_a_string', 'The entity must be a string.'))
  entity?: string;
}
