import { IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { Check, IsOneOf } from '../../http/bodies/checks.js';
import { fieldError } from '../../http/errors/problems.js';
import { ConditionsQuery } from '../../conditions/states/conditions-query.dto.js';

const INCLUDES = ['conditions'] as const;
const VALIDATE = ['true', 'false'] as const;
const SKIP = ['hidden'] as const;

/** Includes conditions in a response (V13). The parameters of the conditions endpoint apply. */
export class IncludeQuery extends ConditionsQuery {
  @ApiProperty({
    enum: INCLUDES,
    required: false,
    description: 'Adds `conditions` beside `data`, with the response body of `GET …/conditions`.',
  })
  @IsOptional()
  @IsOneOf(INCLUDES, 'The parameter `include` must be conditions.')
  // An explanation may be too large, and must not make a request fail after its write.
  @Check('explainedElsewhere', (include, _, query) => {
    const { scope, explain } = query as IncludeQuery;
    return include === 'conditions' && scope === 'records' && explain === 'true'
      ? fieldError(
          'not_explained_here',
          'Only GET …/conditions explains the conditions of records: leave out explain=true or scope=records.',
        )
      : undefined;
  })
  include?: (typeof INCLUDES)[number];
}

export class RetreatQuery extends IncludeQuery {
  @ApiProperty({
    enum: SKIP,
    required: false,
    description: 'Moves to the nearest step with a visible field. The progress counts only such steps.',
  })
  @IsOptional()
  @IsOneOf(SKIP, 'The parameter `skip` must be hidden.')
  skip?: (typeof SKIP)[number];
}

export class AdvanceQuery extends RetreatQuery {
  @ApiProperty({
    enum: VALIDATE,
    required: false,
    default: 'false',
    description: 'Advances only if the current step passes the checks of strict completion.',
  })
  @IsOptional()
  @IsOneOf(VALIDATE, 'The parameter `validate` must be true or false.')
  validate?: (typeof VALIDATE)[number];
}
