import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiParam } from '#swagger';
import { ApiCacheable, ApiErrors, ApiPaginated, ApiProblem } from '../http/openapi/openapi.decorators.js';
import { inData, one, UUID } from '../http/openapi/openapi.schemas.js';
import { notFound } from '../http/errors/problems.js';
import { FormSchemaResponse } from './dto/form-schema.response.js';
import { FormPageResponse, FormResponse } from './dto/form.response.js';
import { form, formPage, formSchema, pagePastTheLast } from './forms.examples.js';
import { MAX_NAME, SLUG } from './limits.js';

export const ApiListForms = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'listForms',
      summary: 'List the active forms',
      description: 'By `id`, ascending, a page at a time. The links are absolute URLs.',
    }),
    ApiPaginated(),
    ApiCacheable({
      ...one(FormPageResponse),
      description: 'A page of forms.',
      examples: {
        page: { value: formPage },
        pastTheLast: { summary: 'A page past the last one', value: pagePastTheLast },
      },
    }),
  );

export const ApiGetForm = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'getForm',
      summary: 'Read a form',
      description: 'Inactive forms can be read too: `is_active` tells them apart.',
    }),
    ApiFormUuid(),
    ApiForm(),
  );

export const ApiGetFormBySlug = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'getFormBySlug',
      summary: 'Read a form by its slug',
      description: 'The same answer as reading it by its UUID.',
    }),
    ApiParam({
      name: 'slug',
      description: 'The `slug` of a form. A malformed one is 404.',
      schema: { type: 'string', pattern: SLUG, maxLength: MAX_NAME, example: form.slug },
    }),
    ApiForm(),
  );

export const ApiGetFormSchema = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'getFormSchema',
      summary: 'Read everything that a form consists of',
      description:
        'Steps, fields, options and conditions, nested and in the order to show them, in one call. The conditions ' +
        'are there for information: ask for the resolved states of a submission instead of evaluating them. ' +
        'The answer changes when `version` does; keep it, and ask again with `If-None-Match`.',
    }),
    ApiFormUuid(),
    ApiFormNotFound(),
    ApiCacheable({
      ...inData(one(FormSchemaResponse)),
      description: 'The form with its steps.',
      examples: {
        schema: { summary: 'Shortened to one step and three of its fields', value: { data: formSchema } },
      },
    }),
  );

function ApiFormUuid() {
  return ApiParam({
    name: 'uuid',
    description: 'The `uuid` of a form, in any letter case. A malformed one is 404.',
    schema: { ...UUID, example: form.uuid },
  });
}

function ApiForm() {
  return applyDecorators(
    ApiCacheable({
      ...inData(one(FormResponse)),
      description: 'The form.',
      examples: { form: { value: { data: form } } },
    }),
    ApiFormNotFound(),
  );
}

function ApiFormNotFound() {
  return applyDecorators(
    ApiErrors('malformedUrl'),
    ApiProblem('There is no such form.', { notFound: notFound('Form') }),
  );
}
