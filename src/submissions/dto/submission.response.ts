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
  description: 'A position among the steps of the form in their order, from 1.',
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
    description: 'Whatever object you store with the submission, at most 16 KiB as JSON; null until you do.',
  })
  readonly meta!: Readonly<Record<string, unknown>> | null;

  @ApiProperty(TIMESTAMP)
  readonly created_at!: string;

  @ApiProperty({
    ...TIMESTAMP,
    description: 'Moves with every accepted write, storing values included.',
  })
  readonly updated_at!: string;
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
    description: 'The entity record that the value belongs to; null: none.',
  })
  readonly entity_record_id!: number | null;
}

@ResponseSchema('SubmissionWithValues')
export class SubmissionWithValuesResponse extends SubmissionResponse {
  @ApiProperty({ type: [SubmissionValueResponse] })
  readonly values!: readonly SubmissionValueResponse[];

  @ApiProperty({ type: [RecordResponse], description: 'The entries of repeating groups, by id.' })
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
    description: 'The position over the number of steps, rounded; 100 on the last step.',
  })
  readonly progress_percentage!: number;
}

@ResponseSchema('Validation')
export class ValidationResponse {
  @ApiProperty({ description: 'Whether there are no errors.' })
  readonly valid!: boolean;

  @ApiProperty({
    type: 'object',
    description:
      'What is wrong, by the code of the field; of a value that belongs to an entity record by the code, a dot and the ' +
      'id of the record.',
    additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
  })
  readonly errors!: Readonly<Record<string, readonly string[]>>;

  @ApiProperty({
    type: [FieldErrorResponse],
    required: false,
    description: 'The same with codes, for who accepts `application/problem+json`; nobody else gets it.',
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
export class ListedSubmissionResponse extends SubmissionResponse {
  @ApiProperty()
  readonly form!: FormNameResponse;
}

@ResponseSchema('CursorLinks')
class CursorLinks {
  @ApiProperty({ ...URL_OR_NULL, description: 'Of the page of those created before; null: there are none.' })
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
