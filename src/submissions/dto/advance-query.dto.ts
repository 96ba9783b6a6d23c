import { IsIn, IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { withError } from '../../http/bodies/checks.js';
import { IncludeQuery } from './include-query.dto.js';

const VALIDATE = ['true', 'false'] as const;

export class AdvanceQuery extends IncludeQuery {
  @ApiProperty({
    enum: VALIDATE,
    required: false,
    default: 'false',
    description:
      '`true`: goes on only if the values of the step that is left are as strict completion wants them.',
  })
  @IsOptional()
  @IsIn(VALIDATE, withError('not_allowed', 'The validate must be true or false.', { allowed: VALIDATE }))
  validate?: (typeof VALIDATE)[number];
}
