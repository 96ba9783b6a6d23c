import { IsIn, IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { ConditionsQuery } from '../../conditions/conditions-query.dto.js';

const INCLUDES = ['conditions'] as const;

/** What else to respond with (V13); the parameters of conditions mean what they mean there. */
export class IncludeQuery extends ConditionsQuery {
  @ApiProperty({
    enum: INCLUDES,
    required: false,
    description:
      '`conditions`: adds `conditions` beside `data`, the body that reading the conditions would give right after. ' +
      'The other parameters are those of reading conditions, and mean nothing without this one.',
  })
  @IsOptional()
  @IsIn(INCLUDES, { message: 'The include must be conditions.' })
  include?: (typeof INCLUDES)[number];
}
