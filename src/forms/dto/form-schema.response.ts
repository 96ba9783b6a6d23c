import { ApiExtraModels, ApiProperty } from '#swagger';
import {
  type Action,
  ACTIONS,
  type Formula,
  type Operator,
  OPERATORS,
} from '../../conditions/engine/index.js';
import {
  FREE_OBJECT,
  ID_SCHEMA,
  POSITION_SCHEMA,
  refTo,
  ResponseSchema,
  TEXT_OR_NULL,
} from '../../http/openapi/openapi.schemas.js';
import { RULE_KINDS, type RuleKind } from '../entities/rule-kinds.js';
import type { FieldExtension } from '../entities/field.js';
import type { OptionExtension } from '../entities/option.js';
import { COMPONENTS } from '../field-types.js';
import { MAX_NAME, MAX_OFFSET_DAYS, MAX_RECORDS, MAX_RULE_VALUE } from '../limits.js';
import type { FormExtension } from '../entities/form.js';
import { FormText } from './form.response.js';
import { FormulaConstantResponse, FormulaResponse } from './formula.response.js';

const NAME = { minLength: 1, maxLength: MAX_NAME } as const;

@ResponseSchema('FieldType')
export class FieldTypeResponse {
  @ApiProperty(NAME) readonly name!: string;

  @ApiProperty({
    anyOf: [
      { type: 'string', enum: [...COMPONENTS] },
      { type: 'string', ...NAME },
    ],
    description: 'The element to render. Render an unknown component as a plain text input.',
  })
  readonly component!: string;
}

@ResponseSchema('Option')
export class OptionResponse {
  @ApiProperty() readonly label!: string;
  @ApiProperty() readonly value!: string;
  @ApiProperty({ type: 'integer' }) readonly order!: number;
  @ApiProperty({ description: 'Whether no other choice can stand beside it.' })
  readonly is_exclusive!: boolean;
}

/** An option with the columns that only capabilities read. The capabilities describe them. */
export type ExtendedOption = OptionResponse & OptionExtension;

@ResponseSchema('Condition')
export class ConditionResponse {
  @ApiProperty(ID_SCHEMA) readonly depends_on_field_id!: number;
  @ApiProperty() readonly depends_on_field_code!: string;
  @ApiProperty({ enum: OPERATORS }) readonly operator!: Operator;
  @ApiProperty() readonly value!: string;

  @ApiProperty({
    ...TEXT_OR_NULL,
    description: 'The code of the field whose value it compares with, instead of `value`.',
  })
  readonly value_field_code!: string | null;

  @ApiProperty({ enum: ACTIONS }) readonly action!: Action;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Conditions with the same action and group count as one condition, met if all are met.',
  })
  readonly group!: number | null;
}

@ResponseSchema('FieldRule')
export class FieldRuleResponse {
  @ApiProperty({ enum: RULE_KINDS }) readonly kind!: RuleKind;

  @ApiProperty({
    ...{ type: 'string', nullable: true, minLength: 1, maxLength: MAX_RULE_VALUE },
    description:
      'A number, a number of characters, an RE2 regular expression, or a date, `today`, `today+30d` or `today-18y`. ' +
      'Null: it compares with another field.',
  })
  readonly value!: string | null;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'The code of the field that it compares with, or null.' })
  readonly other_field_code!: string | null;

  @ApiProperty({
    ...{ type: 'integer', nullable: true, minimum: -MAX_OFFSET_DAYS, maximum: MAX_OFFSET_DAYS },
    description: 'Days to add to the date of the other field. Null: none.',
  })
  readonly offset_days!: number | null;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'The error message. Null: the default.' })
  readonly message!: string | null;
}

@ApiExtraModels(FormulaResponse, FormulaConstantResponse)
@ResponseSchema('Field')
export class FieldResponse {
  @ApiProperty(ID_SCHEMA) readonly id!: number;
  @ApiProperty({
    ...NAME,
    description: 'Unique in the form. It changes only if the administration panel renames it.',
  })
  readonly code!: string;
  @ApiProperty() readonly label!: string;
  @ApiProperty(TEXT_OR_NULL) readonly placeholder!: string | null;
  @ApiProperty(TEXT_OR_NULL) readonly description!: string | null;
  @ApiProperty({ description: 'The default. The conditions decide.' }) readonly is_required!: boolean;
  @ApiProperty({ description: 'Whether it holds a value for each record.' }) readonly is_repeatable!: boolean;
  @ApiProperty(TEXT_OR_NULL) readonly default_value!: string | null;

  @ApiProperty({
    oneOf: [refTo('Formula'), { type: 'null' }],
    description: 'The formula that computes the value. Null: people fill in the field.',
  })
  readonly computed!: Formula | null;

  @ApiProperty(FREE_OBJECT) readonly meta!: Readonly<Record<string, unknown>> | null;
  @ApiProperty({ type: 'integer' }) readonly order!: number;
  @ApiProperty() readonly field_type!: FieldTypeResponse;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'The name of its entity.' }) readonly entity!: string | null;
  @ApiProperty({ type: [OptionResponse] }) readonly options!: readonly ExtendedOption[];
  @ApiProperty({ type: [ConditionResponse] }) readonly conditions!: readonly ConditionResponse[];
  @ApiProperty({ type: [FieldRuleResponse] }) readonly rules!: readonly FieldRuleResponse[];
}

/** A field with the columns that only capabilities read. The capabilities describe them. */
export type ExtendedField = FieldResponse & FieldExtension;

@ResponseSchema('Step')
export class StepResponse {
  @ApiProperty(ID_SCHEMA) readonly id!: number;
  @ApiProperty(POSITION_SCHEMA) readonly step_number!: number;
  @ApiProperty({ maxLength: MAX_NAME }) readonly title!: string;
  @ApiProperty() readonly description!: string;
  @ApiProperty({ description: 'A setting. It hides no fields.' }) readonly is_visible!: boolean;
  @ApiProperty(FREE_OBJECT) readonly meta!: Readonly<Record<string, unknown>> | null;
  @ApiProperty({ type: [FieldResponse] }) readonly fields!: readonly ExtendedField[];
  @ApiProperty({ type: [ConditionResponse] }) readonly conditions!: readonly ConditionResponse[];
}

const RECORDS = { type: 'integer', nullable: true, maximum: MAX_RECORDS } as const;

@ResponseSchema('Entity')
export class EntityResponse {
  @ApiProperty(NAME) readonly name!: string;
  @ApiProperty() readonly label!: string;
  @ApiProperty() readonly is_repeatable!: boolean;
  @ApiProperty({ ...RECORDS, minimum: 0 }) readonly min_records!: number | null;
  @ApiProperty({ ...RECORDS, minimum: 1 }) readonly max_records!: number | null;
  @ApiProperty({ type: [ConditionResponse] }) readonly conditions!: readonly ConditionResponse[];
}

@ResponseSchema('FormSchema')
export class FormSchemaResponse extends FormText {
  @ApiProperty({ ...TEXT_OR_NULL, maxLength: MAX_NAME, description: 'An IANA name, for `today` in rules.' })
  readonly time_zone!: string | null;

  @ApiProperty({ type: [StepResponse] }) readonly steps!: readonly StepResponse[];
  @ApiProperty({ type: [EntityResponse] }) readonly entities!: readonly EntityResponse[];
}

/** A schema with the columns of the form that only capabilities read. */
export type ExtendedSchema = FormSchemaResponse & FormExtension;
