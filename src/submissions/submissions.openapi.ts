import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiResponse, type ExamplesObject } from '#swagger';
import { conditionsMap } from '../forms/states/conditions.examples.js';
import { CONDITIONS } from '../forms/states/conditions.response.js';
import { form } from '../forms/forms.examples.js';
import { presentMessages } from '../http/errors/problem.presenter.js';
import {
  alreadyOnFirstStep,
  alreadyOnLastStep,
  type FieldErrors,
  notFound,
  type Problem,
} from '../http/errors/problems.js';
import {
  ApiContent,
  ApiErrors,
  ApiInvalid,
  ApiProblem,
  ApiRoute,
  COMPLETED,
  example,
} from '../http/openapi/openapi.decorators.js';
import { createdHeaders, privateHeaders, submissionHeaders } from '../http/openapi/openapi.headers.js';
import { type Content, inData, listOf, one } from '../http/openapi/openapi.schemas.js';
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
  ApiIdempotencyKey,
  ApiReadsSubmission,
  ApiWritesSubmission,
} from './submission-reference.openapi.js';
import * as examples from './submissions.examples.js';

const WITHOUT_BODY = 'No body is needed; one that is sent is not looked at, but must be JSON.';

/** In `data`, and the conditions beside it where the request includes them (V13). */
const withConditions = (content: Content) => inData(content, { conditions: CONDITIONS });
const conditionsIncluded = (data: unknown) => ({
  summary: 'include=conditions&shape=map',
  value: { data, conditions: { data: conditionsMap } },
});

export const ApiListSubmissions = () =>
  ApiRoute(
    'listSubmissions',
    'List your submissions',
    'Newest first, without their values, a page at a time: follow `links.next`, which is an absolute URL, until it ' +
      'is null. What is begun meanwhile is on the first page only. Each has the name of its form with it.',
    ApiContent(200, one(SubmissionPageResponse), 'A page of your submissions.', privateHeaders, {
      page: { value: examples.submissionPage },
      last: { summary: 'The last page', value: examples.lastSubmissionPage },
    }),
    ApiInvalid('A query parameter is wrong.', examples.listErrors),
  );

export const ApiCreateSubmission = () =>
  ApiRoute(
    'createSubmission',
    'Begin a submission',
    'Creates a draft on the first step of an active form. Only you can reach it.',
    ApiIdempotencyKey(),
    ApiBody({
      type: CreateSubmissionDto,
      examples: { jobApplication: { value: { form_uuid: form.uuid } } },
    }),
    ApiContent(201, withConditions(one(SubmissionResponse)), 'The new draft.', createdHeaders, {
      draft: example(examples.created),
    }),
    ApiErrors('malformedBody', 'bodyTooLarge', 'notJson'),
    ApiProblem(
      'You ask for conditions, and the draft was deleted before they were read: right after it was begun, or before you ' +
        'sent its `Idempotency-Key` again.',
      { notFound: notFound('Submission') },
    ),
    ApiInvalid(
      'The `form_uuid` names no active form, a query parameter is wrong, or the `Idempotency-Key` cannot be used.',
      { ...examples.createErrors, ...examples.keyErrors, ...examples.includeErrors },
    ),
  );

export const ApiGetSubmission = () =>
  ApiRoute(
    'getSubmission',
    'Read a submission with its values',
    'The values come by field id, and by entity record with the one without a record first.',
    ApiReadsSubmission(),
    ApiContent(200, withConditions(one(SubmissionWithValuesResponse)), 'The submission.', submissionHeaders, {
      draft: example(examples.withValues),
      withConditions: conditionsIncluded(examples.withValues),
    }),
    ApiInvalid('A query parameter is wrong.', examples.includeErrors),
  );

export const ApiPatchSubmission = () =>
  ApiRoute(
    'patchSubmission',
    'Complete a submission, or store meta with it',
    'Both properties are optional and change together or not at all. Completion is final: after it, only `meta` ' +
      'can change, and completing once more is a success. An empty object changes nothing, `updated_at` included.',
    ApiWritesSubmission(),
    ApiBody({
      type: PatchSubmissionDto,
      required: false,
      description: 'No body is the same as an empty object.',
      examples: {
        metaOnly: { summary: 'Store meta only', value: { meta: examples.withValues.meta } },
        complete: { summary: 'Complete it', value: { status: 'completed', meta: examples.completed.meta } },
        clearMeta: { summary: 'Clear meta', value: { meta: null } },
      },
    }),
    ApiContent(200, inData(one(SubmissionResponse)), 'The submission as it is now.', submissionHeaders, {
      completed: example(examples.completed),
    }),
    ApiInvalid(
      'A property is wrong, or `status: draft` is sent for a completed submission, or, where the `completion` of the ' +
        'form is strict, the values of the draft are not complete: an entry in `errors` for each field, by its code, ' +
        'and for each value of a record by code and record. Nothing was written.',
      examples.patchErrors,
      COMPLETED,
    ),
  );

