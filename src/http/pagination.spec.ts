import { PageQuery, presentPage, readPage } from './pagination.js';
import type { Problem } from './errors/problems.js';
import { RequestValidationPipe } from './bodies/request-validation.pipe.js';

/** The output of a query string parser. */
type RawQuery = Record<string, string | string[]>;

function validate(query: RawQuery): PageQuery {
  const given = Object.assign(Object.create(null) as RawQuery, query);
  return new RequestValidationPipe().transform(given, { type: 'query', metatype: PageQuery }) as PageQuery;
}

function errorsOf(query: RawQuery): Problem['errors'] {
  try {
    validate(query);
  } catch (error) {
    return (error as Problem).errors;
  }
  throw new Error('The query was accepted.');
}

describe('F2: page and per_page', () => {
  it.each<[RawQuery, [page: number, perPage: number, offset: number]]>([
    [{}, [1, 15, 0]],
    [{ page: '2' }, [2, 15, 15]],
    [{ per_page: '100' }, [1, 100, 0]],
    [{ page: '3', per_page: '1' }, [3, 1, 2]],
    [{ page: '2147483647', per_page: '100' }, [2_147_483_647, 100, 214_748_364_600]],
    [{ unknown: '7', constructor: '5' }, [1, 15, 0]],
  ])('reads %j', (query, [page, perPage, offset]) => {
    expect(readPage(validate(query))).toEqual({ page, perPage, offset });
  });

  it.each([
    ...['0', '-1', '1.0', '1e1', '0x1', '+1', ' 1', '1 ', '', 'one', 'null', 'NaN', 'Infinity'],
    ...['1\u0000', '\u0661', '\uff11', '9'.repeat(400), '2147483648', '9007199254740993'],
    ...[['1', '2'], ['1'], []],
  ])('rejects %j as a page and as a per_page, and names both', (given) => {
    const error = (name: string, max: number) => ({
      code: 'not_an_integer',
      message: `The ${name} must be an integer from 1 to ${max}.`,
      params: { min: 1, max },
    });
    const both = { page: [error('page', 2_147_483_647)], per_page: [error('per_page', 100)] };
    expect(errorsOf({ page: given, per_page: given })).toEqual(both);
    expect(errorsOf({ per_page: '101' })).toEqual({ per_page: both.per_page });
  });
});

describe('the paginated response', () => {
  const URL = 'https://forms.example.org/api/v1/forms';

  it.each<
    [string, number | undefined, total: number, last: number, prev: number | null, next: number | null]
  >([
    ['the only page', undefined, 15, 1, null, null],
    ['the first of two', undefined, 16, 2, null, 2],
    ['one in the middle', 2, 45, 3, 1, 3],
    ['the last', 3, 45, 3, 2, null],
    ['F2: an empty list', undefined, 0, 1, null, null],
    ['F2: just past the last', 4, 45, 3, 3, null],
    ['F2: far past the last', 2_147_483_647, 45, 3, 3, null],
  ])('links %s', (_, page, total, last, prev, next) => {
    const link = (number: number | null) => (number === null ? null : `${URL}?page=${number}`);
    expect(presentPage(URL, page === undefined ? {} : { page }, total, [{ id: 1 }])).toEqual({
      data: [{ id: 1 }],
      links: { first: link(1), last: link(last), prev: link(prev), next: link(next) },
      meta: { current_page: page ?? 1, last_page: last, per_page: 15, total },
    });
  });

  it('F3: has per_page in every link if the client sent it', () => {
    expect(presentPage(URL, { page: 2, per_page: 15 }, 45, []).links).toEqual({
      first: `${URL}?page=1&per_page=15`,
      last: `${URL}?page=3&per_page=15`,
      prev: `${URL}?page=1&per_page=15`,
      next: `${URL}?page=3&per_page=15`,
    });
  });
});
