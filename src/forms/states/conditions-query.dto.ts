import { IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { CONDITIONS_SHAPES, type ConditionsShape } from '../../config/environment.js';
import { IsOneOf } from '../../http/bodies/checks.js';

const SCOPES = ['records'] as const;
const EXPLAIN = ['true', 'false'] as const;

export class ConditionsQuery {
  @ApiProperty({
    enum: CONDITIONS_SHAPES,
    required: false,
    example: 'map',
    description:
      '`map`: an object by field id. `list`: an array in the order of the schema, with the codes. Without it you ' +
      'get the map, unless the operator has set CONDITIONS_SHAPE; send it to be sure.',
  })
  @IsOptional()
  @IsOneOf(CONDITIONS_SHAPES, 'The shape must be map or list.')
  shape?: ConditionsShape;

  @ApiProperty({
    enum: SCOPES,
    required: false,
    description:
      '`records`: adds `records` beside `data`, by record id the states of its fields, for which conditions between two ' +
      'fields of its entity look at the values of that record only.',
  })
  @IsOptional()
  @IsOneOf(SCOPES, 'The scope must be records.')
  scope?: (typeof SCOPES)[number];

  @ApiProperty({
    enum: EXPLAIN,
    required: false,
    default: 'false',
    description:
      '`true`: each state says which conditions of the field are met, for whoever builds the form.',
  })
  @IsOptional()
  @IsOneOf(EXPLAIN, 'The explain must be true or false.')
  explain?: (typeof EXPLAIN)[number];
}
