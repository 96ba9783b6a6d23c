import { IsDefined, IsString, ValidateIf } from 'class-validator';
import { ApiProperty, ApiSchema } from '#swagger';
import { withError } from '../../../http/bodies/checks.js';
import { UUID_SCHEMA } from '../../../http/openapi/openapi.schemas.js';

@ApiSchema({ name: 'NewRespondent' })
export class CreateRespondentDto {
  /** The service checks later whether this is a public form. A malformed UUID gets the same error as an unknown one (P2). */
  @ApiProperty({ ...UUID_SCHEMA, description: 'The `uuid` of an active form whose `access` is `public`.' })
  @IsString(withError('not_a_string', 'The form_uuid must be a string.'))
  @IsDefined(withError('required', 'The form_uuid is required.'))
  form_uuid!: string;

  @ApiProperty({
    type: 'string',
    required: false,
    description: 'The solution of a challenge, as the ALTCHA widget sends it.',
  })
  @ValidateIf((_dto, value) => value !== undefined)
  @IsString(withError('not_a_string', 'The proof must be a string.'))
  proof?: string;
}

@ApiSchema({ name: 'Resumption' })
export class ResumeDto {
  @ApiProperty({ description: 'A code from `POST /api/v1/resume-codes`.' })
  @IsString(withError('not_a_string', 'The code must be a string.'))
  @IsDefined(withError('required', 'The code is required.'))
  code!: string;
}
