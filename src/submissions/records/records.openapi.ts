import { ApiBody, ApiParam, ApiResponse } from '#swagger';
import { fieldError } from '../../http/errors/problems.js';
import {
  ApiContent,
  ApiInvalid,
  ApiProblem,
  ApiRoute,
  COMPLETED,
  example,
} from '../../http/openapi/openapi.decorators.js';
import { createdHeaders, privateHeaders, submissionHeaders } from '../../http/openapi/openapi.headers.js';
import { inData, listOf, one, RECORD_ID } from '../../http/openapi/openapi.schemas.js';
import { keyErrors } from '../submissions.examples.js';
import {
  ApiIdempotencyKey,
  ApiReadsSubmission,
  ApiWritesSubmission,
} from '../submission-reference.openapi.js';
import { CreateRecordDto, RecordResponse } from './records.dto.js';
import { tooManyRecords, tooManyRecordsInAll } from './records.service.js';

const record = { id: 12, entity: 'expense', created_at: '2026-11-21T10:16:12.507311Z' };

const notText = { entity: [fieldError('not_a_string', 'The entity must be a string.')] };
const unknownEntity = { entity: [fieldError('unknown_entity', 'The form has no entity with this name.')] };

export const ApiCreateRecord = () =>
  ApiRoute(
    'createRecord',
    'Add an entry to a repeating group',
    'Makes a record of an entity of the form. Store values in it with its id as `entity_record_id`. An entity ' +
      'that is not repeatable has one record at most, any other `max_records` where the schema says so, and a ' +
      'submission 200 in all.',
    ApiIdempotencyKey(),
    ApiWritesSubmission(),
    ApiBody({ type: CreateRecordDto, examples: { expense: { value: { entity: 'expense' } } } }),
    ApiContent(201, inData(one(RecordResponse)), 'The new record.', createdHeaders, {
      expense: example(record),
    }),
    ApiInvalid(
      'The form has no such entity, or the submission has as many of its records as it can have, or it is ' +
        'completed, or the `Idempotency-Key` cannot be used. Nothing was written.',
      {
        noEntity: { entity: [fieldError('required', 'The entity is required.')] },
        notText,
        unknownEntity,
        notRepeatable: { entity: [tooManyRecords({ name: 'employer', maxRecords: 1 })] },
        tooMany: { entity: [tooManyRecords({ name: 'expense', maxRecords: 5 })] },
        tooManyInAll: { entity: [tooManyRecordsInAll()] },
        ...keyErrors,
      },
      COMPLETED,
    ),
  );

export const ApiListRecords = () =>
  ApiRoute(
    'listRecords',
    'List the entries of repeating groups',
    'By id. They come with the submission, too.',
    ApiReadsSubmission(),
    ApiContent(200, inData(listOf(RecordResponse)), 'The records.', privateHeaders, {
      expenses: example([record]),
    }),
    ApiInvalid('The form has no such entity.', { unknownEntity, notText }),
  );

export const ApiDeleteRecord = () =>
  ApiRoute(
    'deleteRecord',
    'Remove an entry of a repeating group',
    'Deletes a record with the values in it.',
    ApiWritesSubmission(),
    ApiParam({ name: 'id', description: 'Of the record.', schema: RECORD_ID }),
    ApiResponse({ status: 204, description: 'The record is gone.', headers: submissionHeaders }),
    ApiProblem('The submission is completed. Nothing was written.', COMPLETED),
  );
