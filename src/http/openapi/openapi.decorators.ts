import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiTags,
  type ContentObject,
  type ExamplesObject,
  type HeadersObject,
  type ReferenceObject,
  type SchemaObject,
} from '#swagger';
import { PROBLEM_TYPE } from '../errors/problem-media-type.js';
import { presentProblem, presentProblemDetails } from '../errors/problem.presenter.js';
import {
  InvalidRequestDetailsResponse,
  InvalidRequestResponse,
  ProblemDetailsResponse,
  ProblemResponse,
} from '../errors/problem.response.js';
import * as problems from '../errors/problems.js';
import {
  faultHeaders,
  formContentHeaders,
  limitHeaders,
  privateHeaders,
  problemHeaders,
} from './openapi.headers.js';
import { type Content, oneOf, one } from './openapi.schemas.js';

type Problems = Readonly<Record<string, problems.Problem>>;

/** Describes one route: its texts, then its parameters, body and responses. */
export function ApiRoute(
  operationId: string,
  summary: string,
  description: string,
  ...parts: readonly MethodDecorator[]
) {
  return applyDecorators(ApiOperation({ operationId, summary, description }), ...parts);
}

/** Describes a response with a body. */
export function ApiContent(
  status: number,
  { schema, types }: Content,
  description: string,
  headers: HeadersObject,
  examples: ExamplesObject,
) {
  return applyDecorators(
    ApiExtraModels(...types),
    ApiResponse({ status, description, headers, content: json(schema, examples) }),
  );
}

/** Returns an example of a body that is wrapped by `inData`. */
export function example(data: unknown, summary?: string): { summary?: string; value: object } {
  return { ...(summary !== undefined && { summary }), value: { data } };
}

/** Returns an example of a body that is wrapped by `withFormVersion`. */
export function versioned(data: unknown, summary?: string): { summary?: string; value: object } {
  return { ...(summary !== undefined && { summary }), value: { data, form_version: 3 } };
}

/** Describes 200 with a body that clients may cache, and 304 for an unchanged body. */
export function ApiCacheable(content: Content, description: string, examples: ExamplesObject) {
  return applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      description: 'The ETag of your copy. If it is unchanged, the response is 304 without a body.',
      schema: { type: 'string', examples: ['"nruedbRpo1DHGEXkq8n-BjuQpdu"'] },
    }),
    ApiContent(200, content, description, formContentHeaders, examples),
    ApiResponse({
      status: 304,
      description: 'Your copy, with the ETag in `If-None-Match`, is unchanged.',
      // HEAD gets the headers of the body with 304, too.
      headers: formContentHeaders,
    }),
  );
}

/** Describes the response for problems with the same status. Each problem is an example. */
export function ApiProblem(description: string, examples: Problems, headers: HeadersObject = privateHeaders) {
  const [first] = Object.values(examples);
  return ApiResponse({
    status: first?.status,
    description,
    headers: { ...headersOf(examples), ...headers },
    content: problemContent(examples, one(ProblemResponse), one(ProblemDetailsResponse)),
  });
}

/** Describes 422 for field errors and for `others`, which are problems with the status 422. */
export function ApiInvalid(
  description: string,
  fieldErrors: Readonly<Record<string, problems.FieldErrors>>,
  others: Problems = {},
  headers: HeadersObject = privateHeaders,
) {
  const invalidRequests = Object.fromEntries(
    Object.entries(fieldErrors).map(([name, errors]) => [name, problems.invalid(errors)]),
  ) as Problems;
  const bodies = (problem: Type, invalidRequest: Type): Content =>
    Object.keys(others).length === 0 ? one(invalidRequest) : oneOf(problem, invalidRequest);
  return ApiResponse({
    status: 422,
    description,
    headers,
    content: problemContent(
      { ...others, ...invalidRequests },
      bodies(ProblemResponse, InvalidRequestResponse),
      bodies(ProblemDetailsResponse, InvalidRequestDetailsResponse),
    ),
  });
}

/** The problem of routes that write to a submission, if the submission is already completed. */
export const COMPLETED: Problems = { alreadyCompleted: problems.alreadyCompleted() };

const UNREADABLE_BODY = {
  notJson: problems.malformedJson(`Expected ',' or '}' after property value in JSON at position 28.`),
  tooDeep: problems.tooDeep(64),
};
const UNREADABLE_URL = { url: problems.malformedUrl(), other: problems.badRequest() };

