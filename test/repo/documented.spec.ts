import { presentProblemDetails } from '../../src/http/errors/problem.presenter.js';
import { notFoundProblem } from '../../src/http/errors/problems.js';
import { withValues } from '../../src/submissions/submissions.examples.js';
import { expectDocumented } from '../support/documented.js';

const PATH = `/api/v1/submissions/${withValues.uuid}`;
const BODY = { data: withValues, form_version: 3 };

interface Part {
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly body?: unknown;
  /** Undefined removes a header. */
  readonly headers?: Record<string, string | undefined>;
}

/** Checks the documented response to a submission's reader, with changes. */
function check({ method = 'GET', path = PATH, status = 200, body = BODY, headers = {} }: Part) {
  const all = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Request-Id': 'd5f2c1f0-6f6b-4e0e-9a53-0a4f7b6f2f11',
    ETag: `"${withValues.updated_at}"`,
    ...headers,
  };
  const given = Object.entries(all).filter((pair): pair is [string, string] => Boolean(pair[1]));
  expectDocumented(method, path, { status, body, headers: new Headers(given) });
}

const withData = (data: object) => ({ body: { ...BODY, data: { ...withValues, ...data } } });

const UNDOCUMENTED_CODE: Part = {
  status: 404,
  body: presentProblemDetails(notFoundProblem('Form')),
  headers: { 'Content-Type': 'application/problem+json', ETag: undefined },
};

/** All tests over HTTP rely on this check. */
describe('the check of responses against the OpenAPI document', () => {
  it.each<[string, Part]>([
    ['that is documented', {}],
    ['with headers of CORS and HTTP', { headers: { Vary: 'Origin', 'Access-Control-Allow-Origin': '*' } }],
    ['for an undocumented path', { path: '/api/v1/nothing', status: 404, body: { message: 'x' } }],
  ])('accepts a response %s', (_what, part) => {
    expect(() => {
      check(part);
    }).not.toThrow();
  });

  it.each<[string, RegExp, Part]>([
    ['an undocumented status', /answered 409, which/, { status: 409, body: { message: 'x' } }],
    ['an undocumented property', /additional properties/, withData({ user_id: 1 })],
    ['an undocumented property beside data', /additional properties/, { body: { ...BODY, links: {} } }],
    ['a missing property', /required property 'form_version'/, { body: { data: withValues } }],
    ['an undocumented code', /with the code form_not_found/, UNDOCUMENTED_CODE],
    ['a malformed UUID', /format "uuid"/, withData({ uuid: 'x' })],
    ['milliseconds', /pattern/, withData({ updated_at: '2026-11-21T10:17:02.480Z' })],
    ['a missing header', /without the header ETag/, { headers: { ETag: undefined } }],
    ['a malformed header', /another ETag/, { headers: { ETag: 'W/"x"' } }],
    ['an undocumented header', /header x-user-id, which/, { headers: { 'X-User-Id': '1' } }],
    ['another content type', /content type text\/html/, { headers: { 'Content-Type': 'text/html' } }],
    ['a response to HEAD with a body', /with a body/, { method: 'HEAD' }],
    ['success of an undocumented method', /not documented, answered 200/, { method: 'PUT' }],
    ['success of an undocumented path', /not documented, answered 200/, { path: '/api/v1/nothing' }],
  ])('rejects %s', (_what, message, part) => {
    expect(() => {
      check(part);
    }).toThrow(message);
  });
});
