import type { Bottleneck } from '../../database/database-errors.js';
import {
  FIELD_ERRORS,
  type FieldErrorCatalogue,
  type ProblemCode,
  PROBLEMS,
  type ProblemType,
} from './problem-codes.js';

type Param = string | number | boolean | readonly string[];

/** One error in a request: `code` and `params` are for programs, `message` is for people. */
export interface FieldError {
  readonly code: string;
  readonly message: string;
  readonly params: Readonly<Record<string, Param>>;
}

/** Errors by dotted path into the request (E1). */
export type FieldErrors = Record<string, readonly FieldError[]>;

type ParamsOf<Catalogue extends FieldErrorCatalogue, Code extends keyof Catalogue> = Readonly<
  Record<Catalogue[Code][number], Param>
>;

/** Returns a function that creates field errors. Its type requires exactly the params that the catalogue lists for the code. */
export function fieldErrorIn<Catalogue extends FieldErrorCatalogue>(_catalogue: Catalogue) {
  return <Code extends keyof Catalogue & string>(
    code: Code,
    message: string,
    ...[params]: object extends ParamsOf<Catalogue, Code> ? [] : [ParamsOf<Catalogue, Code>]
  ): FieldError => ({ code, message, params: params ?? {} });
}

export const fieldError = fieldErrorIn(FIELD_ERRORS);

interface Details {
  readonly errors?: FieldErrors;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the type of a problem that is named by its code. */
export const problemType = (type: ProblemCode | ProblemType): ProblemType =>
  typeof type === 'string' ? PROBLEMS[type] : type;

/** An error response. Code below a controller throws it, and the exception filter sends it. */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly errors: FieldErrors | undefined;
  readonly headers: Readonly<Record<string, string>>;

  /** @param type a code of the core, or a type of a capability's own catalogue */
  constructor(type: ProblemCode | ProblemType, message: string, { errors, headers = {} }: Details = {}) {
    super(message);
    ({ code: this.code, status: this.status, title: this.title } = problemType(type));
    this.errors = errors;
    this.headers = headers;
  }
}

export const retryAfter = (seconds: number): Details => ({ headers: { 'Retry-After': String(seconds) } });

// The catalogue of all error responses.

export const malformedJsonProblem = (why: string) =>
  new Problem('malformed_json', `The request body is not valid JSON: ${why}`);

export const bodyTooDeepProblem = (levels: number) =>
  new Problem('body_too_deep', `The request body is nested deeper than ${levels} levels.`);

export const bodyTooManyValuesProblem = (max: number) =>
  new Problem(
    'body_too_many_values',
    `The request body has more than ${max} values, objects and arrays included.`,
  );

export const malformedUrlProblem = () =>
  new Problem('malformed_url', 'The URL is malformed: check its percent-escapes.');

export const malformedRequestProblem = () => new Problem('malformed_request', 'The request is malformed.');

export const unauthenticatedProblem = () =>
  new Problem('unauthenticated', 'Unauthenticated.', { headers: { 'WWW-Authenticate': 'Bearer' } });

/** The resources that have a `…_not_found` code. */
type MissingResource = {
  [Code in ProblemCode]: Code extends `${infer Name}_not_found` ? Capitalize<Name> : never;
}[ProblemCode];

export const notFoundProblem = (what: MissingResource) =>
  new Problem(`${what.toLowerCase() as Uncapitalize<MissingResource>}_not_found`, `${what} not found.`);

export const requestTimeoutProblem = () =>
  new Problem('request_timeout', 'The request took too long to arrive.', {
    headers: { Connection: 'close' },
  });

export const idempotentRequestRunningProblem = () =>
  new Problem(
    'idempotent_request_running',
    'A request with this Idempotency-Key is still running; send it again later.',
    retryAfter(1),
  );

export const submissionChangedProblem = () =>
  new Problem(
    'submission_changed',
    'The submission has changed since; read it again and repeat with its new ETag.',
  );

export const bodyTooLargeProblem = () =>
  new Problem('body_too_large', 'The request body is larger than 1 MiB.');

export const bodyNotJsonProblem = () =>
  new Problem('body_not_json', 'The request body must be JSON: send it with Content-Type: application/json.');

export const bodyCompressedProblem = () =>
  new Problem(
    'body_compressed',
    'The request body must not be compressed: send it without Content-Encoding.',
    { headers: { 'Accept-Encoding': 'identity' } },
  );

export const unknownExpectationProblem = () =>
  new Problem(
    'unknown_expectation',
    'The Expect header is not supported: leave it out, or send 100-continue.',
    // The client may or may not send the body that it announced, so the connection cannot be used again.
    { headers: { Connection: 'close' } },
  );

export const invalidDataProblem = (errors: FieldErrors) =>
  new Problem('invalid_data', 'The given data was invalid.', { errors });

export const alreadyCompletedProblem = () =>
  new Problem('already_completed', 'The submission is already completed.');

export const alreadyOnLastStepProblem = () =>
  new Problem('already_on_last_step', 'Already on the last step.');

export const alreadyOnFirstStepProblem = () =>
  new Problem('already_on_first_step', 'Already on the first step.');

export const tooManyRequestsProblem = (seconds: number) =>
  new Problem(
    'too_many_requests',
    `Too many requests. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    retryAfter(seconds),
  );

export const headersTooLargeProblem = () =>
  new Problem('headers_too_large', 'The headers of the request are too large.');

export const serverErrorProblem = () => new Problem('server_error', 'Server error.');

const AWAITED: Record<Bottleneck, string> = {
  database: 'for the database',
  row: 'for data that is being changed',
  body: 'to send a large body',
  token: 'for the look-up of a token',
};

export const overloadedProblem = (bottleneck: Bottleneck = 'database') =>
  new Problem(
    'overloaded',
    `Too many requests are waiting ${AWAITED[bottleneck]}; try again shortly.`,
    retryAfter(2),
  );

/** A user reads too many large submissions at once. */
export const tooManyHeavyReadsProblem = () =>
  new Problem(
    'overloaded',
    'Too many requests of this user are reading large submissions; send fewer at once, and try again shortly.',
    retryAfter(2),
  );

export const databaseUnavailableProblem = () =>
  new Problem(
    'database_unavailable',
    'The database cannot be reached at the moment; try again shortly.',
    retryAfter(2),
  );

/** The code for a token of a kind that cannot be verified at the moment. */
export const TOKEN_UNVERIFIABLE = 'identity_provider_unavailable' satisfies ProblemCode;

/** The service cannot reach the verifier of this kind of token, so it does not know whether the token is valid (A9). */
export const tokenUnverifiableProblem = () =>
  new Problem(
    TOKEN_UNVERIFIABLE,
    'The identity provider cannot be reached at the moment, so the token cannot be verified; try again shortly.',
    retryAfter(5),
  );
