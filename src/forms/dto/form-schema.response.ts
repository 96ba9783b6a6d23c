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
      'What to render. Render one that you do not know as a plain text input. The two display components hold no value.',
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
    description: 'The options of a field come in this order, then by id.',
  })
  readonly order!: number;
}

@ResponseSchema('Condition')
export class ConditionResponse {
  @ApiProperty({ ...ID, description: 'The field whose stored value is tested.' })
  readonly depends_on_field_id!: number;

  @ApiProperty({ description: 'The code of the same field.' })
  readonly depends_on_field_code!: string;

  @ApiProperty({ enum: OPERATORS })
  readonly operator!: Operator;

  @ApiProperty({ description: 'What the stored value is compared with.' })
  readonly value!: string;

  @ApiProperty({ enum: ACTIONS })
  readonly action!: Action;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'The conditions of the field with the same action and group count as one, met where all of them are; null: alone.',
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
      'A decimal number (`min`, `max`), a number of characters (`min_length`, `max_length`), a regular expression in ' +
      'the syntax of RE2 for the whole value (`pattern`), or a date (`min_date`, `max_date`): YYYY-MM-DD, `today`, or ' +
      'days from it, as in `today+30d`. The `time_zone` of the form decides which day that is.',
    examples: ['18', '\\+[0-9 ]{6,20}', 'today+30d'],
  })
  readonly value!: string;

  @ApiProperty({
    ...TEXT_OR_NULL,
    description: 'What is said of a value that does not meet the rule; null: a sentence of the service.',
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
    description: 'Stable and unique in the form, snake_case.',
  })
  readonly code!: string;

  @ApiProperty()
  readonly label!: string;

  @ApiProperty(TEXT_OR_NULL)
  readonly placeholder!: string | null;

  @ApiProperty(TEXT_OR_NULL)
  readonly description!: string | null;

  @ApiProperty({
    description: 'The default. What holds for one submission is what its conditions resolve to.',
  })
  readonly is_required!: boolean;

  @ApiProperty({ description: 'Holds one value for each entity record, and one without a record.' })
  readonly is_repeatable!: boolean;

  @ApiProperty(TEXT_OR_NULL)
  readonly default_value!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: MAX_FILE_BYTES,
    description: 'What a file of the field may have at most; null: 25 MiB.',
  })
  readonly max_bytes!: number | null;

  @ApiProperty({
    ...TEXT_OR_NULL,
    maxLength: MAX_ACCEPT,
    description:
      'What a file of the field may be, as for the attribute `accept` of an HTML input: media types and extensions, ' +
      'separated by commas; null: anything.',
    examples: ['application/pdf, image/*, .docx'],
  })
  readonly accept!: string | null;

  @ApiProperty({ type: 'integer', description: 'The fields of a step come in this order, then by id.' })
  readonly order!: number;

  @ApiProperty()
  readonly field_type!: FieldTypeResponse;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'The name of its entity; null: none.' })
  readonly entity!: string | null;

  @ApiProperty({ type: [OptionResponse] })
  readonly options!: readonly OptionResponse[];

  @ApiProperty({ type: [ConditionResponse] })
  readonly conditions!: readonly ConditionResponse[];

  @ApiProperty({
    type: [FieldRuleResponse],
    description: 'What completion asks of a value, where the policy is strict. One of a kind, by kind.',
  })
  readonly rules!: readonly FieldRuleResponse[];
}

@ResponseSchema('Step')
export class StepResponse {
  @ApiProperty(ID)
  readonly id!: number;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'The steps come in this order.' })
  readonly step_number!: number;

  @ApiProperty({ maxLength: MAX_NAME })
  readonly title!: string;

  @ApiProperty({ description: 'May be empty.' })
  readonly description!: string;

  @ApiProperty({
    description: 'For you to act on: the service counts the step and takes its values either way.',
  })
  readonly is_visible!: boolean;

  @ApiProperty({ ...FREE_OBJECT, description: 'Free-form, for example the name of an icon.' })
  readonly meta!: Readonly<Record<string, unknown>> | null;

  @ApiProperty({ type: [FieldResponse] })
  readonly fields!: readonly FieldResponse[];
}

const RECORDS = { type: 'integer', nullable: true, maximum: MAX_RECORDS } as const;

@ResponseSchema('Entity')
export class EntityResponse {
  @ApiProperty({ minLength: 1, maxLength: MAX_NAME, description: 'Unique in the form.' })
  readonly name!: string;

  @ApiProperty()
  readonly label!: string;

  @ApiProperty({ description: 'Whether a submission can have several records of it.' })
  readonly is_repeatable!: boolean;

  @ApiProperty({
    ...RECORDS,
    minimum: 0,
    description:
      'Fewer cannot be completed strictly, unless all fields of the entity are hidden; null: none are needed.',
  })
  readonly min_records!: number | null;

  @ApiProperty({ ...RECORDS, minimum: 1, description: 'More are refused; null: no limit of its own.' })
  readonly max_records!: number | null;
}

@ResponseSchema('FormSchema')
export class FormSchemaResponse extends FormText {
  @ApiProperty({
    ...TEXT_OR_NULL,
    maxLength: MAX_NAME,
    description:
      'The time zone of `today` in rules for dates: a name of the IANA time zone database. Null: every date counts that ' +
      'it is somewhere on Earth at the moment.',
  })
  readonly time_zone!: string | null;

  @ApiProperty({ type: [StepResponse] })
  readonly steps!: readonly StepResponse[];

  @ApiProperty({
    type: [EntityResponse],
    description:
      'What fields can belong to, such as the receipts of a claim: a submission has records of them.',
  })
  readonly entities!: readonly EntityResponse[];
}
