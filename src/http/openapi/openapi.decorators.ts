import { STATUS_CODES } from 'node:http';
import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiTags,
  type HeadersObject,
} from '#swagger';
import type { ProblemCode, ProblemType } from '../errors/problem-codes.js';
import { PROBLEM_TYPE } from '../errors/problem-media-type.js';
import { presentProblem, presentProblemDetails } from '../errors/problem.presenter.js';
import {
  InvalidRequestDetailsResponse,
  InvalidRequestResponse,
  ProblemDetailsResponse,
  ProblemResponse,
} from '../errors/problem.response.js';
import {
  fieldError,
  invalidDataProblem,
  Problem,
  problemType,
  TOKEN_UNVERIFIABLE,
} from '../errors/problems.js';
import * as headersOf from './openapi.headers.js';
import { type Content, oneOf } from './openapi.schemas.js';

/** Describes a route. The name of its handler is its `operationId`. */
export const ApiRoute = (summary: string, description: string) => ApiOperation({ summary, description });

export const ApiJson = (type: Type, example: object, required = true) =>
  ApiBody({ type, required, examples: { example: { value: example } } });

/** Describes a response without a body, or with JSON. */
export function ApiSuccess(
  status: number,
  content?: Content,
  headers: HeadersObject = headersOf.privateHeaders,
) {
  return applyDecorators(
    ApiExtraModels(...(content?.types ?? [])),
    ApiResponse({
      status,
      headers,
      description: STATUS_CODES[status],
      ...(content && { content: { 'application/json': media(content) } }),
    }),
  );
}

/** Describes a response that clients may cache, 304 for an unchanged response, and the errors with these codes. */
export function ApiCacheable(content: Content, ...codes: (ProblemCode | ProblemType)[]) {
  const description = 'The ETag of your copy. If it is unchanged, the response is 304 without a body.';
  return applyDecorators(
    ApiHeader({ name: 'If-None-Match', description, schema: { type: 'string' } }),
    ApiSuccess(200, content, headersOf.formHeaders),
    ApiSuccess(304, undefined, headersOf.formHeaders),
    errors(codes, headersOf.limitHeaders),
  );
}

/** Describes the errors with these codes, by status. The catalogue has their titles and examples. */
export const ApiErrors = (...codes: (ProblemCode | ProblemType)[]) => errors(codes, headersOf.privateHeaders);

export const ApiPublic = (tag: string) => applyDecorators(ApiTags(tag), ApiErrors(...ANYWHERE));

/** Describes a controller whose routes need a token. */
export const ApiGuarded = (tag: string) =>
  applyDecorators(ApiTags(tag), ApiErrors(...ANYWHERE, TOKEN_UNVERIFIABLE, 'unauthenticated'));

const ANYWHERE = ['too_many_requests', 'server_error', 'database_unavailable', 'overloaded'] as const;

/** The errors of a route that reads a JSON body. */
export const BODY_ERRORS = [
  ...(['malformed_json', 'body_too_deep', 'body_too_large', 'body_too_many_values'] as const),
  ...(['body_not_json', 'body_compressed'] as const),
];

export const URL_ERRORS = ['malformed_url', 'malformed_request'] as const;

/** These occur before a handler runs, and so before it sets its headers. */
const EARLY = new Set<string>([...BODY_ERRORS, ...URL_ERRORS, 'too_many_requests']);

const HEADERS_BY_CODE: Readonly<Record<string, HeadersObject>> = {
  unauthenticated: headersOf.challengeHeaders,
  body_compressed: headersOf.acceptEncodingHeaders,
  idempotent_request_running: headersOf.retryAfterHeaders,
  too_many_requests: headersOf.retryAfterHeaders,
  overloaded: headersOf.retryAfterHeaders,
};

function errors(codes: readonly (ProblemCode | ProblemType)[], lateHeaders: HeadersObject) {
  const statuses = new Map<number, ProblemType[]>();
  for (const type of codes.map(problemType)) {
    const { status } = type;
    statuses.set(status, [...(statuses.get(status) ?? []), type]);
  }
  return applyDecorators(...[...statuses].map(([status, own]) => errorResponse(status, own, lateHeaders)));
}

function errorResponse(status: number, types: readonly ProblemType[], lateHeaders: HeadersObject) {
  const problem = exampleOf(types);
  const isFault = status === 401 || status >= 500;
  const usual = types.every(({ code }) => EARLY.has(code)) ? headersOf.limitHeaders : lateHeaders;
  return ApiResponse({
    status,
    description: types.map(({ code, title }) => `${title} (\`${code}\`)`).join(', '),
    headers: Object.assign(
      {},
      ...types.map(({ code, headers }) => headers ?? HEADERS_BY_CODE[code]),
      isFault ? headersOf.faultHeaders : usual,
    ) as HeadersObject,
    // `Accept` decides which body a client gets (E11).
    content: {
      'application/json': media(
        oneOf(typesOf(types, ProblemResponse, InvalidRequestResponse), presentProblem(problem)),
      ),
      [PROBLEM_TYPE]: media(
        oneOf(
          typesOf(types, ProblemDetailsResponse, InvalidRequestDetailsResponse),
          presentProblemDetails(problem),
        ),
      ),
    },
  });
}

const typesOf = (types: readonly ProblemType[], problem: Type, invalidRequest: Type) => [
  ...new Set(types.map(({ code }) => (code === 'invalid_data' ? invalidRequest : problem))),
];

/** Returns an example of the first problem. Its message is the title of the catalogue. */
function exampleOf([type = problemType('server_error')]: readonly ProblemType[]): Problem {
  return type.code === 'invalid_data'
    ? invalidDataProblem({ 'values.0.value': [fieldError('not_a_string', 'The value must be a string.')] })
    : new Problem(type, `${type.title}.`);
}

const media = ({ schema, example }: Content) => ({ schema, examples: { example: { value: example } } });
