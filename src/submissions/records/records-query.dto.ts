import { IsOptional, IsString } from 'class-validator';
import { ApiProperty } from '#swagger';
import { withError } from '../../http/bodies/checks.js';

export class RecordsQuery {
  @ApiProperty({ required: false, description: 'The records of this entity only.' })
  @IsOptional()
  @IsString(withError('not_a_string', 'The entity must be a string.'))
  entity?: string;
}
