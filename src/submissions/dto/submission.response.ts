import { ApiProperty } from '#swagger';
import { FieldErrorResponse } from '../../http/errors/problem.response.js';
import { PER_PAGE, URL_OR_NULL } from '../../http/pagination.js';
import {
  FREE_OBJECT,
  ID,
  RECORD_ID,
  ResponseSchema,
  TIMESTAMP,
  UUID,
} from '../../http/openapi/openapi.schemas.js';
import { type Status, STATUSES } from '../entities/submission.js';
import { RecordResponse } from '../records/records.dto.js';
import { MAX_CHARACTERS } from './store-values.dto.js';

const CURRENT_STEP = {
  type: 'integer',
  minimum: 1,
  description:
    'The position of its step among the steps of the form, from 1. It changes when the steps of the form are added, ' +
    'deleted or reordered, because a submission stays on its step.',
} as const;

@ResponseSchema('Submission')
export class SubmissionResponse {
  @ApiProperty(UUID)
  readonly uuid!: string;

  @ApiProperty(ID)
  readonly form_id!: number;

  @ApiProperty({ enum: STATUSES })
  readonly status!: Status;

  @ApiProperty(CURRENT_STEP)
  readonly current_step!: number;

  @ApiProperty({
    ...FREE_OBJECT,
    description:
      'Any object that you store with the submission, at most 16 KiB as JSON. Null until you store one.',
  })
  readonly meta!: Readonly<Record<string, unknown>> | null;

  @ApiProperty(TIMESTAMP)
  readonly created_at!: string;

  @ApiProperty({
    ...TIMESTAMP,
    description: 'Increases with every write, including stored values.',
  })
  readonly updated_at!: string;
}

@ResponseSchema('ShownSubmission')
export class ShownSubmissionResponse extends SubmissionResponse {
  @ApiProperty({
    description:
      'True if you began it with the token of a preview. Then no export or webhook has it, and it is deleted after a day.',
  })
  readonly is_test!: boolean;

  @ApiProperty({
    ...ID,
    nullable: true,
    description:
      'The version of the form in which it was begun. Null: it was begun before versions were kept.',
  })
  readonly begun_version!: number | null;

  @ApiProperty({
    ...ID,
    nullable: true,
    description:
      'The version of the form in which it was completed. Its schema is kept. Null: a draft, or it was completed before versions were kept.',
  })
  readonly completed_version!: number | null;
}

@ResponseSchema('SubmissionValue')
export class SubmissionValueResponse {
  @ApiProperty(ID)
  readonly field_id!: number;

  @ApiProperty()
  readonly field_code!: string;

  @ApiProperty({ maxLength: MAX_CHARACTERS })
  readonly value!: string;

  @ApiProperty({
    ...RECORD_ID,
    nullable: true,
    description: 'The entity record that the value belongs to. Null: none.',
  })
  readonly entity_record_id!: number | null;
}

@ResponseSchema('SubmissionWithValues')
export class SubmissionWithValuesResponse extends ShownSubmissionResponse {
  @ApiProperty({ type: [SubmissionValueResponse] })
  readonly values!: readonly SubmissionValueResponse[];

  @ApiProperty({ type: [RecordResponse], description: 'The entries of repeating groups, sorted by id.' })
  readonly records!: readonly RecordResponse[];
}

@ResponseSchema('StepProgress')
export class StepProgressResponse {
  @ApiProperty(UUID)
  readonly uuid!: string;

  @ApiProperty(CURRENT_STEP)
  readonly current_step!: number;

  @ApiProperty({ enum: STATUSES })
  readonly status!: Status;

  @ApiProperty()
  readonly is_last_step!: boolean;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description:
      'The position divided by the number of steps, in percent, rounded. 100 on the last step. With `skip=hidden`, only ' +
      'visible steps with a visible field count.',
  })
  readonly progress_percentage!: number;
}

@ResponseSchema('Validation')
export class ValidationResponse {
  @ApiProperty({ description: 'True if there are no errors.' })
  readonly valid!: boolean;

  @ApiProperty({
    type: 'object',
    description:
      'Messages by the code of the field. For a value in an entity record, the key is the code, a dot and the id of the ' +
      'record. For an entity with too few records, the key is the name of the entity.',
    additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
  })
  readonly errors!: Readonly<Record<string, readonly string[]>>;

  @ApiProperty({
    type: [FieldErrorResponse],
    required: false,
    description: 'The same errors with codes. Only for requests that accept `application/problem+json`.',
  })
  readonly mistakes?: readonly FieldErrorResponse[];
}

@ResponseSchema('FormName')
class FormNameResponse {
  @ApiProperty(UUID)
  readonly uuid!: string;

  @ApiProperty()
  readonly name!: string;

  @ApiProperty()
  readonly slug!: string;
}

@ResponseSchema('ListedSubmission')
export class ListedSubmissionResponse extends ShownSubmissionResponse {
  @ApiProperty()
  readonly form!: FormNameResponse;
}

@ResponseSchema('CursorLinks')
class CursorLinks {
  @ApiProperty({
    ...URL_OR_NULL,
    description: 'The URL of the next page, with older submissions. Null on the last page.',
  })
  readonly next!: string | null;
}

@ResponseSchema('CursorMeta')
class CursorMeta {
  @ApiProperty(PER_PAGE)
  readonly per_page!: number;
}

@ResponseSchema('SubmissionPage')
export class SubmissionPageResponse {
  @ApiProperty({ type: [ListedSubmissionResponse] })
  readonly data!: readonly ListedSubmissionResponse[];

  @ApiProperty()
  readonly links!: CursorLinks;

  @ApiProperty()
  readonly meta!: CursorMeta;
}
