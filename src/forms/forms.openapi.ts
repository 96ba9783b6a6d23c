import { applyDecorators } from '@nestjs/common';
import { ApiParam } from '#swagger';
import {
  ApiCacheable,
  ApiErrors,
  ApiInvalid,
  ApiProblem,
  ApiRoute,
  example,
  versioned,
} from '../http/openapi/openapi.decorators.js';
import { notFound } from '../http/errors/problems.js';
import { limitHeaders } from '../http/openapi/openapi.headers.js';
import { inData, one, UUID } from '../http/openapi/openapi.schemas.js';
import { FormSchemaResponse } from './dto/form-schema.response.js';
import { FormPageResponse, FormResponse } from './dto/form.response.js';
import { form, formPage, formSchema, pageErrors, pagePastTheLast, versionErrors } from './forms.examples.js';
import { MAX_NAME, SLUG } from './limits.js';
import {
  conditionsErrors,
  conditionsListWithoutValues,
  conditionsWithoutValues,
  conditionsWithSteps,
} from './states/conditions.examples.js';
import { CONDITIONS } from './states/conditions.response.js';

export const ApiListForms = () =>
  ApiRoute(
    'listForms',
    'List the active forms',
    'Returns a page of forms in ascending order of `id`. The links are absolute URLs.',
    ApiInvalid('A query parameter is out of range.', pageErrors, {}, limitHeaders),
    ApiCacheable(one(FormPageResponse), 'A page of forms.', {
      page: { value: formPage },
      pastTheLast: { summary: 'A page past the last one', value: pagePastTheLast },
    }),
  );

export const ApiGetForm = () =>
  ApiRoute(
    'getForm',
    'Read a form',
    'Returns inactive forms too. Check `is_active`.',
    ApiFormUuid(),
    ApiForm(),
  );

export const ApiGetFormBySlug = () =>
  ApiRoute(
    'getFormBySlug',
    'Read a form by its slug',
    'Returns the same response as reading the form by its UUID.',
    ApiParam({
      name: 'slug',
      description: 'The `slug` of a form. A malformed slug gets 404.',
      schema: { type: 'string', pattern: SLUG, maxLength: MAX_NAME, example: form.slug },
    }),
    ApiForm(),
  );

export const ApiGetFormSchema = () =>
  ApiRoute(
    'getFormSchema',
    'Read the schema of a form',
    'Returns the steps, fields, options and conditions of a form, nested and in display order. The conditions ' +
      'are for information only: read the resolved states of a submission instead of evaluating them. ' +
      'The response changes only with `version`: cache it, and revalidate it with `If-None-Match`. ' +
      'With `version=N`, returns the schema as it was in that version, which never changes.',
    ApiFormUuid(),
    ApiErrors('malformedUrl'),
    ApiProblem(
      'There is no such form, or no submission was completed in this version.',
      { form: notFound('Form'), version: notFound('Version') },
      limitHeaders,
    ),
    ApiInvalid('The version is out of range.', versionErrors, {}, limitHeaders),
    ApiCacheable(inData(one(FormSchemaResponse)), 'The form with its steps.', {
      schema: example(formSchema, 'Shortened to one step and three of its fields'),
    }),
  );

export const ApiResolveFormConditions = () =>
  ApiRoute(
    'resolveFormConditions',
    'Resolve the states of fields before the first answer',
    'Evaluates all conditions of the form without any value: the states of a submission that has just begun. A page can ' +
      'show the form with them, and create the submission with the first answer. Inactive forms have states too. ' +
      'The response changes only with the `version` of the form: cache it, and revalidate it with `If-None-Match`.',
    ApiFormUuid(),
    ApiErrors('malformedUrl', 'formNotFound'),
    ApiInvalid(
      'A parameter is wrong.',
      { unknownShape: conditionsErrors.unknownShape, unknownSteps: conditionsErrors.unknownSteps },
      {},
      limitHeaders,
    ),
    ApiCacheable(CONDITIONS, 'The state of every field.', {
      map: versioned(conditionsWithoutValues, 'shape=map'),
      list: versioned(conditionsListWithoutValues, 'shape=list'),
      steps: { summary: 'shape=map&steps=true', value: conditionsWithSteps },
    }),
  );

const ApiFormUuid = () =>
  ApiParam({
    name: 'uuid',
    description: 'The `uuid` of a form, in any letter case. A malformed UUID gets 404.',
    schema: { ...UUID, example: form.uuid },
  });

const ApiForm = () =>
  applyDecorators(
    ApiCacheable(inData(one(FormResponse)), 'The form.', { form: example(form) }),
    ApiErrors('malformedUrl', 'formNotFound'),
  );
