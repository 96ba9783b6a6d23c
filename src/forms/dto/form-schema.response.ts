import { ApiProperty } from '#swagger';
import { type Action, ACTIONS, type Operator, OPERATORS } from '../../rules/index.js';
import { FREE_OBJECT, ID, ResponseSchema, TEXT_OR_NULL } from '../../http/openapi/openapi.schemas.js';
import { RULE_KINDS, type RuleKind } from '../entities/field-rule.js';
import { COMPONENTS } from '../field-types.js';
import { MAX_ACCEPT, MAX_FILE_BYTES, MAX_NAME, MAX_RECORDS, MAX_RULE_VALUE } from '../limits.js';
import { FormText } from './form.response.js';

@ResponseSchema('FieldType')
export class FieldTypeResponse {
  @ApiProperty({ minLength: 1, maxLength: MAX_NAME })
  readonly name!: string;

  @ApiProperty({
    anyOf: [
      { type: 'string', enum: [...COMPONENTS] },
      { type: 'string', minLength: 1, maxLength: MAX_NAME },
    ],
    description:
      'The element to render. Render an unknown component as a plain text input. The two display components hold no value.',
    examples: ['text-input', 'select-input', 'heading-display'],
  })
  readonly component!: string;
}

@ResponseSchema('Option')
export class OptionResponse {
  @ApiProperty()
  readonly label!: string;

  @ApiProperty()
  readonly value!: string;

  @ApiProperty({
    type: 'integer',
    description: 'The options of a field are sorted by `order`, then by id.',
  })
  readonly order!: number;
}

@ResponseSchema('Condition')
export class ConditionResponse {
  @ApiProperty({
    ...ID,
    description:
      'The condition tests the stored value of this field. If the schema has no such field, the field is retired and the ' +
      'condition is never met.',
  })
  readonly depends_on_field_id!: number;

  @ApiProperty({ description: 'The code of the same field.' })
  readonly depends_on_field_code!: string;

  @ApiProperty({ enum: OPERATORS })
  readonly operator!: Operator;

  @ApiProperty({ description: 'The operator compares the stored value with this value.' })
  readonly value!: string;

  @ApiProperty({ enum: ACTIONS })
  readonly action!: Action;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Conditions of a field with the same action and group count as one condition, which is met if all of them are met. ' +
      'Null: the condition counts alone.',
  })
  readonly group!: number | null;
}

@ResponseSchema('FieldRule')
export class FieldRuleResponse {
  @ApiProperty({ enum: RULE_KINDS })
  readonly kind!: RuleKind;

  @ApiProperty({
    minLength: 1,
    maxLength: MAX_RULE_VALUE,
    description:
      'A decimal number (`min`, `max`), a number of characters (`min_length`, `max_length`), an RE2 regular expression ' +
      'that the whole value must match, without white space at its ends (`pattern`), or a date (`min_date`, `max_date`): YYYY-MM-DD, `today`, or a ' +
      'number of days from today, such as `today+30d`. The `time_zone` of the form decides which day is today.',
    examples: ['18', '\\+[0-9 ]{6,20}', 'today+30d'],
  })
  readonly value!: string;

  @ApiProperty({
    ...TEXT_OR_NULL,
    description: 'The error message of a value that breaks the rule. Null: a default message of the service.',
  })
  readonly message!: string | null;
}

@ResponseSchema('Field')
export class FieldResponse {
  @ApiProperty(ID)
  readonly id!: number;

  @ApiProperty({
    minLength: 1,
    maxLength: MAX_NAME,
    description: 'In snake_case, unique in the form. It does not change.',
  })
  readonly code!: string;

  @ApiProperty()
  readonly label!: string;

  @ApiProperty(TEXT_OR_NULL)
  readonly placeholder!: string | null;

  @ApiProperty(TEXT_OR_NULL)
  readonly description!: string | null;

  @ApiProperty({
    description:
      'The default. The conditions decide whether the field is required in a particular submission.',
  })
  readonly is_required!: boolean;

  @ApiProperty({
    description: 'If true, the field holds one value for each entity record, and one without a record.',
  })
  readonly is_repeatable!: boolean;