export const ApiDeleteSubmission = () =>
  ApiRoute(
    'deleteSubmission',
    'Give a draft up',
    `Deletes a draft for good, with its values and records. A completed submission stays. ${WITHOUT_BODY}`,
    ApiWritesSubmission(),
    ApiResponse({ status: 204, description: 'The draft is gone.', headers: privateHeaders }),
    ApiProblem('The submission is completed.', COMPLETED),
  );

export const ApiStoreValues = () =>
  ApiRoute(
    'storeValues',
    'Store values',
    'Stores all entries or none. A value replaces the one that its field holds; a repeatable field holds one ' +
      'for each entity record and one without. Where a call has two entries for the same place, the last one ' +
      'is kept. The text is stored as it is: nothing checks it against the type or the options of the field.',
    ApiWritesSubmission(),
    ApiBody({
      type: StoreValuesDto,
      examples: {
        byCode: { summary: 'By code', value: examples.newValues },
        byId: { summary: 'By id, as the schema of the form says it', value: examples.newValuesById },
        emptied: {
          summary: 'No value',
          value: { values: [{ field_code: 'work_permit_number', value: '' }] },
        },
      },
    }),
    ApiContent(
      200,
      withConditions(listOf(SubmissionValueResponse)),
      'What is stored now for each entry, in the order sent.',
      submissionHeaders,
      {
        stored: example(examples.storedValues),
        withConditions: conditionsIncluded(examples.storedValues),
        nothingSent: example([], 'Of an empty array'),
      },
    ),
    ApiInvalid(
      'An entry cannot be stored, a query parameter is wrong, or the submission is completed. Nothing was written.',
      { ...examples.valuesErrors, ...examples.includeErrors },
      COMPLETED,
    ),
  );

export const ApiValidateSubmission = () =>
  ApiRoute(
    'validateSubmission',
    'See what completion would refuse',
    'Judges the values of all visible fields, or of those of one step, as completion does where the `completion` ' +
      'of the form is strict: whether required fields have a value, and whether values fit their fields and the rules ' +
      'of these. Changes nothing.',
    ApiReadsSubmission(),
    ApiContent(200, inData(one(ValidationResponse)), 'What there is to correct.', privateHeaders, {
      valid: example({ valid: true, errors: {} }),
      invalid: example({ valid: false, errors: presentMessages(examples.patchErrors.incomplete) }),
    }),
    ApiInvalid('The form has no such step.', examples.validationErrors),
  );

export const ApiAdvanceSubmission = () =>
  ApiRoute(
    'advanceSubmission',
    'Go to the next step',
    'Moves on by one step of the form, visible or not. It does not ask whether fields are filled in, unless with ' +
      `\`validate=true\`. ${WITHOUT_BODY}`,
    ApiMovesSubmission(
      { secondOfFive: example(examples.onSecondStep) },
      { lastStep: alreadyOnLastStep() },
      examples.advanceErrors,
    ),
  );

export const ApiRetreatSubmission = () =>
  ApiRoute(
    'retreatSubmission',
    'Go back to the previous step',
    `Moves back by one step of the form, visible or not. Values stay as they are. ${WITHOUT_BODY}`,
    ApiMovesSubmission({ firstOfFive: example(examples.onFirstStep) }, { firstStep: alreadyOnFirstStep() }),
  );

const ApiMovesSubmission = (
  steps: ExamplesObject,
  atTheEnd: Record<string, Problem>,
  fieldErrors: Record<string, FieldErrors> = {},
) =>
  applyDecorators(
    ApiWritesSubmission(),
    ApiIdempotencyKey(),
    ApiContent(
      200,
      withConditions(one(StepProgressResponse)),
      'Where the submission is now.',
      submissionHeaders,
      steps,
    ),
    ApiInvalid(
      'There is no step to go to, the submission is completed, or the `Idempotency-Key` or a parameter cannot be used.',
      { ...examples.keyErrors, ...examples.includeErrors, ...fieldErrors },
      { ...atTheEnd, ...COMPLETED },
    ),
  );
