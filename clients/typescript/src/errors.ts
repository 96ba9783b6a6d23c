import type { components } from './schema.js';

type Schemas = components['schemas'];
type Details = Schemas['ProblemDetails'] | Schemas['InvalidRequestDetails'];

/** What went wrong. Codes are never renamed; one that is not here comes from a service that is newer than this client. */
export type ProblemCode = Details['code'];
/** One thing that is wrong with what was sent, or that keeps a submission from completion. */
export type Mistake = Schemas['Mistake'];
export type MistakeCode = Mistake['code'];

/** What an answer other than success says. */
interface Answered {
  readonly message: string;
  readonly code: ProblemCode | undefined;
  /** Of the answer, to name to whoever runs the service. */
  readonly requestId: string | undefined;
  readonly errors: readonly Mistake[];
  readonly retryAfter: number;
}

/** An answer of the service that is no success: `message` is a sentence for people. */
export class FormtrailError extends Error {
  override readonly name: string = 'FormtrailError';
  /** To decide by; undefined where the answer is not the service's own, but that of something in front of it. */
  readonly code: ProblemCode | undefined;
  /** The `X-Request-Id` of the answer: name it to whoever runs the service. */
  readonly requestId: string | undefined;

  constructor(
    /** Of HTTP: 400, 409, 413, 415 or 500 where there is no class of its own. */
    readonly status: number,
    { message, code, requestId }: Answered,
  ) {
    super(message);
    this.code = code;
    this.requestId = requestId;
  }
}

/** 401: no token, or one that is unknown, revoked or expired. */
export class UnauthenticatedError extends FormtrailError {
  override readonly name = 'UnauthenticatedError';
  declare readonly status: 401;
}

/** 404: there is no such form, or no such submission of this user. */
export class NotFoundError extends FormtrailError {
  override readonly name = 'NotFoundError';
  declare readonly status: 404;
}

/** 412: the submission has been written to since the state that `ifMatch` names. */
export class ChangedError extends FormtrailError {
  override readonly name = 'ChangedError';
  declare readonly status: 412;
}

/** 422: what was sent is wrong, or the submission is not in a state for it. */
export class InvalidError extends FormtrailError {
  override readonly name = 'InvalidError';
  declare readonly status: 422;

  /**
   * Each with the path of what is wrong as its `field`, such as `values.0.field_id`, or the code of the field of the form
   * where a submission cannot be completed. Empty where nothing that was sent is at fault, as on the last step.
   */
  readonly errors: readonly Mistake[];

  constructor(status: number, answered: Answered) {
    super(status, answered);
    this.errors = answered.errors;
  }
}

/** What passes by itself. */
abstract class PassingError extends FormtrailError {
  /** Seconds. */
  readonly retryAfter: number;

  constructor(status: number, answered: Answered) {
    super(status, answered);
    this.retryAfter = answered.retryAfter;
  }
}

/** 429: the limit is reached, and waiting `retryAfter` seconds would have been longer than the client's `patience`. */
export class RateLimitedError extends PassingError {
  override readonly name = 'RateLimitedError';
  declare readonly status: 429;
}

/** 503: the service cannot serve at the moment, and did not recover within the client's `patience`. */
export class UnavailableError extends PassingError {
  override readonly name = 'UnavailableError';
  declare readonly status: 503;
}

/** No answer: the connection failed, or pages of this origin may not read it. `cause` is what `fetch` threw. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';

  constructor(
    cause: unknown,
    message = 'The service cannot be reached, or its answer was cut off. Check the connection, then try again.',
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

/** The error that an answer with this text stands for. */
export function errorOf(response: Response, text: string): FormtrailError {
  const { status, headers } = response;
  const isDetails = headers.get('Content-Type')?.startsWith('application/problem+json');
  const body = parsed(text);
  const { code, detail, errors = [] } = (isDetails ? body : {}) as Partial<Schemas['InvalidRequestDetails']>;
  // Without problem details: its health, and what was no request yet.
  const { message = `The answer has the status ${status}.` } = body as { message?: string };
  const Kind = KINDS[status] ?? FormtrailError;
  return new Kind(status, {
    message: detail ?? message,
    code,
    requestId: headers.get('X-Request-Id') ?? undefined,
    errors,
    retryAfter: retryAfter(response),
  });
}

/** Something in front of the service may say what is no JSON. */
function parsed(text: string): object {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

/** Seconds; 1 where the answer does not tell, which may come from something in front of the service. */
export function retryAfter({ headers }: Response): number {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : 1;
}
