import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { document } from '../../test/support/documented.js';
import type { Schema } from '../../test/support/openapi-types.js';
import { conditionsErrors } from '../forms/states/conditions.examples.js';
import { ConditionsQuery } from '../forms/states/conditions-query.dto.js';
import type { WholeFormRow } from '../forms/form.statements.js';
import { compileForm } from '../forms/compile-form.js';
import { Environment } from '../config/environment.js';
import { PageQuery } from '../http/pagination.js';
import { type FieldErrors, Problem } from '../http/errors/problems.js';
import { RequestValidationPipe } from '../http/bodies/request-validation.pipe.js';
import { CreateSubmissionDto } from '../submissions/dto/create-submission.dto.js';
import { AdvanceQuery, IncludeQuery } from '../submissions/dto/include-query.dto.js';
import { PatchSubmissionDto } from '../submissions/dto/patch-submission.dto.js';
import { ValidationQuery } from '../submissions/dto/validation-query.dto.js';
import { StoreValuesDto } from '../submissions/dto/store-values.dto.js';
import { ListQuery } from '../submissions/list/list-query.dto.js';
import { resolveEntries } from '../submissions/values/value-entries.js';
import {
  advanceErrors,
  createErrors,
  includeErrors,
  listErrors,
  patchErrors,
  validationErrors,
  valuesErrors,
} from '../submissions/submissions.examples.js';
import { pageErrors } from '../forms/forms.examples.js';

const pipe = new RequestValidationPipe();
const { schemas } = document.components;
const limit = (schema: string, property: string, keyword: 'maxItems' | 'maxLength') =>
  (schemas[schema]?.properties?.[property] as Schema)[keyword]!;
const maximum = (parameter: string) =>
  document.paths['/api/v1/forms']!.get!.parameters.find(({ name }) => name === parameter)!.schema.maximum!;
const metaOf = (bytes: number) => ({ meta: { text: 'x'.repeat(bytes - '{"text":""}'.length) } });

describe('errors and limits in the OpenAPI document', () => {
  it.each<[string, 'body' | 'query', Type<object>, unknown, FieldErrors]>([
    ['page', 'query', PageQuery, { page: '0', per_page: '101' }, pageErrors.outOfRange],
    ['form_uuid', 'body', CreateSubmissionDto, {}, createErrors.missing],
    ['types', 'body', PatchSubmissionDto, { status: 'open', meta: [] }, patchErrors.wrongTypes],
    ['meta', 'body', PatchSubmissionDto, metaOf(16_395), patchErrors.metaTooLarge],
    [
      'values',
      'body',
      StoreValuesDto,
      { values: [{ value: 'x' }, { field_id: 1, value: 1 }, { field_id: 1 }] },
      valuesErrors.wrongTypes,
    ],
    [
      'text',
      'body',
      StoreValuesDto,
      { values: [{ field_id: 1, value: 'a\u0000' }] },
      valuesErrors.unstorable,
    ],
    ['count', 'body', StoreValuesDto, { values: entries(501) }, valuesErrors.tooMany],
    ['shape', 'query', ConditionsQuery, { shape: 'tree' }, conditionsErrors.unknownShape],
    ['include', 'query', IncludeQuery, { include: 'values' }, includeErrors.unknownInclude],
    ['filters', 'query', ListQuery, { status: 'open', per_page: '0', cursor: '2' }, listErrors.wrongFilters],
    ['explain', 'query', ConditionsQuery, { explain: '1' }, conditionsErrors.unknownExplain],
    ['validate', 'query', AdvanceQuery, { validate: 'yes' }, advanceErrors.unknownValidate],
    ['step', 'query', ValidationQuery, { step: 'two' }, validationErrors.unknownStep],
  ])('match the service: %s', (_what, type, metatype, request, errors) => {
    expect(errorsOf(() => pipe.transform(request, { type, metatype }))).toEqual(errors);
  });

  it('match the service for unknown fields and display-only fields', async () => {
    const form = await compileForm(formWithHeading(), new Environment());
    const unknown = [
      { field_id: 4711, value: '' },
      { field_code: 'nickname', value: '' },
    ];
    expect(resolveEntries(form, unknown)).toHaveProperty('errors', valuesErrors.unknownFields);
    const heading = [{ field_code: 'documents_heading', value: '' }];
    expect(resolveEntries(form, heading)).toHaveProperty('errors', valuesErrors.displayOnly);
  });

  it.each<[string, 'body' | 'query', Type<object>, (limit: number) => unknown, number]>([
    ['page', 'query', PageQuery, (page) => ({ page: String(page) }), maximum('page')],
    ['per_page', 'query', PageQuery, (size) => ({ per_page: String(size) }), maximum('per_page')],
    [
      'entries',
      'body',
      StoreValuesDto,
      (count) => ({ values: entries(count) }),
      limit('NewValues', 'values', 'maxItems'),
    ],
    [
      'value',
      'body',
      StoreValuesDto,
      (length) => ({ values: entries(1, '🙂'.repeat(length)) }),
      limit('NewValue', 'value', 'maxLength'),
    ],
    ['meta', 'body', PatchSubmissionDto, metaOf, 16 * 1024],
  ])('include the largest value that the service accepts: %s', (_what, type, metatype, request, limit) => {
    expect(errorsOf(() => pipe.transform(request(limit), { type, metatype }))).toBeUndefined();
    expect(errorsOf(() => pipe.transform(request(limit + 1), { type, metatype }))).toBeDefined();
  });
});

function entries(count: number, value = '') {
  return Array.from({ length: count }, () => ({ field_id: 1, value }));
}

function errorsOf(work: () => unknown): FieldErrors | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.errors;
    throw error;
  }
}

function formWithHeading(): WholeFormRow {
  const heading = {
    id: 22,
    step_id: 1,
    code: 'documents_heading',
    label: 'Your documents',
    placeholder: null,
    description: null,
    is_required: false,
    is_repeatable: false,
    default_value: null,
    max_bytes: null,
    accept: null,
    meta: null,
    order: 1,
    entity: null,
    retired: false,
    field_type: { name: 'heading', component: 'heading-display' },
    options: [],
    rules: [],
  };
  const step = { id: 1, step_number: 1, title: '', description: '', is_visible: true, meta: null };
  return {
    id: 1,
    uuid: '3f0c9a52-7d41-4b8e-9c26-51e8a7d0b314',
    name: 'Job application',
    slug: 'job-application',
    description: '',
    is_active: true,
    version: 1,
    completion: null,
    access: 'token',
    proof_of_work: null,
    time_zone: null,
    updated_by: null,
    created_at: '',
    updated_at: '',
    steps: [step],
    fields: [heading],
    conditions: [],
    entities: [],
  };
}
