import { IsDefined, IsOptional, IsString } from 'class-validator';
import { ApiProperty, ApiSchema } from '#swagger';
import { withError } from '../../http/bodies/checks.js';

@ApiSchema({ name: 'NewRecord' })
export class CreateRecordDto {
  /** Whether the form has it is asked later (R2). */
  @ApiProperty({ description: 'The name of an entity of the form.' })
  @IsString(withError('not_a_string', 'The entity must be a string.'))
  @IsDefined(withError('required', 'The entity is required.'))
  entity!: string;
}

export class RecordsQuery {
  @ApiProperty({ required: false, description: 'The records of this entity only.' })
  @IsOptional()
  @IsString(withError('not_a_string', 'The entity must be a string.'))
  entity?: string;
}
