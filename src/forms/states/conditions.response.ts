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
      'The conditions of the field that are met, in the order of the schema. Only with `explain=true`.',
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

/** The two shapes of the result, overall and by record. Written as schemas, because no class can describe them. */
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
      'The states of the fields in each record, by record id (as a string). Only with `scope=records`.',
    propertyNames: { pattern: '^[1-9][0-9]*$' },
    additionalProperties: { oneOf: [refTo('ConditionsMap'), refTo('ConditionsList')] },
  },
};

/** The response body, in either shape. */
export const CONDITIONS: Content = {
  schema: refTo('Conditions'),
  types: [FieldVisibilityResponse, FieldStateResponse],
};
