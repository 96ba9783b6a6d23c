import { ValidateIf } from 'class-validator';
import { ApiProperty, ApiSchema } from '#swagger';
import { Check, IsOneOf } from '../../http/bodies/checks.js';
import { unstorableJsonReason } from '../../http/bodies/storable-text.js';
import { type FieldError, fieldError } from '../../http/errors/problems.js';
import { FREE_OBJECT } from '../../http/openapi/openapi.schemas.js';
import { STATUSES, type Status } from '../entities/submission.js';

const MAX_META_BYTES = 16 * 1024;

/** `meta: null` clears the stored meta. A missing `meta` leaves it unchanged (S5). */
@ApiSchema({ name: 'SubmissionChange' })
export class PatchSubmissionDto {
  @ApiProperty({ enum: STATUSES, required: false })
  @ValidateIf((_dto, value) => value !== undefined)
  @IsOneOf(STATUSES, 'The status must be draft or completed.')
  status?: Status;

  @ApiProperty({ required: false, description: 'Null clears it. At most 16 KiB as JSON.' })
  @ApiProperty(FREE_OBJECT)
  @ValidateIf((_dto, value) => value !== undefined && value !== null)
  @Check('isMeta', metaError)
  meta?: Record<string, unknown> | null;
}

/** Returns the error of a `meta` that cannot be stored (V9, V10). */
function metaError(value: unknown): FieldError | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fieldError('not_an_object', 'The meta must be an object or null.');
  }
  const size = Buffer.byteLength(JSON.stringify(value));
  if (size > MAX_META_BYTES) {
    const message = `The meta must not be larger than ${MAX_META_BYTES} bytes as JSON; it has ${size}.`;
    return fieldError('too_large', message, { max: MAX_META_BYTES, size });
  }
  const found = unstorableJsonReason(value);
  return found && fieldError(found.code, `The meta ${found.why}.`);
}
