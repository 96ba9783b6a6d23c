import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { document } from '../support/documented.js';
import type { Schema } from '../support/openapi-types.js';
import { conditionsErrors } from '../../src/forms/states/conditions.examples.js';
import { ConditionsQuery } from '../../src/forms/states/conditions-query.dto.js';
import { pageErrors } from '../../src/forms/forms.examples.js';
import type { PublishedForm } from '../../src/forms/published-form.js';
import { PageQuery } from '../../src/http/pagination.js';
import { type FieldErrors, Problem } from '../../src/http/errors/problems.js';
import { RequestValidationPipe } from '../../src/http/bodies/request-validation.pipe.js';
import { CreateSubmissionDto } from '../../src/submissions/dto/create-submission.dto.js';
import { AdvanceQuery, IncludeQuery } from '../../src/submissions/dto/include-query.dto.js';
import { PatchSubmissionDto } from '../../src/submissions/dto/patch-submission.dto.js';
import { ValidationQuery } from '../../src/submissions/dto/validation-query.dto.js';
import { StoreValuesDto } from '../../src/submissions/dto/store-values.dto.js';
import { ListQuery } from '../../src/submissions/list/list-query.dto.js';
import { resolveEntries } from '../../src/submissions/values/value-entries.js';
import * as examples from '../../src/submissions/submissions.examples.js';

const { valuesErrors } = examples;
const pipe = new RequestValidationPipe();
const { schemas } = document.components;
const limit = (schema: string, property: string, keyword: 'maxItems' | 'maxLength') =>
  (schemas[schema]?.properties?.[property] as Schema)[keyword]!;
const maximum = (parameter: string) =>
  document.paths['/api/v1/forms']!.get!.parameters.find(({ name }) => name === parameter)!.schema.maximum!;
const metaOf = (bytes: number) => ({ meta: { text: 'x'.repeat(bytes - '{"text":""}'.length) } });
const entries = (count: number, value = '') => Array.from({ length: count }, () => ({ field_id: 1, value }));

type Case<Request> = [string, Type<object>, Request];

/** Returns the errors of a request, which is a query or else a body. */
function errorsOf(metatype: Type<object>, request: unknown): FieldErrors | undefined {
  try {
    pipe.transform(request, { type: metatype.name.endsWith('Query') ? 'query' : 'body', metatype });
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.errors;
    throw error;
  }
}

describe('errors and limits in the OpenAPI document', () => {
  const wrongTypes = { values: [{ value: 'x' }, { field_id: 1, value: 1 }, { field_id: 1 }] };

  it.each<[...Case<unknown>, FieldErrors]>([
    ['page', PageQuery, { page: '0', per_page: '101' }, pageErrors.outOfRange],
    ['form_uuid', CreateSubmissionDto, {}, examples.createErrors.missing],
    ['types', PatchSubmissionDto, { status: 'open', meta: [] }, examples.patchErrors.wrongTypes],
    ['meta', PatchSubmissionDto, metaOf(16_395), examples.patchErrors.metaTooLarge],
    ['values', StoreValuesDto, wrongTypes, valuesErrors.wrongTypes],
    ['text', StoreValuesDto, { values: [{ field_id: 1, value: 'a\u0000' }] }, valuesErrors.unstorable],
    ['count', StoreValuesDto, { values: entries(501) }, valuesErrors.tooMany],
    ['shape', ConditionsQuery, { shape: 'tree' }, conditionsErrors.unknownShape],
    ['include', IncludeQuery, { include: 'values' }, examples.includeErrors.unknownInclude],
    ['filters', ListQuery, { status: 'open', per_page: '0', cursor: '2' }, examples.listErrors.wrongFilters],
    ['explain', ConditionsQuery, { explain: '1' }, conditionsErrors.unknownExplain],
    ['validate', AdvanceQuery, { validate: 'yes' }, examples.advanceErrors.unknownValidate],
    ['step', ValidationQuery, { step: 'two' }, examples.validationErrors.unknownStep],
  ])('match the service: %s', (_what, metatype, request, errors) => {
    expect(errorsOf(metatype, request)).toEqual(errors);
  });

  it('match the service for unknown fields and display-only fields', () => {
    const heading = { code: 'documents_heading', isDisplayOnly: true };
    const form = { fieldsById: new Map(), fieldsByCode: new Map([[heading.code, heading]]) };
    const errors = (...fields: object[]) => {
      const values = fields.map((field) => ({ ...field, value: '' }));
      return resolveEntries(form as unknown as PublishedForm, values);
    };
    expect(errors({ field_id: 4711 }, { field_code: 'nickname' })).toHaveProperty(
      'errors',
      valuesErrors.unknownFields,
    );
    expect(errors({ field_code: heading.code })).toHaveProperty('errors', valuesErrors.displayOnly);
  });

  const valueOf = (length: number) => ({ values: entries(1, '🙂'.repeat(length)) });
  it.each<[...Case<(limit: number) => unknown>, number]>([
    ['page', PageQuery, (page) => ({ page: String(page) }), maximum('page')],
    ['per_page', PageQuery, (size) => ({ per_page: String(size) }), maximum('per_page')],
    [
      'entries',
      StoreValuesDto,
      (count) => ({ values: entries(count) }),
      limit('NewValues', 'values', 'maxItems'),
    ],
    ['value', StoreValuesDto, valueOf, limit('NewValue', 'value', 'maxLength')],
    ['meta', PatchSubmissionDto, metaOf, 16 * 1024],
  ])('include the largest value that the service accepts: %s', (_what, metatype, requestOf, most) => {
    expect(errorsOf(metatype, requestOf(most))).toBeUndefined();
    expect(errorsOf(metatype, requestOf(most + 1))).toBeDefined();
  });
});
