import { IsDefined, IsString } from 'class-validator';
import { ApiProperty, ApiSchema } from '#swagger';
import { UUID_SCHEMA } from '../../http/openapi/openapi.schemas.js';
import { withError } from '../../http/bodies/checks.js';

@ApiSchema({ name: 'NewSubmission' })
export class CreateSubmissionDto {
  /** The service checks later whether this is an active form. A malformed UUID gets the same error as an unknown one (S2). */
  @ApiProperty({ ...UUID_SCHEMA, description: 'The `uuid` of an active form.' })
  @IsString(withError('not_a_string', 'The form_uuid must be a string.'))
  @IsDefined(withError('required', 'The form_uuid is required.'))
  form_uuid!: string;
}
