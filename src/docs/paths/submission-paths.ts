import { API_PREFIX } from '../../http/api-prefix.js';
import { alreadyCompleted } from '../../http/problems.js';
import { formUuid } from '../examples/ids.js';
import { createMistakes, keyMistakes, patchMistakes, valuesMistakes } from '../examples/mistakes.js';
import {
  completed,
  created,
  newValues,
  newValuesById,
  storedValues,
  withValues,
} from '../examples/submission-examples.js';
import { createdHeaders, privateHeaders, submissionHeaders } from '../headers.js';
import type { Paths } from '../openapi-types.js';
import { parameterRefs } from '../parameters.js';
import { json, responseRef, unprocessable } from '../responses.js';
import { arrayOf, inData, schemaRef } from '../schemas/vocabulary.js';
import { guardedOperation } from './operation.js';

const bodyRefusals = { 413: responseRef('BodyTooLarge'), 415: responseRef('NotJson') };

const writeRefusals = {
  400: responseRef('MalformedRequest'),
  404: responseRef('SubmissionNotFound'),
  412: responseRef('Changed'),
  ...bodyRefusals,
};

const submissionContent = (examples: Parameters<typeof json>[1]) =>
  json(inData(schemaRef('Submission')), examples);

export const submissionPaths: Paths = {
  [`${API_PREFIX}/submissions`]: {
    post: guardedOperation({
      operationId: 'createSubmission',
      summary: 'Begin a submission',
      description: 'Creates a draft on the first step of an active form. Only you can reach it.',
      tags: ['Submissions'],
      parameters: parameterRefs('IdempotencyKey'),
      requestBody: {
        required: true,
        content: json(schemaRef('NewSubmission'), { jobApplication: { value: { form_uuid: formUuid } } }),
      },
      responses: {
        201: {
          description: 'The new draft.',
          headers: createdHeaders,
          content: submissionContent({ draft: { value: { data: created } } }),
        },
        400: responseRef('MalformedBody'),
        409: responseRef('StillRunning'),
        ...bodyRefusals,
        422: unprocessable(
          'The `form_uuid` names no active form, or the `Idempotency-Key` cannot be used.',
          { ...createMistakes, ...keyMistakes },
          privateHeaders,
        ),
      },
    }),
  },

  [`${API_PREFIX}/submissions/{uuid}`]: {
    get: guardedOperation({
      operationId: 'getSubmission',
      summary: 'Read a submission with its values',
      description: 'The values come by field id, and by entity record with the one without a record first.',
      tags: ['Submissions'],
      parameters: parameterRefs('SubmissionUuid'),
      responses: {
        200: {
          description: 'The submission.',
          headers: submissionHeaders,
          content: json(inData(schemaRef('SubmissionWithValues')), {
            draft: { value: { data: withValues } },
          }),
        },
        400: responseRef('MalformedUrl'),
        404: responseRef('SubmissionNotFound'),
      },
    }),

    patch: guardedOperation({
      operationId: 'patchSubmission',
      summary: 'Complete a submission, or store meta with it',
      description:
        'Both properties are optional and change together or not at all. Completion is final: after it, only `meta` ' +
        'can change, and completing once more is a success. An empty object changes nothing, `updated_at` included.',
      tags: ['Submissions'],
      parameters: parameterRefs('SubmissionUuid', 'IfMatch'),
      requestBody: {
        required: false,
        description: 'No body is the same as an empty object.',
        content: json(schemaRef('SubmissionChange'), {
          complete: { summary: 'Complete it', value: { status: 'completed', meta: completed.meta } },
          metaOnly: { summary: 'Store meta only', value: { meta: withValues.meta } },
          clearMeta: { summary: 'Clear meta', value: { meta: null } },
        }),
      },
      responses: {
        200: {
          description: 'The submission as it is now.',
          headers: submissionHeaders,
          content: submissionContent({ completed: { value: { data: completed } } }),
        },
        ...writeRefusals,
        422: unprocessable(
          'A property is wrong, or `status: draft` is sent for a completed submission, or, where the operator has set ' +
            'COMPLETION_POLICY=strict, the values of the draft are not complete: one entry in `errors` per field, ' +
            'by its code. Nothing was written.',
          patchMistakes,
          privateHeaders,
          { alreadyCompleted: alreadyCompleted() },
        ),
      },
    }),
  },

  [`${API_PREFIX}/submissions/{uuid}/values`]: {
    post: guardedOperation({
      operationId: 'storeValues',
      summary: 'Store values',
      description:
        'Stores all entries or none. A value replaces the one that its field holds; a repeatable field holds one ' +
        'for each entity record and one without. Where a call has two entries for the same place, the last one ' +
        'is kept. The text is stored as it is: nothing checks it against the type or the options of the field.',
      tags: ['Submissions'],
      parameters: parameterRefs('SubmissionUuid', 'IfMatch'),
      requestBody: {
        required: true,
        content: json(schemaRef('NewValues'), {
          byCode: { summary: 'By code', value: newValues },
          byId: { summary: 'By id, as the schema of the form says it', value: newValuesById },
          emptied: {
            summary: 'No value',
            value: { values: [{ field_code: 'work_permit_number', value: '' }] },
          },
        }),
      },
      responses: {
        200: {
          description: 'What is stored now for each entry, in the order sent.',
          headers: submissionHeaders,
          content: json(inData(arrayOf(schemaRef('SubmissionValue'))), {
            stored: { value: { data: storedValues } },
            nothingSent: { summary: 'Of an empty array', value: { data: [] } },
          }),
        },
        ...writeRefusals,
        422: unprocessable(
          'An entry cannot be stored, or the submission is completed. Nothing was written.',
          valuesMistakes,
          privateHeaders,
          { alreadyCompleted: alreadyCompleted() },
        ),
      },
    }),
  },
};
