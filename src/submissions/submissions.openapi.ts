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
  versioned,
} from '../http/openapi/openapi.decorators.js';
import { createdHeaders, privateHeaders, submissionHeaders } from '../http/openapi/openapi.headers.js';
import { type Content, withFormVersion, listOf, one } from '../http/openapi/openapi.schemas.js';
import { CreateSubmissionDto } from './dto/create-submission.dto.js';
import { PatchSubmissionDto } from './dto/patch-submission.dto.js';
import { StoreValuesDto } from './dto/store-values.dto.js';
import {
  ShownSubmissionResponse,
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

const WITHOUT_BODY = 'A request body is not needed. If you send one, it must be JSON, and it is ignored.';

/** The content in `data`, and beside it the conditions if the request includes them (V13). */
const withConditions = (content: Content) => withFormVersion(content, { conditions: CONDITIONS });
const conditionsIncluded = (data: unknown) => ({
  summary: 'include=conditions&shape=map',
  value: { data, form_version: 3, conditions: { data: conditionsMap, form_version: 3 } },
});

export const ApiListSubmissions = () =>
  ApiRoute(
    'listSubmissions',
    'List your submissions',
    'Returns a page of your submissions, newest first, with the name of the form and without values. Follow ' +
      '`links.next`, which is an absolute URL, until it is null. Submissions created in the meantime appear only ' +
      'on the first page.',
    ApiContent(200, one(SubmissionPageResponse), 'A page of your submissions.', privateHeaders, {
      page: { value: examples.submissionPage },
      last: { summary: 'The last page', value: examples.lastSubmissionPage },
    }),
    ApiInvalid('A query parameter is invalid.', examples.listErrors),
  );

export const ApiCreateSubmission = () =>
  ApiRoute(
    'createSubmission',
    'Begin a submission',
    'Creates a draft on the first step of an active form. Only you can access it. With the token of a preview, the form ' +
      'may be inactive, and the draft is a test (`is_test`).',
    ApiIdempotencyKey(),
    ApiBody({
      type: CreateSubmissionDto,
      examples: { jobApplication: { value: { form_uuid: form.uuid } } },
    }),
    ApiContent(201, withConditions(one(ShownSubmissionResponse)), 'The new draft.', createdHeaders, {
      draft: versioned(examples.created),
    }),
    ApiErrors('malformedBody', 'bodyTooLarge', 'notJson'),
    ApiProblem(
      'The request includes conditions, and the draft was deleted before they were read: right after it was created, or ' +
        'before you retried with its `Idempotency-Key`.',
      { notFound: notFound('Submission') },
    ),
    ApiInvalid(
      'The `form_uuid` names no active form, a query parameter is invalid, or the `Idempotency-Key` is invalid or was ' +
        'used for another request.',
      { ...examples.createErrors, ...examples.keyErrors, ...examples.includeErrors },
    ),
  );

export const ApiGetSubmission = () =>
  ApiRoute(
    'getSubmission',
    'Read a submission with its values',
    'The values are sorted by field id, then by entity record. A value without a record comes first.',
    ApiReadsSubmission(),
    ApiContent(200, withConditions(one(SubmissionWithValuesResponse)), 'The submission.', submissionHeaders, {
      draft: versioned(examples.withValues),
      withConditions: conditionsIncluded(examples.withValues),
    }),
    ApiInvalid('A query parameter is invalid.', examples.includeErrors),
  );

export const ApiPatchSubmission = () =>
  ApiRoute(
    'patchSubmission',
    'Complete a submission or store its meta',
    'Both properties are optional. Either both changes are applied or neither. Completion is final: after it, only ' +
      '`meta` can change. Completing again succeeds. An empty object changes nothing, not even `updated_at`.',
    ApiWritesSubmission(),
    ApiBody({
      type: PatchSubmissionDto,
      required: false,
      description: 'A missing body is the same as an empty object.',
      examples: {
        metaOnly: { summary: 'Store meta only', value: { meta: examples.withValues.meta } },
        complete: { summary: 'Complete it', value: { status: 'completed', meta: examples.completed.meta } },
        clearMeta: { summary: 'Clear meta', value: { meta: null } },
      },
    }),
    ApiContent(
      200,
      withFormVersion(one(SubmissionResponse)),
      'The submission as it is now.',
      submissionHeaders,
      {
        completed: versioned(examples.completed),
      },
    ),
    ApiInvalid(
      'A property is invalid, the request sends `status: draft` for a completed submission, or the `completion` of the ' +
        'form is strict and rejects the values of the draft. Then `errors` has an entry for each field by its code, and ' +
        'for each value in a record by code and record id. Nothing was written.',
      examples.patchErrors,
      COMPLETED,
    ),
  );

export const ApiDeleteSubmission = () =>
  ApiRoute(
    'deleteSubmission',
    'Delete a draft',
    `Deletes a draft permanently, with its values and records. Rejects a completed submission. ${WITHOUT_BODY}`,
    ApiWritesSubmission(),
    ApiResponse({ status: 204, description: 'The draft was deleted.', headers: privateHeaders }),
    ApiProblem('The submission is completed.', COMPLETED),
  );

export const ApiStoreValues = () =>
  ApiRoute(
    'storeValues',
    'Store values',
    'Stores all entries or none. A value replaces the stored value of its field. A repeatable field holds one value ' +
      'for each entity record, and one without a record. If several entries are for the same place, the last one is ' +
      'stored. Values are stored unchanged, and are not checked against the type or the options of the field.',
    ApiWritesSubmission(),
    ApiBody({
      type: StoreValuesDto,
      examples: {
        byCode: { summary: 'By code', value: examples.newValues },
        byId: { summary: 'By id, from the schema of the form', value: examples.newValuesById },
        emptied: {
          summary: 'No value',
          value: { values: [{ field_code: 'work_permit_number', value: '' }] },
        },
      },
    }),
    ApiContent(
      200,
      withConditions(listOf(SubmissionValueResponse)),
      'The value that is now stored for each entry, in the order of the request.',
      submissionHeaders,
      {
        stored: versioned(examples.storedValues),
        withConditions: conditionsIncluded(examples.storedValues),
        nothingSent: versioned([], 'After an empty array'),
      },
    ),
    ApiInvalid(
      'An entry cannot be stored, a query parameter is invalid, or the submission is completed. Nothing was written.',
      { ...examples.valuesErrors, ...examples.includeErrors },
      COMPLETED,
    ),
  );

export const ApiValidateSubmission = () =>
  ApiRoute(
    'validateSubmission',
    'Check the values as strict completion does',
    'Checks the values of all visible fields, or of the visible fields of one step, as strict completion does, even if ' +
      'the `completion` of the form is lenient: required fields must have a value, except on steps whose `is_visible` is ' +
      'false, and values must fit their fields and the rules of the fields. Changes nothing.',
    ApiReadsSubmission(),
    ApiContent(200, withFormVersion(one(ValidationResponse)), 'The result of the check.', privateHeaders, {
      valid: versioned({ valid: true, errors: {} }),
      invalid: versioned({ valid: false, errors: presentMessages(examples.patchErrors.incomplete) }),
    }),
    ApiInvalid('The form has no such step.', examples.validationErrors),
  );

export const ApiAdvanceSubmission = () =>
  ApiRoute(
    'advanceSubmission',
    'Go to the next step',
    'Moves forward by one step of the form, even to a hidden step. With `skip=hidden`, moves to the next step that is ' +
      'visible and has a visible field. Checks the values of the current step only with `validate=true`. ' +
      WITHOUT_BODY,
    ApiMovesSubmission(
      {
        secondOfFive: versioned(examples.onSecondStep),
        secondOfThree: versioned(examples.onSecondVisibleStep, 'skip=hidden, with two hidden steps'),
      },
      { lastStep: alreadyOnLastStep() },
      examples.advanceErrors,
    ),
  );

export const ApiRetreatSubmission = () =>
  ApiRoute(
    'retreatSubmission',
    'Go back to the previous step',
    'Moves back by one step of the form, even to a hidden step. With `skip=hidden`, moves to the previous step that is ' +
      `visible and has a visible field. Values do not change. ${WITHOUT_BODY}`,
    ApiMovesSubmission({ firstOfFive: versioned(examples.onFirstStep) }, { firstStep: alreadyOnFirstStep() }),
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
      'The new position of the submission.',
      submissionHeaders,
      steps,
    ),
    ApiInvalid(
      'There is no step in this direction (with `skip=hidden`: no such step), the submission is completed, or the `Idempotency-Key` or a query parameter is ' +
        'invalid.',
      { ...examples.keyErrors, ...examples.includeErrors, ...examples.moveErrors, ...fieldErrors },
      { ...atTheEnd, ...COMPLETED },
    ),
  );
