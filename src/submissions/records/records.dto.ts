import { IsDefined, IsString } from 'class-validator';
import { ApiProperty, ApiSchema } from '#swagger';
import { otherwise } from '../../http/bodies/otherwise.js';

@ApiSchema({ name: 'NewRecord' })
export class CreateRecordDto {
  /** Whether the form has it is asked later (R2). */
  @ApiProperty({ description: 'The name of an entity of the form.' })
  @IsString(otherwise('not_a_string', 'The entity must be a string.'))
  @IsDefined(otherwise('required', 'The entity is required.'))
  entity!: string;
}
