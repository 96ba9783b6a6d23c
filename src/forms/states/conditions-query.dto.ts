import { IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { CONDITIONS_SHAPES, type ConditionsShape } from '../../config/environment.js';
import { IsOneOf } from '../../http/bodies/checks.js';

const SCOPES = ['records'] as const;
const EXPLAIN = ['true', 'false'] as const;
const STEPS = ['true', 'false'] as const;

/** The query for the states of a form without values. Such a form has no records. */
export class FormConditionsQuery {
  @ApiProperty({
    enum: CONDITIONS_SHAPES,
    required: false,
    example: 'map',
    description:
      '`map`: an object by field id. `list`: an array in the order of the schema, with field codes. The default is ' +
      '`map`, unless the operator has set CONDITIONS_SHAPE.',
  })
  @IsOptional()
  @IsOneOf(CONDITIONS_SHAPES, 'The shape must be map or list.')
  shape?: ConditionsShape;

  @ApiProperty({
    enum: STEPS,
    required: false,
    default: 'false',
    description: '`true`: adds `steps` and `entities` beside `data`, with the states of steps and entities.',
  })
  @IsOptional()
  @IsOneOf(STEPS, 'The steps must be true or false.')
  steps?: (typeof STEPS)[number];
}

/** What can be asked about a submission. */
export class ConditionsQuery extends FormConditionsQuery {
  @ApiProperty({
    enum: SCOPES,
    required: false,
    description:
      '`records`: adds `records` beside `data`, with the states of the fields in each record, by record id. A condition ' +
      'between two fields of the same entity then looks only at the values of that record.',
  })
  @IsOptional()
  @IsOneOf(SCOPES, 'The scope must be records.')
  scope?: (typeof SCOPES)[number];

  @ApiProperty({
    enum: EXPLAIN,
    required: false,
    default: 'false',
    description:
      '`true`: each state lists the conditions of the field that are met, and the step and the entity that hide it. Use it ' +
      'while you build a form.',
  })
  @IsOptional()
  @IsOneOf(EXPLAIN, 'The explain must be true or false.')
  explain?: (typeof EXPLAIN)[number];
}

/** Whether a response to the query needs the records of the submission. */
export const needsRecords = ({ scope, steps }: ConditionsQuery): boolean =>
  scope === 'records' || steps === 'true';
