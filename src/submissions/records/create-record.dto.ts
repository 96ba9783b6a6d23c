import { IsDefined, IsString } from 'class-validator';
import { ApiProperty, ApiSchema } from '#swagger';

@ApiSchema({ name: 'NewRecord' })
export class CreateRecordDto {
  /** Whether the form has it is asked later (R2). */
  @ApiProperty({ description: 'The name of an entity of the form.' })
  @IsString({ message: 'The entity must be a string.' })
  @IsDefined({ message: 'The entity is required.' })
  entity!: string;
}
