import { IsDefined, IsString } from 'class-validator';
import { ApiProperty, ApiSchema } from '#swagger';
import { UUID } from '../../http/openapi/openapi.schemas.js';
import { withError } from '../../http/bodies/checks.js';

@ApiSchema({ name: 'NewSubmission' })
export class CreateSubmissionDto {
  /** Whether it names an active form is asked later; a malformed one names none (S2). */
  @ApiProperty({ ...UUID, description: 'An active form.' })
  @IsString(withError('not_a_string', 'The form_uuid must be a string.'))
  @IsDefined(withError('required', 'The form_uuid is required.'))
  form_uuid!: string;
}
