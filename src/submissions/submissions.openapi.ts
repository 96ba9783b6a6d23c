import { presentMessages } from '../http/errors/problem.presenter.js';
import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiResponse } from '#swagger';
import { conditionsMap } from '../forms/states/conditions.examples.js';
import { CONDITIONS } from '../forms/states/conditions.response.js';
import { ApiContent, ApiErrors, ApiInvalid, ApiProblem } from '../http/openapi/openapi.decorators.js';
import { createdHeaders, privateHeaders, submissionHeaders } from '../http/openapi/openapi.headers.js';
import { type Content, inData, listOf, one, UUID } from '../http/openapi/openapi.schemas.js';
import { form } from '../forms/forms.examples.js';
import {
  alreadyCompleted,
  alreadyOnFirstStep,
  alreadyOnLastStep,
  type FieldErrors,
  idempotentRequestRunning,
  notFound,
  preconditionFailed,
  type Problem,
} from '../http/errors/problems.js';
import { CreateSubmissionDto } from './dto/create-submission.dto.js';
import { PatchSubmissionDto } from './dto/patch-submission.dto.js';
import { StoreValuesDto } from './dto/store-values.dto.js';
import {
  StepProgressResponse,
  SubmissionPageResponse,
  SubmissionResponse,
  SubmissionValueResponse,
  SubmissionWithValuesResponse,
  ValidationResponse,
} from './dto/submission.response.js';
import {
  advanceErrors,
  completed,
  created,
  createErrors,
  includeErrors,
  keyErrors,
  lastSubmissionPage,
  listErrors,
  newValues,
  newValuesById,
  onFirstStep,
  onSecondStep,
  patchErrors,
  storedValues,
  submissionPage,
  validationErrors,
  valuesErrors,
  withValues,
} from './submissions.examples.js';

const WITHOUT_BODY = 'No body is needed; one that is sent is not looked at, but must be JSON.';

export const ApiListSubmissions = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'listSubmissions',
      summary: 'List your submissions',
      description:
        'Newest first, without their values, a page at a time: follow `links.next`, which is an absolute URL, until it ' +
        'is null. What is begun meanwhile is on the first page only. Each has the name of its form with it.',
    }),
    ApiContent({
      ...one(SubmissionPageResponse),
      description: 'A page of your submissions.',
      headers: privateHeaders,
      examples: {
        page: { value: submissionPage },
        last: { summary: 'The last page', value: lastSubmissionPage },
      },
    }),
    ApiInvalid('A query parameter is wrong.', listErrors),
  );

export const ApiCreateSubmission = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'createSubmission',
      summary: 'Begin a submission',
      description: 'Creates a draft on the first step of an active form. Only you can reach it.',
    }),
    ApiIdempotencyKey(),
    ApiBody({
      type: CreateSubmissionDto,
      examples: { jobApplication: { value: { form_uuid: form.uuid } } },
    }),
    ApiContent({
      ...withConditions(one(SubmissionResponse)),
      status: 201,
      description: 'The new draft.',
      headers: createdHeaders,
      examples: { draft: { value: { data: created } } },
    }),
    ApiErrors('malformedBody', 'bodyTooLarge', 'notJson'),
    ApiProblem(
      'You ask for conditions, and the draft was deleted before they were read: right after it was begun, or before you ' +
        'sent its `Idempotency-Key` again.',
      { notFound: notFound('Submission') },
      privateHeaders,
    ),
    ApiInvalid(
      'The `form_uuid` names no active form, a query parameter is wrong, or the `Idempotency-Key` cannot be used.',
      {
        ...createErrors,
        ...keyErrors,
        ...includeErrors,
      },
    ),
  );

export const ApiGetSubmission = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'getSubmission',
      summary: 'Read a submission with its values',
      description: 'The values come by field id, and by entity record with the one without a record first.',
    }),
    ApiReadsSubmission(),
    ApiContent({
      ...withConditions(one(SubmissionWithValuesResponse)),
      description: 'The submission.',
      headers: submissionHeaders,
      examples: {
        draft: { value: { data: withValues } },
        withConditions: {
          summary: 'include=conditions&shape=map',
          value: { data: withValues, conditions: { data: conditionsMap } },
        },
      },
    }),
    ApiInvalid('A query parameter is wrong.', includeErrors),
  );

