import { API_PREFIX } from '../../http/api-prefix.js';
import { form, formPage, formSchema, pagePastTheLast } from '../examples/form-examples.js';
import { pageMistakes } from '../examples/mistakes.js';
import { formContentHeaders, formHeaders, limitHeaders } from '../headers.js';
import type { Content, Paths, Response } from '../openapi-types.js';
import { parameterRefs } from '../parameters.js';
import { json, responseRef, unprocessable } from '../responses.js';
import { inData, schemaRef } from '../schemas/vocabulary.js';
import { publicOperation } from './operation.js';

const unchanged: Response = {
  description: 'What you hold under the ETag in `If-None-Match` is still what you would get.',
  headers: formHeaders,
};

function cacheable(description: string, content: Content) {
  return { 200: { description, headers: formContentHeaders, content }, 304: unchanged };
}

const formContent = json(inData(schemaRef('Form')), { form: { value: { data: form } } });
const oneForm = {
  ...cacheable('The form.', formContent),
  400: responseRef('MalformedUrl'),
  404: responseRef('FormNotFound'),
};

export const formPaths: Paths = {
  [`${API_PREFIX}/forms`]: {
    get: publicOperation({
      operationId: 'listForms',
      summary: 'List the active forms',
      description: 'By `id`, ascending, a page at a time. The links are absolute URLs.',
      tags: ['Forms'],
      parameters: parameterRefs('Page', 'PerPage', 'IfNoneMatch'),
      responses: {
        ...cacheable(
          'A page of forms.',
          json(schemaRef('FormPage'), {
            page: { value: formPage },
            pastTheLast: { summary: 'A page past the last one', value: pagePastTheLast },
          }),
        ),
        422: unprocessable('A query parameter is out of range.', pageMistakes, limitHeaders),
      },
    }),
  },

  [`${API_PREFIX}/forms/{uuid}`]: {
    get: publicOperation({
      operationId: 'getForm',
      summary: 'Read a form',
      description: 'Inactive forms can be read too: `is_active` tells them apart.',
      tags: ['Forms'],
      parameters: parameterRefs('FormUuid', 'IfNoneMatch'),
      responses: oneForm,
    }),
  },

  [`${API_PREFIX}/forms/{slug}/by-slug`]: {
    get: publicOperation({
      operationId: 'getFormBySlug',
      summary: 'Read a form by its slug',
      description: 'The same answer as reading it by its UUID.',
      tags: ['Forms'],
      parameters: parameterRefs('Slug', 'IfNoneMatch'),
      responses: oneForm,
    }),
  },

  [`${API_PREFIX}/forms/{uuid}/schema`]: {
    get: publicOperation({
      operationId: 'getFormSchema',
      summary: 'Read everything that a form consists of',
      description:
        'Steps, fields, options and conditions, nested and in the order to show them, in one call. The conditions ' +
        'are there for information: ask for the resolved states of a submission instead of evaluating them. ' +
        'The answer changes when `version` does; keep it, and ask again with `If-None-Match`.',
      tags: ['Forms'],
      parameters: parameterRefs('FormUuid', 'IfNoneMatch'),
      responses: {
        ...oneForm,
        ...cacheable(
          'The form with its steps.',
          json(inData(schemaRef('FormSchema')), {
            schema: {
              summary: 'Shortened to one step and three of its fields',
              value: { data: formSchema },
            },
          }),
        ),
      },
    }),
  },
};
