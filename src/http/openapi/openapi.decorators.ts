import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiExtraModels,
  ApiHeader,
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
import {
  badRequest,
  bodyTooLarge,
  databaseUnavailable,
  encodedBody,
  type FieldErrors,
  invalid,
  malformedJson,
  malformedUrl,
  fieldError,
  notJson,
  overloaded,
  type Problem,
  serverError,
  tooDeep,
  tooManyValues,
  tooManyRequests,
  unauthenticated,
} from '../errors/problems.js';
import {
  faultHeaders,
  formContentHeaders,
  formHeaders,
  limitHeaders,
  privateHeaders,
  problemHeaders,
} from './openapi.headers.js';
import { type Content, oneOf, one } from './openapi.schemas.js';

type Problems = Readonly<Record<string, Problem>>;
type ErrorExamples = Readonly<Record<string, FieldErrors>>;

interface Described extends Content {
  readonly status?: number;
  readonly description: string;
  readonly headers: HeadersObject;
  readonly examples: ExamplesObject;
}

/** A response with a body, by default 200. */
export function ApiContent({ status = 200, description, headers, schema, types, examples }: Described) {
  return applyDecorators(
    ApiExtraModels(...types),
    ApiResponse({ status, description, headers, content: json(schema, examples) }),
  );
}

/** 200 with a body that a client may have a copy of: 304 where it is still the same. */
export function ApiCacheable(described: Omit<Described, 'headers'>) {
  return applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      description: 'The ETag of what you hold. If it is still the same, the answer is 304 without a body.',
      schema: { type: 'string', examples: ['"nruedbRpo1DHGEXkq8n-BjuQpdu"'] },
    }),
    ApiContent({ ...described, headers: formContentHeaders }),
    ApiResponse({
      status: 304,
      description: 'What you hold under the ETag in `If-None-Match` is still what you would get.',
      headers: formHeaders,
    }),
  );
}

/** Problems of the catalogue that have a status in common, each as an example. */
export function ApiProblem(description: string, problems: Problems, headers: HeadersObject = limitHeaders) {
  const [first] = Object.values(problems);
  return ApiResponse({
    status: first?.status,
    description,
    headers: { ...headersOf(problems), ...headers },
    content: problemContent(problems, one(ProblemResponse), one(ProblemDetailsResponse)),
  });
}

/** 422 with `errors`, and the problems that the state of what is written to can be. */
export function ApiInvalid(
  description: string,
  fieldErrors: ErrorExamples,
  { problems = {}, headers = privateHeaders }: { problems?: Problems; headers?: HeadersObject } = {},
) {
  const invalidRequests = Object.entries(fieldErrors).map(([name, errors]) => [name, invalid(errors)]);
  const all = { ...problems, ...(Object.fromEntries(invalidRequests) as Problems) };
  // Of an operation that has only one of the two there is no choice.
  const kinds = (problem: Type, invalidRequest: Type): Content => {
    if (Object.keys(problems).length === 0) return one(invalidRequest);
    return Object.keys(fieldErrors).length === 0 ? one(problem) : oneOf(problem, invalidRequest);
  };
  return ApiResponse({
    status: 422,
    description,
    headers,
    content: problemContent(
      all,
      kinds(ProblemResponse, InvalidRequestResponse),
      kinds(ProblemDetailsResponse, InvalidRequestDetailsResponse),
    ),
  });
}

/** What the errors of a page out of range are. */
export const pageErrors = {
  outOfRange: {
    page: [
      fieldError('not_an_integer', 'The page must be an integer from 1 to 2147483647.', {
        min: 1,
        max: 2_147_483_647,
      }),
    ],
    per_page: [
      fieldError('not_an_integer', 'The per_page must be an integer from 1 to 100.', { min: 1, max: 100 }),
    ],
  },
} satisfies ErrorExamples;

/** For a route whose query is a `PageQuery`, which describes its parameters itself. */
export function ApiPaginated() {
  return ApiInvalid('A query parameter is out of range.', pageErrors, { headers: limitHeaders });
}

const UNREADABLE_BODY = {
  notJson: malformedJson(`Expected ',' or '}' after property value in JSON at position 28.`),
  tooDeep: tooDeep(64),
};
const UNREADABLE_URL = { url: malformedUrl(), other: badRequest() };

const ERRORS = {
  malformedUrl: ApiProblem('The URL has a percent-escape that cannot be read.', UNREADABLE_URL),
  malformedBody: ApiProblem(
    'The body is not JSON in UTF-8, or is nested deeper than 64 levels.',
    UNREADABLE_BODY,
  ),
  malformedRequest: ApiProblem(
    'The body is not JSON in UTF-8 or is nested deeper than 64 levels, or the URL cannot be read.',
    { ...UNREADABLE_BODY, ...UNREADABLE_URL },
  ),
  unauthenticated: ApiProblem(
    'No bearer token, or one that is unknown, revoked or expired.',
    { unauthenticated: unauthenticated() },
    // Another program may delete the user while the request is carried out.
    faultHeaders,
  ),
  bodyTooLarge: ApiProblem('The body is larger than 1 MiB, or has more than 20,000 values.', {
    tooLarge: bodyTooLarge(),
    tooMany: tooManyValues(20_000),
  }),
  notJson: ApiProblem('The body is sent as something other than JSON, or compressed.', {
    notJson: notJson(),
    encoded: encodedBody(),
  }),
  tooManyRequests: ApiProblem('The limit of requests a minute is reached.', { tooMany: tooManyRequests(23) }),
  serverError: ApiProblem('A fault of the service.', { serverError: serverError() }, faultHeaders),
  databaseUnavailable: ApiProblem(
    'The database cannot be reached, or too much is waiting for it. Send the request again, with its ' +
      '`Idempotency-Key` if it had one.',
    { unavailable: databaseUnavailable(), overloaded: overloaded() },
    faultHeaders,
  ),
};

/** Problems that are the same wherever they are responded with. */
export function ApiErrors(...names: (keyof typeof ERRORS)[]) {
  return applyDecorators(...names.map((name) => ERRORS[name]));
}

/** For a controller that is `@Public()`. */
export function ApiPublic(tag: string) {
  return applyDecorators(ApiTags(tag), ApiErrors('tooManyRequests', 'serverError', 'databaseUnavailable'));
}

/** For every other controller: its routes need a token. */
export function ApiGuarded(tag: string) {
  return applyDecorators(ApiPublic(tag), ApiBearerAuth(), ApiErrors('unauthenticated'));
}

function json(schema: SchemaObject | ReferenceObject, examples: ExamplesObject): ContentObject {
  return { 'application/json': { schema, examples } };
}

/** Both bodies that a problem has, by what is accepted (E11). */
function problemContent(problems: Problems, plain: Content, details: Content): ContentObject {
  return {
    ...json(plain.schema, examplesOf(problems, presentProblem)),
    [PROBLEM_TYPE]: { schema: details.schema, examples: examplesOf(problems, presentProblemDetails) },
  };
}

function examplesOf(problems: Problems, present: (problem: Problem) => object): ExamplesObject {
  const examples = Object.entries(problems).map(([name, problem]) => [name, { value: present(problem) }]);
  return Object.fromEntries(examples) as ExamplesObject;
}

function headersOf(problems: Problems): HeadersObject {
  const names = new Set(Object.values(problems).flatMap(({ headers }) => Object.keys(headers)));
  return Object.fromEntries(Object.entries(problemHeaders).filter(([name]) => names.has(name)));
}