export const ApiPatchSubmission = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'patchSubmission',
      summary: 'Complete a submission, or store meta with it',
      description:
        'Both properties are optional and change together or not at all. Completion is final: after it, only `meta` ' +
        'can change, and completing once more is a success. An empty object changes nothing, `updated_at` included.',
    }),
    ApiWritesSubmission(),
    ApiBody({
      type: PatchSubmissionDto,
      required: false,
      description: 'No body is the same as an empty object.',
      examples: {
        metaOnly: { summary: 'Store meta only', value: { meta: withValues.meta } },
        complete: { summary: 'Complete it', value: { status: 'completed', meta: completed.meta } },
        clearMeta: { summary: 'Clear meta', value: { meta: null } },
      },
    }),
    ApiContent({
      ...inData(one(SubmissionResponse)),
      description: 'The submission as it is now.',
      headers: submissionHeaders,
      examples: { completed: { value: { data: completed } } },
    }),
    ApiInvalid(
      'A property is wrong, or `status: draft` is sent for a completed submission, or, where the `completion` of the ' +
        'form is strict, the values of the draft are not complete: an entry in `errors` for each field, by its code, ' +
        'and for each value of a record by code and record. Nothing was written.',
      patchErrors,
      { problems: { alreadyCompleted: alreadyCompleted() } },
    ),
  );

export const ApiDeleteSubmission = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'deleteSubmission',
      summary: 'Give a draft up',
      description:
        'Deletes a draft for good, with its values and records. A completed submission stays. ' +
        WITHOUT_BODY,
    }),
    ApiWritesSubmission(),
    ApiResponse({ status: 204, description: 'The draft is gone.', headers: privateHeaders }),
    ApiProblem('The submission is completed.', { alreadyCompleted: alreadyCompleted() }, privateHeaders),
  );

export const ApiStoreValues = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'storeValues',
      summary: 'Store values',
      description:
        'Stores all entries or none. A value replaces the one that its field holds; a repeatable field holds one ' +
        'for each entity record and one without. Where a call has two entries for the same place, the last one ' +
        'is kept. The text is stored as it is: nothing checks it against the type or the options of the field.',
    }),
    ApiWritesSubmission(),
    ApiBody({
      type: StoreValuesDto,
      examples: {
        byCode: { summary: 'By code', value: newValues },
        byId: { summary: 'By id, as the schema of the form says it', value: newValuesById },
        emptied: {
          summary: 'No value',
          value: { values: [{ field_code: 'work_permit_number', value: '' }] },
        },
      },
    }),
    ApiContent({
      ...withConditions(listOf(SubmissionValueResponse)),
      description: 'What is stored now for each entry, in the order sent.',
      headers: submissionHeaders,
      examples: {
        stored: { value: { data: storedValues } },
        withConditions: {
          summary: 'include=conditions&shape=map',
          value: { data: storedValues, conditions: { data: conditionsMap } },
        },
        nothingSent: { summary: 'Of an empty array', value: { data: [] } },
      },
    }),
    ApiInvalid(
      'An entry cannot be stored, a query parameter is wrong, or the submission is completed. Nothing was written.',
      { ...valuesErrors, ...includeErrors },
      { problems: { alreadyCompleted: alreadyCompleted() } },
    ),
  );

export const ApiValidateSubmission = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'validateSubmission',
      summary: 'See what completion would refuse',
      description:
        'Judges the values of all visible fields, or of those of one step, as completion does where the `completion` ' +
        'of the form is strict: whether required fields have a value, and whether values fit their fields and the rules ' +
        'of these. Changes nothing.',
    }),
    ApiReadsSubmission(),
    ApiContent({
      ...inData(one(ValidationResponse)),
      description: 'What there is to correct.',
      headers: privateHeaders,
      examples: {
        valid: { value: { data: { valid: true, errors: {} } } },
        invalid: { value: { data: { valid: false, errors: presentMessages(patchErrors.incomplete) } } },
      },
    }),
    ApiInvalid('The form has no such step.', validationErrors),
  );

