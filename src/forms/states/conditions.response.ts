import { ApiProperty } from '#swagger';
import {
  type Content,
  FORM_VERSION,
  ID,
  listOf,
  refTo,
  ResponseSchema,
} from '../../http/openapi/openapi.schemas.js';
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

@ResponseSchema('HiddenBy')
export class HiddenByResponse {
  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'The number of the step that hides the field.',
  })
  readonly step_number?: number;

  @ApiProperty({ required: false, description: 'The name of the entity that hides the field.' })
  readonly entity?: string;

  @ApiProperty({
    type: [MetConditionResponse],
    required: false,
    description:
      'The `hide` conditions that are met, or else the `show` conditions, none of which is met. Omitted if the ' +
      'response would become too long.',
  })
  readonly conditions?: readonly MetConditionResponse[];
}

abstract class Explained {
  @ApiProperty({
    type: [MetConditionResponse],
    required: false,
    description:
      'The conditions of the field that are met, in the order of the schema. Only with `explain=true`.',
  })
  readonly conditions_met?: readonly MetConditionResponse[];

  @ApiProperty({
    type: [HiddenByResponse],
    required: false,
    description:
      'The step and the entity whose conditions hide the field. Only with `explain=true`, and only if there is one.',
  })
  readonly hidden_by?: readonly HiddenByResponse[];
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

@ResponseSchema('StepState')
export class StepStateResponse {
  @ApiProperty({ type: 'integer', minimum: 1 })
  readonly step_number!: number;

  @ApiProperty({ description: 'False if `is_visible` of the step is false, or if its conditions hide it.' })
  readonly is_visible!: boolean;

  @ApiProperty({ description: 'Whether any field of the step is visible, in any record.' })
  readonly has_visible_fields!: boolean;
}

@ResponseSchema('EntityState')
export class EntityStateResponse {
  @ApiProperty()
  readonly name!: string;

  @ApiProperty({ description: 'False if its conditions hide it, or if all of its fields are hidden.' })
  readonly is_visible!: boolean;
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
      form_version: FORM_VERSION,
      records: refTo('ConditionsByRecord'),
      steps: {
        ...listOf(StepStateResponse).schema,
        description: 'The steps, in the order of the schema. Only with `steps=true`.',
      },
      entities: {
        ...listOf(EntityStateResponse).schema,
        description: 'The entities, in the order of the schema. Only with `steps=true`.',
      },
    },
    required: ['data', 'form_version'],
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
  types: [FieldVisibilityResponse, FieldStateResponse, StepStateResponse, EntityStateResponse],
};
