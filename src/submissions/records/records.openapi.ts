import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse } from '#swagger';
import { ApiContent, ApiInvalid } from '../../http/openapi/openapi.decorators.js';
import { createdHeaders, privateHeaders, submissionHeaders } from '../../http/openapi/openapi.headers.js';
import { inData, listOf, one, RECORD_ID } from '../../http/openapi/openapi.schemas.js';
import { alreadyCompleted, type FieldErrors, fieldError } from '../../http/errors/problems.js';
import { keyErrors } from '../submissions.examples.js';
import { ApiIdempotencyKey, ApiReadsSubmission, ApiWritesSubmission } from '../submissions.openapi.js';
import { CreateRecordDto } from './records.dto.js';
import { RecordResponse } from './record.response.js';

const record = { id: 12, entity: 'expense', created_at: '2026-11-21T10:16:12.507311Z' };

export const recordErrors = {
  noEntity: { entity: [fieldError('required', 'The entity is required.')] },
  notText: { entity: [fieldError('not_a_string', 'The entity must be a string.')] },
  unknownEntity: { entity: [fieldError('unknown_entity', 'The form has no entity with this name.')] },
  notRepeatable: {
    entity: [
      fieldError('too_many_records', 'The submission has its one record of employer already.', { max: 1 }),
    ],
  },
  tooMany: {
    entity: [
      fieldError(
        'too_many_records',
        'The submission has 5 records of expense already, which is the most it can have.',
        { max: 5 },
      ),
    ],
  },
  tooManyInAll: {
    entity: [
      fieldError(
        'too_many_records_in_all',
        'The submission has 200 records already, which is the most it can have.',
        { max: 200 },
      ),
    ],
  },
} satisfies Record<string, FieldErrors>;

export const ApiCreateRecord = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'createRecord',
      summary: 'Add an entry to a repeating group',
      description:
        'Makes a record of an entity of the form. Store values in it with its id as `entity_record_id`. An entity ' +
        'that is not repeatable has one record at most, any other `max_records` where the schema says so, and a ' +
        'submission 200 in all.',
    }),
    ApiIdempotencyKey(),
    ApiWritesSubmission(),
    ApiBody({ type: CreateRecordDto, examples: { expense: { value: { entity: 'expense' } } } }),
    ApiContent({
      ...inData(one(RecordResponse)),
      status: 201,
      description: 'The new record.',
      headers: createdHeaders,
      examples: { expense: { value: { data: record } } },
    }),
    ApiInvalid(
      'The form has no such entity, or the submission has as many of its records as it can have, or it is ' +
        'completed, or the `Idempotency-Key` cannot be used. Nothing was written.',
      { ...recordErrors, ...keyErrors },
      { problems: { alreadyCompleted: alreadyCompleted() } },
    ),
  );

export const ApiListRecords = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'listRecords',
      summary: 'List the entries of repeating groups',
      description: 'By id. They come with the submission, too.',
    }),
    ApiReadsSubmission(),
    ApiContent({
      ...inData(listOf(RecordResponse)),
      description: 'The records.',
      headers: privateHeaders,
      examples: { expenses: { value: { data: [record] } } },
    }),
    ApiInvalid('The form has no such entity.', {
      unknownEntity: recordErrors.unknownEntity,
      notText: recordErrors.notText,
    }),
  );

export const ApiDeleteRecord = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'deleteRecord',
      summary: 'Remove an entry of a repeating group',
      description: 'Deletes a record with the values in it.',
    }),
    ApiWritesSubmission(),
    ApiParam({ name: 'id', description: 'Of the record.', schema: RECORD_ID }),
    ApiResponse({ status: 204, description: 'The record is gone.', headers: submissionHeaders }),
    ApiInvalid(
      'The submission is completed. Nothing was written.',
      {},
      { problems: { alreadyCompleted: alreadyCompleted() } },
    ),
  );
