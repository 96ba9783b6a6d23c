import { created, onSecondStep, withValues } from '../src/submissions/submissions.examples.js';
import type { Answer } from './support/client.js';
import { expectDocumented } from './support/documented.js';

const PATH = `/api/v1/submissions/${withValues.uuid}`;
const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Request-Id': 'd5f2c1f0-6f6b-4e0e-9a53-0a4f7b6f2f11',
  ETag: `"${withValues.updated_at}"`,
};

const BODY = { data: withValues, form_version: 3 };

function answer({ status = 200, body, headers = {} }: Part): Answer {
  const given = Object.entries({ ...HEADERS, ...headers }).filter((pair): pair is [string, string] =>
    Boolean(pair[1]),
  );
  return { status, body: body ?? BODY, headers: new Headers(given) };
}

interface Part {
  status?: number;
  body?: unknown;
  /** Undefined removes a header. */
  headers?: Record<string, string | undefined>;
}

describe('the check of responses against the OpenAPI document', () => {
  it.each<[string, string, string, Part]>([
    ['that is documented', 'GET', PATH, {}],
    [
      'for a path in another letter case and with escapes',
      'GET',
      `/%61pi/v1/submissions/${withValues.uuid.toUpperCase()}`,
      {},
    ],
    [
      'with headers of rate limiting, CORS and HTTP',
      'GET',
      PATH,
      {
        headers: {
          'X-RateLimit-Limit': '60',
          Vary: 'Origin',
          'Access-Control-Allow-Origin': '*',
          Date: 'x',
          'X-Frame-Options': 'DENY',
        },
      },
    ],
    ['for an undocumented path', 'GET', '/api/v1/nothing', { status: 404, body: { message: 'x' } }],
  ])('accepts a response %s', (_what, method, path, part) => {
    expect(() => expectDocumented(method, path, answer(part))).not.toThrow();
  });

  const { uuid: _, ...withoutUuid } = withValues;
  const [value] = withValues.values;
  it.each<[string, RegExp, Part, string?, string?]>([
    ['an undocumented status', /answered 409, which/, { status: 409, body: { message: 'x' } }],
    [
      'an undocumented property',
      /additional properties/,
      { body: { ...BODY, data: { ...withValues, user_id: 1 } } },
    ],
    [
      'an undocumented nested property',
      /additional properties/,
      { body: { ...BODY, data: { ...withValues, values: [{ ...value, id: 1 }] } } },
    ],
    ['an undocumented property beside data', /additional properties/, { body: { ...BODY, links: {} } }],
    ['a missing version', /required property 'form_version'/, { body: { data: withValues } }],
    ['a missing property', /required property 'uuid'/, { body: { ...BODY, data: withoutUuid } }],
    ['a malformed UUID', /format "uuid"/, { body: { ...BODY, data: { ...withValues, uuid: 'x' } } }],
    [
      'milliseconds',
      /pattern/,
      { body: { ...BODY, data: { ...withValues, updated_at: '2026-11-21T10:17:02.480Z' } } },
    ],
    [
      'a day that does not exist',
      /format "date-time"/,
      { body: { ...BODY, data: { ...withValues, updated_at: '2026-02-30T10:17:02.480913Z' } } },
    ],
    ['a missing header', /without the header ETag/, { headers: { ETag: undefined } }],
    ['a missing request id', /without the header X-Request-Id/, { headers: { 'X-Request-Id': undefined } }],
    ['a malformed header', /another ETag/, { headers: { ETag: 'W/"x"' } }],
    [
      'a limit that is not a number',
      /another X-RateLimit-Limit/,
      { headers: { 'X-RateLimit-Limit': 'many' } },
    ],
    ['an undocumented header', /header x-user-id, which/, { headers: { 'X-User-Id': '1' } }],
    ['another content type', /content type text\/html/, { headers: { 'Content-Type': 'text/html' } }],
    ['no content type', /content type null/, { headers: { 'Content-Type': undefined } }],
    ['a response to HEAD with a body', /with a body/, {}, 'HEAD'],
    [
      'a 304 with a body',
      /with a body/,
      { status: 304, headers: { 'Cache-Control': 'no-cache' } },
      'GET',
      '/api/v1/forms',
    ],
    [
      'the body of another status',
      /exactly one schema/,
      { status: 422, body: { message: 'x', errors: {} }, headers: { ETag: undefined } },
      'PATCH',
    ],
    [
      'the body of another operation',
      /additional properties|required property/,
      { body: { ...BODY, data: onSecondStep } },
    ],
    [
      'success of an undocumented method',
      /not documented, answered 200/,
      { body: { ...BODY, data: created } },
      'PUT',
    ],
    ['success of an undocumented path', /not documented, answered 200/, {}, 'GET', '/api/v1/nothing'],
  ])('rejects %s', (_what, message, part, method = 'GET', path = PATH) => {
    expect(() => expectDocumented(method, path, answer(part))).toThrow(message);
  });
});
