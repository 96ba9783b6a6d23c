import { IsIn, IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';

const VALIDATE = ['true', 'false'] as const;

export class AdvanceQuery {
  @ApiProperty({
    enum: VALIDATE,
    required: false,
    default: 'false',
    description:
      '`true`: goes on only if the values of the step that is left are as strict completion wants them.',
  })
  @IsOptional()
  @IsIn(VALIDATE, { message: 'The validate must be true or false.' })
  validate?: (typeof VALIDATE)[number];
}