  @ApiProperty(TEXT_OR_NULL)
  readonly default_value!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: MAX_FILE_BYTES,
    description: 'The maximum size of a file in this field, in bytes. Null: 25 MiB.',
  })
  readonly max_bytes!: number | null;

  @ApiProperty({
    ...TEXT_OR_NULL,
    maxLength: MAX_ACCEPT,
    description:
      'The file types that the field accepts, in the format of the HTML attribute `accept`: media types and extensions, ' +
      'separated by commas. Null: any file.',
    examples: ['application/pdf, image/*, .docx'],
  })
  readonly accept!: string | null;

  @ApiProperty({
    ...FREE_OBJECT,
    description: 'Free-form, for example the `autocomplete` and `inputmode` of the input in HTML.',
  })
  readonly meta!: Readonly<Record<string, unknown>> | null;

  @ApiProperty({ type: 'integer', description: 'The fields of a step are sorted by `order`, then by id.' })
  readonly order!: number;

  @ApiProperty()
  readonly field_type!: FieldTypeResponse;

  @ApiProperty({
    ...TEXT_OR_NULL,
    description: 'The name of the entity that the field belongs to. Null: none.',
  })
  readonly entity!: string | null;

  @ApiProperty({ type: [OptionResponse] })
  readonly options!: readonly OptionResponse[];

  @ApiProperty({ type: [ConditionResponse] })
  readonly conditions!: readonly ConditionResponse[];

  @ApiProperty({
    type: [FieldRuleResponse],
    description:
      'Strict completion checks values against these rules. At most one of each kind, sorted by kind.',
  })
  readonly rules!: readonly FieldRuleResponse[];
}

@ResponseSchema('Step')
export class StepResponse {
  @ApiProperty(ID)
  readonly id!: number;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'The steps are sorted by `step_number`.' })
  readonly step_number!: number;

  @ApiProperty({ maxLength: MAX_NAME })
  readonly title!: string;

  @ApiProperty({ description: 'May be empty.' })
  readonly description!: string;

  @ApiProperty({
    description:
      'The setting of the administration panel, regardless of `conditions`. It hides no fields. Moves pass over an ' +
      'invisible step only with `skip=hidden`, and completion requires no value there.',
  })
  readonly is_visible!: boolean;

  @ApiProperty({ ...FREE_OBJECT, description: 'Free-form, for example the name of an icon.' })
  readonly meta!: Readonly<Record<string, unknown>> | null;

  @ApiProperty({ type: [FieldResponse] })
  readonly fields!: readonly FieldResponse[];

  @ApiProperty({
    type: [ConditionResponse],
    description: 'When the step is hidden, together with its fields. Their actions are `show` and `hide`.',
  })
  readonly conditions!: readonly ConditionResponse[];
}

const RECORDS = { type: 'integer', nullable: true, maximum: MAX_RECORDS } as const;

@ResponseSchema('Entity')
export class EntityResponse {
  @ApiProperty({ minLength: 1, maxLength: MAX_NAME, description: 'Unique in the form.' })
  readonly name!: string;

  @ApiProperty()
  readonly label!: string;

  @ApiProperty({ description: 'Whether a submission can have several records of the entity.' })
  readonly is_repeatable!: boolean;

  @ApiProperty({
    ...RECORDS,
    minimum: 0,
    description:
      'Strict completion rejects a submission with fewer records, unless the entity or all of its fields are hidden. ' +
      'Null: no minimum.',
  })
  readonly min_records!: number | null;

  @ApiProperty({
    ...RECORDS,
    minimum: 1,
    description: 'The service rejects further records. Null: the entity has no limit of its own.',
  })
  readonly max_records!: number | null;

  @ApiProperty({
    type: [ConditionResponse],
    description: 'When the entity is hidden, together with its fields. Their actions are `show` and `hide`.',
  })
  readonly conditions!: readonly ConditionResponse[];
}

@ResponseSchema('FormSchema')
export class FormSchemaResponse extends FormText {
  @ApiProperty({
    ...TEXT_OR_NULL,
    maxLength: MAX_NAME,
    description:
      'The time zone of `today` in rules for dates: a name of the IANA time zone database. Null: every date that is ' +
      'the current date somewhere on Earth counts as today.',
  })
  readonly time_zone!: string | null;

  @ApiProperty({ type: [StepResponse] })
  readonly steps!: readonly StepResponse[];

  @ApiProperty({
    type: [EntityResponse],
    description: 'Groups of fields, such as the receipt of a claim. A submission has records of them.',
  })
  readonly entities!: readonly EntityResponse[];
}
