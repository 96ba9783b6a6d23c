import { IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { CONDITIONS_SHAPES, type ConditionsShape } from '../../config/environment.js';
import { IsOneOf } from '../../http/bodies/checks.js';

const SCOPES = ['records'] as const;
const SWITCH = ['true', 'false'] as const;
const SWITCHED_OFF = { enum: SWITCH, required: false, default: 'false' } as const;

/** The query for the states of a form without values. Such a form has no records. */
export class FormConditionsQuery {
  @ApiProperty({
    enum: CONDITIONS_SHAPES,
    required: false,
    description: '`map`: an object by field id. `list`: an array. The operator sets the default.',
  })
  @IsOptional()
  @IsOneOf(CONDITIONS_SHAPES, 'The parameter `shape` must be map or list.')
  shape?: ConditionsShape;

  @ApiProperty({ ...SWITCHED_OFF, description: 'Adds `steps` and `entities` beside `data`.' })
  @IsOptional()
  @IsOneOf(SWITCH, 'The parameter `steps` must be true or false.')
  steps?: (typeof SWITCH)[number];

  @ApiProperty({ ...SWITCHED_OFF, description: 'Adds `computed` beside `data`, with all computed values.' })
  @IsOptional()
  @IsOneOf(SWITCH, 'The parameter `computed` must be true or false.')
  computed?: (typeof SWITCH)[number];
}

export class ConditionsQuery extends FormConditionsQuery {
  @ApiProperty({
    enum: SCOPES,
    required: false,
    description: 'Adds `records` beside `data`, with the states of the fields in each record.',
  })
  @IsOptional()
  @IsOneOf(SCOPES, 'The parameter `scope` must be records.')
  scope?: (typeof SCOPES)[number];

  @ApiProperty({ ...SWITCHED_OFF, description: 'Adds to each state the conditions that explain it.' })
  @IsOptional()
  @IsOneOf(SWITCH, 'The parameter `explain` must be true or false.')
  explain?: (typeof SWITCH)[number];
}

export const needsRecords = ({ scope, steps }: ConditionsQuery): boolean =>
  scope === 'records' || steps === 'true';
