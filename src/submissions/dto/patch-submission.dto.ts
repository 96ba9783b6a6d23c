import { IsIn, ValidateIf } from 'class-validator';
import { IsMeta } from './meta.validator.js';

/** Absent and null differ: `meta: null` clears it, without `meta` it stays (S5). */
export class PatchSubmissionDto {
  @ValidateIf((_dto, value) => value !== undefined)
  @IsIn(['draft', 'completed'], { message: 'The status must be draft or completed.' })
  status?: 'draft' | 'completed';

  @ValidateIf((_dto, value) => value !== undefined && value !== null)
  @IsMeta()
  meta?: Record<string, unknown> | null;
}
