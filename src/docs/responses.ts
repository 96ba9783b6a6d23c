import {
  badRequest,
  bodyTooLarge,
  databaseUnavailable,
  encodedBody,
  type FieldErrors,
  idempotentRequestRunning,
  invalid,
  malformedJson,
  malformedUrl,
  notFound,
  notJson,
  overloaded,
  preconditionFailed,
  type Problem,
  serverError,
  tooDeep,
  tooManyRequests,
  unauthenticated,
} from '../http/problems.js';
import {
  challengeHeaders,
  encodingHeaders,
  faultHeaders,
  limitHeaders,
  privateHeaders,
  retryHeaders,
} from './headers.js';
import type { Content, Examples, Headers, Reference, Response, Schema } from './openapi-types.js';
import { schemaRef } from './schemas/vocabulary.js';

export function json(schema: Schema | Reference, examples: Examples): Content {
  return { 'application/json': { schema, examples } };
}

function refusal(
  description: string,
  problems: Readonly<Record<string, Problem>>,
  headers: Headers,
): Response {
  const examples = Object.entries(problems).map(([name, { message }]) => [name, { value: { message } }]);
  return {
    description,
    headers,
    content: json(schemaRef('Problem'), Object.fromEntries(examples) as Examples),
  };
}

const unreadableBody = {
  notJson: malformedJson(`Expected ',' or '}' after property value in JSON at position 28.`),
  tooDeep: tooDeep(64),
};
const unreadableUrl = { url: malformedUrl(), other: badRequest() };

/** The refusals that are the same wherever they are given. */
export const responses = {
  MalformedUrl: refusal('The URL has a percent-escape that cannot be read.', unreadableUrl, limitHeaders),
  MalformedBody: refusal(
    'The body is not JSON in UTF-8, or is nested deeper than 64 levels.',
    unreadableBody,
    limitHeaders,
  ),
  MalformedRequest: refusal(
    'The body is not JSON in UTF-8 or is nested deeper than 64 levels, or the URL cannot be read.',
    { ...unreadableBody, ...unreadableUrl },
    limitHeaders,
  ),
  Unauthenticated: refusal(
    'No bearer token, or one that is unknown, revoked or expired.',
    { unauthenticated: unauthenticated() },
    { ...challengeHeaders, ...limitHeaders },
  ),
  FormNotFound: refusal('There is no such form.', { notFound: notFound('Form') }, limitHeaders),
  SubmissionNotFound: refusal(
    'There is no such submission, or it is not yours.',
    { notFound: notFound('Submission') },
    privateHeaders,
  ),
  StillRunning: refusal(
    'A request with this `Idempotency-Key` has not been answered yet.',
    { running: idempotentRequestRunning() },
    { ...retryHeaders, ...privateHeaders },
  ),
  Changed: refusal(
    'The submission is not in the state that `If-Match` names. Nothing was written.',
    { changed: preconditionFailed() },
    privateHeaders,
  ),
  BodyTooLarge: refusal('The body is larger than 1 MiB.', { tooLarge: bodyTooLarge() }, limitHeaders),
  NotJson: refusal(
    'The body is sent as something other than JSON, or compressed.',
    { notJson: notJson(), encoded: encodedBody() },
    { ...encodingHeaders, ...limitHeaders },
  ),
  TooManyRequests: refusal(
    'The limit of requests a minute is reached.',
    { tooMany: tooManyRequests(23) },
    { ...retryHeaders, ...limitHeaders },
  ),
  ServerError: refusal('A fault of the service.', { serverError: serverError() }, faultHeaders),
  DatabaseUnavailable: refusal(
    'The database cannot be reached, or too much is waiting for it. Send the request again, with its ' +
      '`Idempotency-Key` if it had one.',
    { unavailable: databaseUnavailable(), overloaded: overloaded() },
    { ...retryHeaders, ...faultHeaders },
  ),
} satisfies Record<string, Response>;

export function responseRef(name: keyof typeof responses): Reference {
  return { $ref: `#/components/responses/${name}` };
}

/** 422 with `errors`, and where there are any, refusals for the state that the submission is in. */
export function unprocessable(
  description: string,
  mistakes: Readonly<Record<string, FieldErrors>>,
  headers: Headers,
  refusals: Readonly<Record<string, Problem>> = {},
): Response {
  const examples: Record<string, Examples[string]> = {};
  for (const [name, { message }] of Object.entries(refusals)) examples[name] = { value: { message } };
  for (const [name, errors] of Object.entries(mistakes)) {
    examples[name] = { value: { message: invalid(errors).message, errors } };
  }
  const invalidRequest = schemaRef('InvalidRequest');
  const schema =
    Object.keys(refusals).length === 0 ? invalidRequest : { oneOf: [schemaRef('Problem'), invalidRequest] };
  return { description, headers, content: json(schema, examples) };
}
