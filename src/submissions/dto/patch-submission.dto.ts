import { IsIn, ValidateIf } from 'class-validator';
import { ApiProperty, ApiSchema } from '#swagger';
import { withError } from '../../http/bodies/checks.js';
import { STATUSES, type Status } from '../entities/submission.js';
import { IsMeta } from './meta.validator.js';

/** Absent and null differ: `meta: null` clears it, without `meta` it stays (S5). */
@ApiSchema({ name: 'SubmissionChange' })
export class PatchSubmissionDto {
  @ApiProperty({
    enum: STATUSES,
    required: false,
    description: 'completed is final. draft changes nothing on a draft, and is refused on a completed one.',
  })
  @ValidateIf((_dto, value) => value !== undefined)
  @IsIn(STATUSES, withError('not_allowed', 'The status must be draft or completed.', { allowed: STATUSES }))
  status?: Status;

  @ApiProperty({
    required: false,
    description: 'Replaces what is stored, as a whole; null clears it. 16 KiB as JSON.',
  })
  @ValidateIf((_dto, value) => value !== undefined && value !== null)
  @IsMeta()
  meta?: Record<string, unknown> | null;
}
