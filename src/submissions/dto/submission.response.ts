import { ApiProperty } from '#swagger';
import { ComputedValueResponse } from '../../conditions/states/conditions.response.js';
import { FieldErrorResponse } from '../../http/errors/problem.response.js';
import { PER_PAGE, URL_OR_NULL } from '../../http/pagination.js';
import {
  FREE_OBJECT,
  ID_SCHEMA,
  POSITION_SCHEMA,
  RECORD_ID_SCHEMA,
  ResponseSchema,
  TIMESTAMP_SCHEMA,
  UUID_SCHEMA,
} from '../../http/openapi/openapi.schemas.js';
import { type Status, STATUSES } from '../entities/submission.js';
import { RecordResponse } from '../records/records.dto.js';
import { MAX_CHARACTERS } from './store-values.dto.js';

const CURRENT_STEP = {
  ...POSITION_SCHEMA,
  description: 'The position of its step in the form, from 1.',
} as const;

@ResponseSchema('Submission')
export class SubmissionResponse {
  @ApiProperty(UUID_SCHEMA) readonly uuid!: string;
  @ApiProperty(ID_SCHEMA) readonly form_id!: number;
  @ApiProperty({ enum: STATUSES }) readonly status!: Status;
  @ApiProperty(CURRENT_STEP) readonly current_step!: number;
  @ApiProperty(FREE_OBJECT) readonly meta!: Readonly<Record<string, unknown>> | null;
  @ApiProperty(TIMESTAMP_SCHEMA) readonly created_at!: string;
  @ApiProperty({ ...TIMESTAMP_SCHEMA, description: 'Increases with every write.' })
  readonly updated_at!: string;
}

@ResponseSchema('ShownSubmission')
export class ShownSubmissionResponse extends SubmissionResponse {
  @ApiProperty({ description: 'True for a test, which is deleted after a day.' })
  readonly is_test!: boolean;

  @ApiProperty({
    ...ID_SCHEMA,
    nullable: true,
    description: 'The version of the form when it was begun. Null if another program inserted it.',
  })
  readonly begun_version!: number | null;

  @ApiProperty({
    ...ID_SCHEMA,
    nullable: true,
    description:
      'The version of the form when it was completed. Null for a draft, and if another program completed it.',
  })
  readonly completed_version!: number | null;

  @ApiProperty({
    ...TIMESTAMP_SCHEMA,
    nullable: true,
    description: 'When answers that are personal data were first deleted. Null: never.',
  })
  readonly anonymized_at!: string | null;
}

@ResponseSchema('SubmissionValue')
export class SubmissionValueResponse {
  @ApiProperty(ID_SCHEMA) readonly field_id!: number;
  @ApiProperty() readonly field_code!: string;
  @ApiProperty({ maxLength: MAX_CHARACTERS }) readonly value!: string;
  @ApiProperty({ ...RECORD_ID_SCHEMA, nullable: true }) readonly entity_record_id!: number | null;
}

@ResponseSchema('SubmissionWithValues')
export class SubmissionWithValuesResponse extends ShownSubmissionResponse {
  @ApiProperty({ type: [SubmissionValueResponse] }) readonly values!: readonly SubmissionValueResponse[];
  @ApiProperty({
    type: [ComputedValueResponse],
    required: false,
    description: 'The results of computed fields, if the form has any. Fields without a result are left out.',
  })
  readonly computed?: readonly ComputedValueResponse[];
  @ApiProperty({ type: [RecordResponse] }) readonly records!: readonly RecordResponse[];
}

@ResponseSchema('StepProgress')
export class StepProgressResponse {
  @ApiProperty(UUID_SCHEMA) readonly uuid!: string;
  @ApiProperty(CURRENT_STEP) readonly current_step!: number;
  @ApiProperty({ enum: STATUSES }) readonly status!: Status;
  @ApiProperty() readonly is_last_step!: boolean;
  @ApiProperty({ type: 'integer', minimum: 0, maximum: 100 }) readonly progress_percentage!: number;
}

@ResponseSchema('Validation')
export class ValidationResponse {
  @ApiProperty() readonly valid!: boolean;

  @ApiProperty({
    type: 'object',
    description: 'By the code of the field, by code, dot and record id, or by the name of the entity.',
    additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
  })
  readonly errors!: Readonly<Record<string, readonly string[]>>;

  @ApiProperty({
    type: [FieldErrorResponse],
    required: false,
    description: 'Only for requests that accept `application/problem+json`.',
  })
  readonly mistakes?: readonly FieldErrorResponse[];
}

@ResponseSchema('FormName')
class FormNameResponse {
  @ApiProperty(UUID_SCHEMA) readonly uuid!: string;
  @ApiProperty() readonly name!: string;
  @ApiProperty() readonly slug!: string;
}

@ResponseSchema('ListedSubmission')
export class ListedSubmissionResponse extends ShownSubmissionResponse {
  @ApiProperty() readonly form!: FormNameResponse;
}

@ResponseSchema('CursorLinks')
class CursorLinks {
  @ApiProperty({ ...URL_OR_NULL, description: 'Null on the last page.' }) readonly next!: string | null;
}

@ResponseSchema('CursorMeta')
class CursorMeta {
  @ApiProperty(PER_PAGE) readonly per_page!: number;
}

@ResponseSchema('SubmissionPage')
export class SubmissionPageResponse {
  @ApiProperty({ type: [ListedSubmissionResponse] }) readonly data!: readonly ListedSubmissionResponse[];
  @ApiProperty() readonly links!: CursorLinks;
  @ApiProperty() readonly meta!: CursorMeta;
}
