import { IsDefined, IsString, ValidateIf } from 'class-validator';
import { ApiProperty, ApiSchema } from '#swagger';
import { withError } from '../../http/bodies/checks.js';
import { UUID } from '../../http/openapi/openapi.schemas.js';

@ApiSchema({ name: 'NewRespondent' })
export class CreateRespondentDto {
  /** The service checks later whether this is a public form. A malformed UUID gets the same error as an unknown one (P2). */
  @ApiProperty({ ...UUID, description: 'The `uuid` of an active form whose `access` is `public`.' })
  @IsString(withError('not_a_string', 'The form_uuid must be a string.'))
  @IsDefined(withError('required', 'The form_uuid is required.'))
  form_uuid!: string;

  @ApiProperty({
    type: 'string',
    required: false,
    description:
      'The solution of a challenge, if the `proof_of_work` of the form is not null: base64 of a JSON object with ' +
      '`algorithm`, `challenge`, `number`, `salt` and `signature`, as the ALTCHA widget sends it. Each proof can be used once.',
  })
  @ValidateIf((_dto, value) => value !== undefined)
  @IsString(withError('not_a_string', 'The proof must be a string.'))
  proof?: string;
}

@ApiSchema({ name: 'Resumption' })
export class ResumeDto {
  @ApiProperty({
    description:
      'A code from `POST /api/v1/resume-codes`. Letter case, hyphens and spaces do not matter; O counts as 0, and I and L as 1.',
    example: '7QX2MK-4TBZC-9H0FD-VN3WR-6J8PE',
  })
  @IsString(withError('not_a_string', 'The code must be a string.'))
  @IsDefined(withError('required', 'The code is required.'))
  code!: string;
}
