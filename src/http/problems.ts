/** Messages by dotted path into the request (E1). */
export type FieldErrors = Record<string, string[]>;

/** A response other than success; thrown anywhere below a controller, sent by the exception filter. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly errors?: FieldErrors,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

// The catalogue: every error that the service responds with, by status.

export const malformedJson = (why: string) => new Problem(400, `The request body is not valid JSON: ${why}`);

export const tooDeep = (levels: number) =>
  new Problem(400, `The request body is nested deeper than ${levels} levels.`);

export const malformedUrl = () => new Problem(400, 'The URL is malformed: check its percent-escapes.');

export const badRequest = () => new Problem(400, 'The request is malformed.');

export const unauthenticated = () =>
  new Problem(401, 'Unauthenticated.', undefined, { 'WWW-Authenticate': 'Bearer' });

export const notFound = (what: string) => new Problem(404, `${what} not found.`);

export const idempotentRequestRunning = () =>
  new Problem(409, 'A request with this Idempotency-Key is still running; send it again later.', undefined, {
    'Retry-After': '1',
  });

export const preconditionFailed = () =>
  new Problem(412, 'The submission has changed since; read it again and repeat with its new ETag.');

export const bodyTooLarge = () => new Problem(413, 'The request body is larger than 1 MiB.');

export const notJson = () =>
  new Problem(415, 'The request body must be JSON: send it with Content-Type: application/json.');

export const encodedBody = () =>
  new Problem(415, 'The request body must not be compressed: send it without Content-Encoding.', undefined, {
    'Accept-Encoding': 'identity',
  });

export const invalid = (errors: FieldErrors) => new Problem(422, 'The given data was invalid.', errors);

export const alreadyCompleted = () => new Problem(422, 'The submission is already completed.');

export const alreadyOnLastStep = () => new Problem(422, 'Already on the last step.');

export const alreadyOnFirstStep = () => new Problem(422, 'Already on the first step.');

export const tooManyRequests = (seconds: number) =>
  new Problem(429, 'Too many requests; try again later.', undefined, { 'Retry-After': String(seconds) });

export const serverError = () => new Problem(500, 'Server error.');

export const overloaded = () =>
  new Problem(503, 'Too much is waiting for the database at the moment; try again shortly.', undefined, {
    'Retry-After': '2',
  });

export const databaseUnavailable = () =>
  new Problem(503, 'The database cannot be reached at the moment; try again shortly.', undefined, {
    'Retry-After': '2',
  });
