import { PageQuery, presentPage, readPage } from './pagination.js';
import { Problem } from './errors/problems.js';
import { RequestValidationPipe } from './bodies/request-validation.pipe.js';

/** The output of a query string parser. */
type RawQuery = Record<string, string | string[]>;

function validate(query: RawQuery): PageQuery {
  const given = Object.assign(Object.create(null) as RawQuery, query);
  return new RequestValidationPipe().transform(given, { type: 'query', metatype: PageQuery }) as PageQuery;
}

function rejectionOf(query: RawQuery): Problem {
  try {
    validate(query);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('The query was accepted.');
}

describe('F2: page and per_page', () => {
  it.each<[RawQuery, { page: number; perPage: number; offset: number }]>([
    [{}, { page: 1, perPage: 15, offset: 0 }],
    [{ page: '2' }, { page: 2, perPage: 15, offset: 15 }],
    [{ per_page: '100' }, { page: 1, perPage: 100, offset: 0 }],
    [
      { page: '3', per_page: '1' },
      { page: 3, perPage: 1, offset: 2 },
    ],
    [
      { page: '2147483647', per_page: '100' },
      { page: 2_147_483_647, perPage: 100, offset: 214_748_364_600 },
    ],
    [
      { unknown: '7', constructor: '5' },
      { page: 1, perPage: 15, offset: 0 },
    ],
  ])('reads %j', (query, expected) => {
    expect(readPage(validate(query))).toEqual(expected);
  });

  const bad: (string | string[])[] = [
    '0',
    '-1',
    '1.0',
    '1.5',
    '1e1',
    '0x1',
    '+1',
    ' 1',
    '1 ',
    '',
    'one',
    'null',
    'NaN',
    'Infinity',
    '1\u0000',
    '\u0661',
    '\uff11',
    '9'.repeat(400),
    ['1', '2'],
    ['1'],
    [],
  ];

  it.each([...bad, '2147483648', '9007199254740993'])('rejects the page %j', (page) => {
    const { status, message, errors } = rejectionOf({ page });
    expect({ status, message, errors }).toEqual({
      status: 422,
      message: 'The given data was invalid.',
      errors: {
        page: [
          {
            code: 'not_an_integer',
            message: 'The page must be an integer from 1 to 2147483647.',
            params: { min: 1, max: 2_147_483_647 },
          },
        ],
      },
    });
  });

  it.each([...bad, '101', '2147483647'])('rejects the per_page %j', (per_page) => {
    const { status, message, errors } = rejectionOf({ per_page });
    expect({ status, message, errors }).toEqual({
      status: 422,
      message: 'The given data was invalid.',
      errors: {
        per_page: [
          {
            code: 'not_an_integer',
            message: 'The per_page must be an integer from 1 to 100.',
            params: { min: 1, max: 100 },
          },
        ],
      },
    });
  });

  it('names both parameters if both are invalid', () => {
    expect(Object.keys(rejectionOf({ page: 'a', per_page: 'b' }).errors ?? {})).toEqual(['page', 'per_page']);
  });
});

describe('the paginated response (specification, section 1)', () => {
  const URL = 'https://forms.example.org/api/v1/forms';
  const page = (query: { page?: number; per_page?: number }, total: number) =>
    presentPage(URL, query, total, []);

  it.each<
    [
      string,
      { page?: number },
      number,
      { first: number; last: number; prev: number | null; next: number | null },
    ]
  >([
    ['the only page', {}, 15, { first: 1, last: 1, prev: null, next: null }],
    ['the first of two', {}, 16, { first: 1, last: 2, prev: null, next: 2 }],
    ['one in the middle', { page: 2 }, 45, { first: 1, last: 3, prev: 1, next: 3 }],
    ['the last', { page: 3 }, 45, { first: 1, last: 3, prev: 2, next: null }],
    ['F2: an empty list', {}, 0, { first: 1, last: 1, prev: null, next: null }],
    ['F2: just past the last', { page: 4 }, 45, { first: 1, last: 3, prev: 3, next: null }],
  ])('links %s', (_, query, total, expected) => {
    const link = (number: number | null) => (number === null ? null : `${URL}?page=${number}`);
    const { links, meta } = page(query, total);
    expect(links).toEqual({
      first: link(expected.first),
      last: link(expected.last),
      prev: link(expected.prev),
      next: link(expected.next),
    });
    expect(meta).toEqual({
      current_page: query.page ?? 1,
      last_page: expected.last,
      per_page: 15,
      total,
    });
  });

  it('F2: links from far past the last page back to the last page', () => {
    expect(page({ page: 2_147_483_647 }, 45).links).toEqual({
      first: `${URL}?page=1`,
      last: `${URL}?page=3`,
      prev: `${URL}?page=3`,
      next: null,
    });
  });

  it('F3: puts per_page into every link if the client sent it, and into none otherwise', () => {
    expect(page({ page: 2, per_page: 15 }, 45).links).toEqual({
      first: `${URL}?page=1&per_page=15`,
      last: `${URL}?page=3&per_page=15`,
      prev: `${URL}?page=1&per_page=15`,
      next: `${URL}?page=3&per_page=15`,
    });
    expect(page({ page: 2 }, 45).links.first).toBe(`${URL}?page=1`);
  });

  it('puts the rows under data', () => {
    expect(presentPage(URL, {}, 2, [{ id: 1 }, { id: 2 }]).data).toEqual([{ id: 1 }, { id: 2 }]);
  });
});
