import { IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { Check, IsOneOf } from '../../http/bodies/checks.js';
import { fieldError } from '../../http/errors/problems.js';
import { ConditionsQuery } from '../../forms/states/conditions-query.dto.js';

const INCLUDES = ['conditions'] as const;
const VALIDATE = ['true', 'false'] as const;

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
  @IsOneOf(INCLUDES, 'The include must be conditions.')
  // An explanation that turns out too large must not fail a write that is done.
  @Check('explainedElsewhere', (include, _, query) => {
    const { scope, explain } = query as IncludeQuery;
    return include === 'conditions' && scope === 'records' && explain === 'true'
      ? fieldError(
          'not_explained_here',
          'The conditions of records are explained by GET …/conditions only: leave out explain=true or scope=records.',
        )
      : undefined;
  })
  include?: (typeof INCLUDES)[number];
}

export class AdvanceQuery extends IncludeQuery {
  @ApiProperty({
    enum: VALIDATE,
    required: false,
    default: 'false',
    description:
      '`true`: goes on only if the values of the step that is left are as strict completion wants them.',
  })
  @IsOptional()
  @IsOneOf(VALIDATE, 'The validate must be true or false.')
  validate?: (typeof VALIDATE)[number];
}
