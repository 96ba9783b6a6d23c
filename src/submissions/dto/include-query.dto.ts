import { IsIn, IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { otherwise } from '../../http/otherwise.js';
import { ConditionsQuery } from '../../conditions/conditions-query.dto.js';

const INCLUDES = ['conditions'] as const;

/** What else to respond with (V13); the parameters of conditions mean what they mean there. */
export class IncludeQuery extends ConditionsQuery {
  @ApiProperty({
    enum: INCLUDES,
    required: false,
    description:
      '`conditions`: adds `conditions` beside `data`, the body that reading the conditions would give right after. ' +
      'They are read after a write: 404 if the draft is deleted in between, with the write carried out. ' +
      'The other parameters are those of reading conditions, and mean nothing without this one.',
  })
  @IsOptional()
  @IsIn(INCLUDES, otherwise('not_allowed', 'The include must be conditions.', { allowed: INCLUDES }))
  include?: (typeof INCLUDES)[number];
}
