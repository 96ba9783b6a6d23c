import type { components } from './schema.js';

type Schemas = components['schemas'];
type Details = Schemas['ProblemDetails'] | Schemas['InvalidRequestDetails'];

/** Code of an error. Codes are never renamed; a service newer than this client may send further ones. */
export type ProblemCode = Details['code'];
/** A field error: one fault in the request, or one reason why a submission cannot be completed. */
export type Mistake = Schemas['Mistake'];
export type MistakeCode = Mistake['code'];

/** Content of an error response. */
interface ErrorResponse {
  readonly message: string;
  readonly code: ProblemCode | undefined;
  readonly requestId: string | undefined;
  readonly errors: readonly Mistake[];
  readonly retryAfter: number;
}

/** An error response of the service. `message` is an English sentence for users. */
export class FormtrailError extends Error {
  override readonly name: string = 'FormtrailError';
  /** Code of the error, for programs; undefined if the response came from a proxy in front of the service. */
  readonly code: ProblemCode | undefined;
  /** `X-Request-Id` of the response. With this id, the operator finds the request in the log. */
  readonly requestId: string | undefined;

  constructor(
    /** HTTP status. Statuses without a subclass, such as 400, 409, 413, 415 and 500, use this class. */
    readonly status: number,
    { message, code, requestId }: ErrorResponse,
  ) {
    super(message);
    this.code = code;
    this.requestId = requestId;
  }
}

/** 401: the token is missing, unknown, revoked or expired. */
export class UnauthenticatedError extends FormtrailError {
  override readonly name = 'UnauthenticatedError';
  declare readonly status: 401;
}

/** 404: the form, or the user's submission, record or file, does not exist. */
export class NotFoundError extends FormtrailError {
  override readonly name = 'NotFoundError';
  declare readonly status: 404;
}

/** 412: the submission has changed since the state in `ifMatch`. */
export class ChangedError extends FormtrailError {
  override readonly name = 'ChangedError';
  declare readonly status: 412;
}

/** 422: the request is invalid, or the submission's state does not allow it. */
export class InvalidError extends FormtrailError {
  override readonly name = 'InvalidError';
  declare readonly status: 422;

  /**
   * Field errors. `field` is a path in the request, such as `values.0.field_id`, or the code of a form field if a value keeps
   * the submission from being completed. Empty if only the state is at fault, for example on the last step.
   */
  readonly errors: readonly Mistake[];

  constructor(status: number, response: ErrorResponse) {
    super(status, response);
    this.errors = response.errors;
  }
}

/** A temporary error. */
abstract class PassingError extends FormtrailError {
  /** Seconds to wait before the next attempt. */
  readonly retryAfter: number;

  constructor(status: number, response: ErrorResponse) {
    super(status, response);
    this.retryAfter = response.retryAfter;
  }
}

/** 429: the rate limit is reached, and waiting `retryAfter` seconds would exceed the client's `patience`. */
export class RateLimitedError extends PassingError {
  override readonly name = 'RateLimitedError';
  declare readonly status: 429;
}

/** 503: the service is unavailable, and did not recover within the client's `patience`. */
export class UnavailableError extends PassingError {
  override readonly name = 'UnavailableError';
  declare readonly status: 503;
}

/** No complete response: the connection failed, or CORS does not allow this origin. `cause` is the underlying error. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';

  constructor(
    cause: unknown,
    message = 'No complete response arrived. Check the connection, then try again.',
  ) {
    super(message, { cause });
  }
}

const KINDS: Readonly<Record<number, typeof FormtrailError | undefined>> = {
  401: UnauthenticatedError,
  404: NotFoundError,
  412: ChangedError,
  422: InvalidError,
  429: RateLimitedError,
  503: UnavailableError,
};

export function errorOf(response: Response, text: string): FormtrailError {
  const { status, headers } = response;
  const isDetails = headers.get('Content-Type')?.startsWith('application/problem+json');
  const body = parsed(text);
  const { code, detail, errors = [] } = (isDetails ? body : {}) as Partial<Schemas['InvalidRequestDetails']>;
  // Health probes and unparsable requests have no problem details.
  const { message = `The response has the status ${status}.` } = body as { message?: string };
  const Kind = KINDS[status] ?? FormtrailError;
  return new Kind(status, {
    message: detail ?? message,
    code,
    requestId: headers.get('X-Request-Id') ?? undefined,
    errors,
    retryAfter: retryAfter(response),
  });
}

/** Returns an empty object if a proxy in front of the service responds with something other than JSON. */
function parsed(text: string): object {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

/** Value of `Retry-After` in seconds; 1 if it is missing or not a number, as in some responses of proxies. */
export function retryAfter({ headers }: Response): number {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : 1;
}
