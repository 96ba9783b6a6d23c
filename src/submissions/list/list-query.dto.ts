import { IsOptional, IsString } from 'class-validator';
import { ApiProperty } from '#swagger';
import { UUID } from '../../http/openapi/openapi.schemas.js';
import { Check, IsOneOf, withError } from '../../http/bodies/checks.js';
import { PerPageQuery } from '../../http/pagination.js';
import { fieldError } from '../../http/errors/problems.js';
import { STATUSES, type Status } from '../entities/submission.js';
import { readCursor } from './list-cursor.js';

/** The query of the list of a user's submissions (O1). */
export class ListQuery extends PerPageQuery {
  @ApiProperty({ enum: STATUSES, required: false, description: 'Only those in this state.' })
  @IsOptional()
  @IsOneOf(STATUSES, 'The status must be draft or completed.')
  status?: Status;

  /** Whether it names a form is asked later; a malformed one names none (S2). */
  @ApiProperty({ ...UUID, required: false, description: 'Only those to this form, active or not.' })
  @IsOptional()
  @IsString(withError('not_a_string', 'The form_uuid must be a string.'))
  form_uuid?: string;

  @ApiProperty({
    required: false,
    description:
      'Where the page begins, as `links.next` of the page before it has it. It is the same for any filter.',
  })
  @IsOptional()
  @Check('isCursor', (value) =>
    typeof value === 'string' && readCursor(value) !== undefined
      ? undefined
      : fieldError('malformed_cursor', 'The cursor is none that a page of this list links to.'),
  )
  cursor?: string;
}
