import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { document } from '../support/documented.js';
import type { Schema } from '../support/openapi-types.js';
import { PageQuery } from '../../src/http/pagination.js';
import { Problem } from '../../src/http/errors/problems.js';
import { RequestValidationPipe } from '../../src/http/bodies/request-validation.pipe.js';
import { PatchSubmissionDto } from '../../src/submissions/dto/patch-submission.dto.js';
import { StoreValuesDto } from '../../src/submissions/dto/store-values.dto.js';

const pipe = new RequestValidationPipe();
const { schemas } = document.components;
const limit = (schema: string, property: string, keyword: 'maxItems' | 'maxLength') =>
  (schemas[schema]!.properties![property] as Schema)[keyword]!;
const maximum = (parameter: string) =>
  document.paths['/api/v1/forms']!.get!.parameters.find(({ name }) => name === parameter)!.schema.maximum!;
const metaOf = (bytes: number) => ({ meta: { text: 'x'.repeat(bytes - '{"text":""}'.length) } });
const entries = (count: number, value = '') => Array.from({ length: count }, () => ({ field_id: 1, value }));

/** Whether the service accepts a request, which is a query or else a body. */
function isAccepted(metatype: Type<object>, request: unknown): boolean {
  try {
    pipe.transform(request, { type: metatype.name.endsWith('Query') ? 'query' : 'body', metatype });
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

describe('limits in the OpenAPI document', () => {
  const valueOf = (length: number) => ({ values: entries(1, '🙂'.repeat(length)) });
  it.each<[string, Type<object>, (limit: number) => unknown, number]>([
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
  ])('are the largest values that the service accepts: %s', (_what, metatype, requestOf, most) => {
    expect(isAccepted(metatype, requestOf(most))).toBe(true);
    expect(isAccepted(metatype, requestOf(most + 1))).toBe(false);
  });
});
