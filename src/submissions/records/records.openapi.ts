import { ApiBody, ApiParam, ApiResponse } from '#swagger';
import { fieldError } from '../../http/errors/problems.js';
import {
  ApiContent,
  ApiInvalid,
  ApiProblem,
  ApiRoute,
  COMPLETED,
  versioned,
} from '../../http/openapi/openapi.decorators.js';
import { createdHeaders, privateHeaders, submissionHeaders } from '../../http/openapi/openapi.headers.js';
import { withFormVersion, listOf, one, RECORD_ID } from '../../http/openapi/openapi.schemas.js';
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
    'Creates a record of an entity of the form. To store values in it, send its id as `entity_record_id`. An entity has ' +
      'at most `max_records` records if the schema has this limit, and at most one if it is not repeatable. A ' +
      'submission has at most 200 records of all entities together.',
    ApiIdempotencyKey(),
    ApiWritesSubmission(),
    ApiBody({ type: CreateRecordDto, examples: { expense: { value: { entity: 'expense' } } } }),
    ApiContent(201, withFormVersion(one(RecordResponse)), 'The new record.', createdHeaders, {
      expense: versioned(record),
    }),
    ApiInvalid(
      'The form has no such entity, the submission already has the maximum number of records, the submission is ' +
        'completed, or the `Idempotency-Key` is invalid or was used for another request. Nothing was written.',
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
    'Returns the records of a submission, sorted by id. Reading the submission returns them too.',
    ApiReadsSubmission(),
    ApiContent(200, withFormVersion(listOf(RecordResponse)), 'The records.', privateHeaders, {
      expenses: versioned([record]),
    }),
    ApiInvalid('The form has no such entity.', { unknownEntity, notText }),
  );

export const ApiDeleteRecord = () =>
  ApiRoute(
    'deleteRecord',
    'Remove an entry of a repeating group',
    'Deletes a record and its values.',
    ApiWritesSubmission(),
    ApiParam({ name: 'id', description: 'The id of the record.', schema: RECORD_ID }),
    ApiResponse({ status: 204, description: 'The record was deleted.', headers: submissionHeaders }),
    ApiProblem('The submission is completed. Nothing was written.', COMPLETED),
  );
