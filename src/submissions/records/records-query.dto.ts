import { IsOptional, IsString } from 'class-validator';
import { ApiProperty } from '#swagger';

export class RecordsQuery {
  @ApiProperty({ required: false, description: 'The records of this entity only.' })
  @IsOptional()
  @IsString({ message: 'The entity must be a string.' })
  entity?: string;
}
