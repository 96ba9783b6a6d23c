import { IsOptional, IsString } from 'class-validator';
import { ApiProperty } from '#swagger';
import { UUID_SCHEMA } from '../../http/openapi/openapi.schemas.js';
import { Check, IsOneOf, withError } from '../../http/bodies/checks.js';
import { PerPageQuery } from '../../http/pagination.js';
import { fieldError } from '../../http/errors/problems.js';
import { STATUSES, type Status } from '../entities/submission.js';
import { readCursor } from './list-cursor.js';

/** The query of the list of a user's submissions (O1). */
export class ListQuery extends PerPageQuery {
  @ApiProperty({ enum: STATUSES, required: false, description: 'Returns only submissions with this status.' })
  @IsOptional()
  @IsOneOf(STATUSES, 'The parameter `status` must be draft or completed.')
  status?: Status;

  /** The service checks later whether the form exists. A malformed UUID gets the same error as an unknown UUID (S2). */
  @ApiProperty({ ...UUID_SCHEMA, required: false, description: 'Returns only submissions of this form.' })
  @IsOptional()
  @IsString(withError('not_a_string', 'The form_uuid must be a string.'))
  form_uuid?: string;

  @ApiProperty({ required: false, description: 'From `links.next` of the previous page.' })
  @IsOptional()
  @Check('isCursor', (value) =>
    typeof value === 'string' && readCursor(value) !== undefined
      ? undefined
      : fieldError('malformed_cursor', 'The cursor must come from links.next of this list.'),
  )
  cursor?: string;
}