export const ApiAdvanceSubmission = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'advanceSubmission',
      summary: 'Go to the next step',
      description:
        'Moves on by one step of the form, visible or not. It does not ask whether fields are filled in, unless with ' +
        '`validate=true`. ' +
        WITHOUT_BODY,
    }),
    ApiMovesSubmission(
      { secondOfFive: { value: { data: onSecondStep } } },
      { lastStep: alreadyOnLastStep() },
      advanceErrors,
    ),
  );

export const ApiRetreatSubmission = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'retreatSubmission',
      summary: 'Go back to the previous step',
      description:
        'Moves back by one step of the form, visible or not. Values stay as they are. ' + WITHOUT_BODY,
    }),
    ApiMovesSubmission(
      { firstOfFive: { value: { data: onFirstStep } } },
      { firstStep: alreadyOnFirstStep() },
    ),
  );

/** In `data`, and beside it what `include` asks for (V13). */
function withConditions(content: Content): Content {
  return inData(content, { conditions: CONDITIONS });
}

/** The submission that a path names, for routes that only read it. */
export function ApiReadsSubmission() {
  return applyDecorators(ApiSubmissionUuid(), ApiErrors('malformedUrl'));
}

/** The same for routes that write to it, with or without a body. */
export function ApiWritesSubmission() {
  return applyDecorators(
    ApiSubmissionUuid(),
    ApiHeader({
      name: 'If-Match',
      description:
        'The ETag of the state that your write builds on, quotes included. If the submission has been written to ' +
        'since, the answer is 412 and nothing changes. Without the header, or with `*`, nothing is checked.',
      schema: { type: 'string', examples: [`"${created.updated_at}"`] },
    }),
    ApiErrors('malformedRequest', 'bodyTooLarge', 'notJson'),
    ApiProblem(
      'The submission is not in the state that `If-Match` names. Nothing was written.',
      { changed: preconditionFailed() },
      privateHeaders,
    ),
  );
}

function ApiMovesSubmission(
  examples: Record<string, { value: unknown }>,
  atTheEnd: Record<string, Problem>,
  fieldErrors: Record<string, FieldErrors> = {},
) {
  return applyDecorators(
    ApiWritesSubmission(),
    ApiIdempotencyKey(),
    ApiContent({
      ...withConditions(one(StepProgressResponse)),
      description: 'Where the submission is now.',
      headers: submissionHeaders,
      examples,
    }),
    ApiInvalid(
      'There is no step to go to, the submission is completed, or the `Idempotency-Key` or a parameter cannot be used.',
      { ...keyErrors, ...includeErrors, ...fieldErrors },
      { problems: { ...atTheEnd, alreadyCompleted: alreadyCompleted() } },
    ),
  );
}

function ApiSubmissionUuid() {
  return applyDecorators(
    ApiParam({
      name: 'uuid',
      description:
        'The `uuid` that beginning the submission answered, in any letter case. A malformed one is 404, as is that of ' +
        'somebody else.',
      // Not an `example`, which the page at /docs would fill in: it is nobody's.
      schema: { ...UUID, examples: [created.uuid] },
    }),
    ApiProblem(
      'There is no such submission, or it is not yours.',
      { notFound: notFound('Submission') },
      privateHeaders,
    ),
  );
}

export function ApiIdempotencyKey() {
  return applyDecorators(
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'A text of your choice, such as a random UUID: new for each thing you want done, the same when you send it ' +
        'again. For 24 hours the same request with the same key gets the first answer and is not carried out twice. ' +
        'Only successes are remembered: after an error, send the request again with the same key.',
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: 255,
        pattern: '^[ -~]+$',
        examples: ['b3f1c2de-6a0f-4f0e-8a55-0d9c6c1f7e21'],
      },
    }),
    ApiProblem(
      'A request with this `Idempotency-Key` has not been answered yet.',
      { running: idempotentRequestRunning() },
      privateHeaders,
    ),
  );
}
