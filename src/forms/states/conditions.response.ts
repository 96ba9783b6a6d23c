import { ApiProperty } from '#swagger';
import { type Content, ID, listOf, refTo, ResponseSchema } from '../../http/openapi/openapi.schemas.js';
import { type Action, ACTIONS, type Operator, OPERATORS } from '../../rules/index.js';

@ResponseSchema('MetCondition')
export class MetConditionResponse {
  @ApiProperty()
  readonly depends_on_field_code!: string;

  @ApiProperty({ enum: OPERATORS })
  readonly operator!: Operator;

  @ApiProperty()
  readonly value!: string;

  @ApiProperty({ enum: ACTIONS })
  readonly action!: Action;
}

abstract class Explained {
  @ApiProperty({
    type: [MetConditionResponse],
    required: false,
    description:
      'Only with `explain=true`: the conditions of the field that are met, in the order of the schema.',
  })
  readonly conditions_met?: readonly MetConditionResponse[];
}

@ResponseSchema('FieldVisibility')
export class FieldVisibilityResponse extends Explained {
  @ApiProperty()
  readonly visible!: boolean;

  @ApiProperty()
  readonly required!: boolean;
}

@ResponseSchema('FieldState')
export class FieldStateResponse extends Explained {
  @ApiProperty(ID)
  readonly field_id!: number;

  @ApiProperty()
  readonly field_code!: string;

  @ApiProperty()
  readonly is_visible!: boolean;

  @ApiProperty()
  readonly is_required!: boolean;
}

/** The two shapes of the result, which no class is: by field id, and a list; and by record either of them. */
export const CONDITIONS_SCHEMAS = {
  ConditionsMap: {
    type: 'object',
    description: 'The state of every field of the form, by field id (as a string).',
    propertyNames: { pattern: '^[1-9][0-9]*$' },
    additionalProperties: refTo(FieldVisibilityResponse),
  },
  ConditionsList: {
    ...listOf(FieldStateResponse).schema,
    description: 'The state of every field of the form, in the order of the schema.',
  },
  Conditions: {
    type: 'object',
    properties: {
      data: { oneOf: [refTo('ConditionsMap'), refTo('ConditionsList')] },
      records: refTo('ConditionsByRecord'),
    },
    required: ['data'],
    additionalProperties: false,
  },
  ConditionsByRecord: {
    type: 'object',
    description:
      'Only with `scope=records`: by record id (as a string) the states of the fields of its entity.',
    propertyNames: { pattern: '^[1-9][0-9]*$' },
    additionalProperties: { oneOf: [refTo('ConditionsMap'), refTo('ConditionsList')] },
  },
};

/** The body of the answer, in whichever shape is asked for. */
export const CONDITIONS: Content = {
  schema: refTo('Conditions'),
  types: [FieldVisibilityResponse, FieldStateResponse],
};