/** The error responses that routes share. */
const ERRORS = {
  malformedUrl: ApiProblem('The URL has an invalid percent-escape.', UNREADABLE_URL, limitHeaders),
  malformedBody: ApiProblem(
    'The body is not JSON in UTF-8, or is nested deeper than 64 levels.',
    UNREADABLE_BODY,
    limitHeaders,
  ),
  malformedRequest: ApiProblem(
    'The body is not JSON in UTF-8 or is nested deeper than 64 levels, or the URL is malformed.',
    { ...UNREADABLE_BODY, ...UNREADABLE_URL },
    limitHeaders,
  ),
  unauthenticated: ApiProblem(
    'The bearer token is missing, unknown, revoked or expired.',
    { unauthenticated: problems.unauthenticated() },
    // 401 can also occur while the request is executed, because another program may delete the user.
    faultHeaders,
  ),
  formNotFound: ApiProblem('There is no such form.', { notFound: problems.notFound('Form') }, limitHeaders),
  submissionNotFound: ApiProblem('There is no such submission, or it is not yours.', {
    notFound: problems.notFound('Submission'),
  }),
  requestRunning: ApiProblem('A request with this `Idempotency-Key` is still running.', {
    running: problems.idempotentRequestRunning(),
  }),
  submissionChanged: ApiProblem(
    'The submission is not in the state that `If-Match` names. Nothing was written.',
    { changed: problems.preconditionFailed() },
  ),
  bodyTooLarge: ApiProblem(
    'The body is larger than 1 MiB, or has more than 20,000 values.',
    { tooLarge: problems.bodyTooLarge(), tooMany: problems.tooManyValues(20_000) },
    limitHeaders,
  ),
  notJson: ApiProblem(
    'The media type of the body is not JSON, or the body is compressed.',
    { notJson: problems.notJson(), encoded: problems.encodedBody() },
    limitHeaders,
  ),
  tooManyRequests: ApiProblem(
    'The limit of requests per minute is reached.',
    { tooMany: problems.tooManyRequests(23) },
    limitHeaders,
  ),
  serverError: ApiProblem('A fault of the service.', { serverError: problems.serverError() }, faultHeaders),
  databaseUnavailable: ApiProblem(
    'The database is unavailable or overloaded. Send the request again, with its `Idempotency-Key` if it had one.',
    { unavailable: problems.databaseUnavailable(), overloaded: problems.overloaded() },
    faultHeaders,
  ),
  storageUnavailable: ApiProblem(
    'The file storage or the database is unavailable or overloaded. Send the request again.',
    {
      storage: problems.storageUnavailable(),
      unavailable: problems.databaseUnavailable(),
      overloaded: problems.overloaded(),
    },
    faultHeaders,
  ),
};

/** Describes the errors that a route shares with other routes, by name. */
export function ApiErrors(...names: (keyof typeof ERRORS)[]) {
  return applyDecorators(...names.map((name) => ERRORS[name]));
}

/** Describes a controller that is `@Public()`. */
export function ApiPublic(tag: string) {
  return applyDecorators(ApiTags(tag), ApiErrors('tooManyRequests', 'serverError', 'databaseUnavailable'));
}

/** Describes a controller whose routes need a token. */
export function ApiGuarded(tag: string) {
  return applyDecorators(ApiPublic(tag), ApiBearerAuth(), ApiErrors('unauthenticated'));
}

function json(schema: SchemaObject | ReferenceObject, examples: ExamplesObject): ContentObject {
  return { 'application/json': { schema, examples } };
}

/** Returns the two bodies of a problem. `Accept` decides which body a client gets (E11). */
function problemContent(examples: Problems, plain: Content, details: Content): ContentObject {
  return {
    ...json(plain.schema, examplesOf(examples, presentProblem)),
    [PROBLEM_TYPE]: { schema: details.schema, examples: examplesOf(examples, presentProblemDetails) },
  };
}

function examplesOf(examples: Problems, present: (problem: problems.Problem) => object): ExamplesObject {
  const presented = Object.entries(examples).map(([name, problem]) => [name, { value: present(problem) }]);
  return Object.fromEntries(presented) as ExamplesObject;
}

function headersOf(examples: Problems): HeadersObject {
  const names = new Set(Object.values(examples).flatMap(({ headers }) => Object.keys(headers)));
  return Object.fromEntries(Object.entries(problemHeaders).filter(([name]) => names.has(name)));
}
