import { ApiProperty } from '#swagger';
import { COMPLETION_POLICIES, type CompletionPolicy } from '../../config/environment.js';
import { ID, POSITION, ResponseSchema, TIMESTAMP, UUID } from '../../http/openapi/openapi.schemas.js';
import { PageResponse } from '../../http/pagination.js';
import { FORM_ACCESSES, type FormAccess, MAX_PROOF_OF_WORK, MIN_PROOF_OF_WORK } from '../entities/form.js';
import { MAX_NAME, SLUG } from '../limits.js';

/** Properties that the form response and the schema response share. */
export abstract class FormText {
  @ApiProperty(UUID) readonly uuid!: string;
  @ApiProperty({ minLength: 1, maxLength: MAX_NAME }) readonly name!: string;
  @ApiProperty({ pattern: SLUG, maxLength: MAX_NAME }) readonly slug!: string;
  @ApiProperty() readonly description!: string;
  @ApiProperty({ description: 'Whether it accepts new submissions.' }) readonly is_active!: boolean;
  @ApiProperty({ ...POSITION, description: 'Increases with each change.' }) readonly version!: number;

  @ApiProperty({
    ...{ type: 'string', nullable: true, enum: [...COMPLETION_POLICIES, null] },
    description: '`strict`: completion checks the values. Null: the policy of the deployment applies.',
  })
  readonly completion!: CompletionPolicy | null;

  @ApiProperty({ enum: FORM_ACCESSES, description: '`public`: respondents may begin submissions, too.' })
  readonly access!: FormAccess;

  @ApiProperty({
    ...{ type: 'integer', nullable: true, minimum: MIN_PROOF_OF_WORK, maximum: MAX_PROOF_OF_WORK },
    description: 'The highest number to try to become a respondent. Null: no proof of work is needed.',
  })
  readonly proof_of_work!: number | null;
}

@ResponseSchema('Form')
export class FormResponse extends FormText {
  @ApiProperty(ID) readonly id!: number;
  @ApiProperty(TIMESTAMP) readonly created_at!: string;
  @ApiProperty(TIMESTAMP) readonly updated_at!: string;
}

@ResponseSchema('FormPage')
export class FormPageResponse extends PageResponse<FormResponse> {
  @ApiProperty({ type: [FormResponse] }) readonly data!: readonly FormResponse[];
}
