import { IsIn, ValidateIf } from 'class-validator';
import { STATUSES, type Status } from '../entities/submission.js';
import { IsMeta } from './meta.validator.js';

/** Absent and null differ: `meta: null` clears it, without `meta` it stays (S5). */
export class PatchSubmissionDto {
  @ValidateIf((_dto, value) => value !== undefined)
  @IsIn(STATUSES, { message: 'The status must be draft or completed.' })
  status?: Status;

  @ValidateIf((_dto, value) => value !== undefined && value !== null)
  @IsMeta()
  meta?: Record<string, unknown> | null;
}
