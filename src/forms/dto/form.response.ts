import { ApiProperty } from '#swagger';
import { COMPLETION_POLICIES, type CompletionPolicy } from '../../config/environment.js';
import { ID, ResponseSchema, TIMESTAMP, UUID } from '../../http/openapi/openapi.schemas.js';
import { PageResponse } from '../../http/pagination.js';
import { MAX_NAME, SLUG } from '../limits.js';

/** What a form says of itself wherever it is read. */
export abstract class FormText {
  @ApiProperty(UUID)
  readonly uuid!: string;

  @ApiProperty({ minLength: 1, maxLength: MAX_NAME })
  readonly name!: string;

  @ApiProperty({ pattern: SLUG, maxLength: MAX_NAME })
  readonly slug!: string;

  @ApiProperty({ description: 'May be empty.' })
  readonly description!: string;

  @ApiProperty({
    description: 'An inactive form can still be read, but takes no new submissions. Open drafts go on.',
  })
  readonly is_active!: boolean;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Moves up by one whenever anything that the form publishes has changed.',
  })
  readonly version!: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    enum: [...COMPLETION_POLICIES, null],
    description:
      '`strict`: completing is refused while a required field has no value, or a value does not fit its field or a ' +
      'rule of it. `lenient`: it asks for nothing. Null: what the operator has set as COMPLETION_POLICY.',
  })
  readonly completion!: CompletionPolicy | null;
}

@ResponseSchema('Form')
export class FormResponse extends FormText {
  @ApiProperty(ID)
  readonly id!: number;

  @ApiProperty(TIMESTAMP)
  readonly created_at!: string;

  @ApiProperty(TIMESTAMP)
  readonly updated_at!: string;
}

@ResponseSchema('FormPage')
export class FormPageResponse extends PageResponse<FormResponse> {
  @ApiProperty({ type: [FormResponse] })
  readonly data!: readonly FormResponse[];
}
