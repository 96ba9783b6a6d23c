import { IsDefined, IsOptional, IsString, Matches } from 'class-validator';
import { ApiProperty, ApiSchema } from '#swagger';
import { countCharacters } from '../../../forms/field-rules/rule-values.js';
import { MAX_FILE_BYTES, MAX_NAME } from '../../../forms/limits.js';
import { Check, IsIntegerUpTo, IsRecordId, withError } from '../../../http/bodies/checks.js';
import { type FieldError, fieldError } from '../../../http/errors/problems.js';
import { POSITION_SCHEMA } from '../../../http/openapi/openapi.schemas.js';
import { unstorableReason } from '../../../http/bodies/storable-text.js';
import { fileError } from '../problems.js';

const HASH = '^[0-9a-fA-F]{64}$';
/** A media type (RFC 9110, section 8.3.1) without parameters, or an empty text. */
const MEDIA_TYPE = "^([\\w!#$%&'*+.^`|~-]{1,120}/[\\w!#$%&'*+.^`|~-]{1,120})?$";

@ApiSchema({ name: 'NewFile' })
export class CreateFileDto {
  @ApiProperty({ description: 'The code of a field that accepts files.' })
  @IsString(withError('not_a_string', 'The field_code must be a string.'))
  @IsDefined(withError('required', 'The field_code is required.'))
  field_code!: string;

  @ApiProperty({ required: false, nullable: true })
  @IsOptional()
  @IsRecordId()
  entity_record_id?: number | null;

  @ApiProperty({ minLength: 1, maxLength: MAX_NAME })
  @Check('isFileName', nameError)
  name!: string;

  @ApiProperty({ ...POSITION_SCHEMA, maximum: MAX_FILE_BYTES })
  @IsIntegerUpTo(MAX_FILE_BYTES)
  @IsDefined(withError('required', 'The size is required.'))
  size!: number;

  @ApiProperty({
    ...{ type: 'string', required: false, nullable: true, pattern: MEDIA_TYPE },
    description: 'If the content proves another type, the service stores that type.',
  })
  @IsOptional()
  @Matches(
    new RegExp(MEDIA_TYPE),
    withError('pattern_mismatch', 'The media_type must be like application/pdf.', { pattern: MEDIA_TYPE }),
  )
  media_type?: string | null;

  @ApiProperty({ pattern: HASH })
  @Matches(
    new RegExp(HASH),
    withError('pattern_mismatch', 'The sha256 must be 64 hexadecimal digits.', { pattern: HASH }),
  )
  @IsDefined(withError('required', 'The sha256 is required.'))
  sha256!: string;
}

function nameError(name: unknown): FieldError | undefined {
  if (name === undefined || name === '') return fieldError('required', 'The name is required.');
  if (typeof name !== 'string') return fieldError('not_a_string', 'The name must be a string.');
  const found = unstorableReason(name);
  if (found !== undefined) return fieldError(found.code, `The name ${found.why}.`);
  if (countCharacters(name) > MAX_NAME)
    return fieldError('too_long', `The name must not be longer than ${MAX_NAME} characters.`, {
      max: MAX_NAME,
    });
  // Otherwise, saving a download under this name could write to another folder.
  if (/[/\\\p{Cc}]/u.test(name) || name === '.' || name === '..')
    return fileError(
      'malformed_name',
      'The name must be a file name without slashes and control characters.',
    );
  return undefined;
}
