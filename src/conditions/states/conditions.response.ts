import type { Type } from '@nestjs/common';
import { ApiProperty } from '#swagger';
import {
  type Content,
  FORM_VERSION_SCHEMA,
  ID_SCHEMA,
  POSITION_SCHEMA,
  RECORD_ID_SCHEMA,
  refTo,
  ResponseSchema,
} from '../../http/openapi/openapi.schemas.js';
import { type Action, ACTIONS, type Operator, OPERATORS } from '../engine/index.js';

@ResponseSchema('MetCondition')
export class MetConditionResponse {
  @ApiProperty() readonly depends_on_field_code!: string;
  @ApiProperty({ enum: OPERATORS }) readonly operator!: Operator;
  @ApiProperty() readonly value!: string;

  @ApiProperty({
    required: false,
    description: 'The field whose answer replaces `value`, if the condition compares two answers.',
  })
  readonly value_field_code?: string;

  @ApiProperty({ enum: ACTIONS }) readonly action!: Action;
}

@ResponseSchema('HiddenBy')
class HiddenByResponse {
  @ApiProperty({ type: 'integer', required: false }) readonly step_number?: number;
  @ApiProperty({ required: false }) readonly entity?: string;

  @ApiProperty({
    type: [MetConditionResponse],
    required: false,
    description: 'The `hide` conditions that are met, or else the `show` conditions, none of which is met.',
  })
  readonly conditions?: readonly MetConditionResponse[];
}

@ResponseSchema('ComputedOperand')
export class ComputedOperandResponse {
  @ApiProperty() readonly field_code!: string;
  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    description: 'The answers, without blank ones. Several if the field is repeatable.',
  })
  readonly values!: readonly string[];
}

@ResponseSchema('ComputedValue')
export class ComputedValueResponse {
  @ApiProperty(ID_SCHEMA) readonly field_id!: number;
  @ApiProperty() readonly field_code!: string;
  @ApiProperty({ ...RECORD_ID_SCHEMA, nullable: true }) readonly entity_record_id!: number | null;
  @ApiProperty() readonly value!: string;

  @ApiProperty({
    type: [ComputedOperandResponse],
    required: false,
    description: 'Only with `explain=true`. Left out if all explanations together are too long.',
  })
  readonly operands?: readonly ComputedOperandResponse[];
}

abstract class ExplainedResponse {
  @ApiProperty({ type: [MetConditionResponse], required: false, description: 'Only with `explain=true`.' })
  readonly conditions_met?: readonly MetConditionResponse[];

  @ApiProperty({ type: [HiddenByResponse], required: false, description: 'Only with `explain=true`.' })
  readonly hidden_by?: readonly HiddenByResponse[];
}

@ResponseSchema('FieldVisibility')
class FieldVisibilityResponse extends ExplainedResponse {
  @ApiProperty() readonly visible!: boolean;
  @ApiProperty() readonly required!: boolean;
}

@ResponseSchema('FieldState')
class FieldStateResponse extends ExplainedResponse {
  @ApiProperty(ID_SCHEMA) readonly field_id!: number;
  @ApiProperty() readonly field_code!: string;
  @ApiProperty() readonly is_visible!: boolean;
  @ApiProperty() readonly is_required!: boolean;
}

@ResponseSchema('StepState')
class StepStateResponse {
  @ApiProperty(POSITION_SCHEMA) readonly step_number!: number;
  @ApiProperty() readonly is_visible!: boolean;
  @ApiProperty({ description: 'Whether any field of the step is visible, in any record.' })
  readonly has_visible_fields!: boolean;
}

@ResponseSchema('EntityState')
class EntityStateResponse {
  @ApiProperty() readonly name!: string;
  @ApiProperty({ description: 'False also if all of its fields are hidden.' }) readonly is_visible!: boolean;
}

const byId = (additionalProperties: object) => ({
  type: 'object',
  propertyNames: { pattern: '^[1-9][0-9]*$' },
  additionalProperties,
});
const list = (type: Type, description: string) => ({ type: 'array', items: refTo(type), description });
const EITHER = { oneOf: [refTo('ConditionsMap'), refTo('ConditionsList')] };

/** The two shapes of the result, overall and by record. Written as schemas, because no class can describe them. */
export const CONDITIONS_SCHEMAS = {
  ConditionsMap: { ...byId(refTo(FieldVisibilityResponse)), description: 'The state of every field, by id.' },
  ConditionsList: list(FieldStateResponse, 'The state of every field, in the order of the schema.'),
  ConditionsByRecord: { ...byId(EITHER), description: 'By record id. Only with `scope=records`.' },
  Conditions: {
    type: 'object',
    properties: {
      data: EITHER,
      form_version: FORM_VERSION_SCHEMA,
      records: refTo('ConditionsByRecord'),
      steps: list(StepStateResponse, 'Only with `steps=true`.'),
      entities: list(EntityStateResponse, 'Only with `steps=true`.'),
      computed: list(
        ComputedValueResponse,
        'Only with `computed=true`. Fields without a result are left out.',
      ),
    },
    required: ['data', 'form_version'],
    additionalProperties: false,
  },
};

export const CONDITIONS: Content = {
  schema: refTo('Conditions'),
  types: [
    FieldVisibilityResponse,
    FieldStateResponse,
    StepStateResponse,
    EntityStateResponse,
    ComputedValueResponse,
  ],
  example: {
    data: {
      3: { visible: true, required: true },
      5: { visible: true, required: false },
      6: { visible: false, required: false },
    },
    form_version: 3,
  },
};
