export * from './client.js';
export {
  ChangedError,
  FormtrailError,
  InvalidError,
  NetworkError,
  NotFoundError,
  RateLimitedError,
  UnauthenticatedError,
  UnavailableError,
} from './errors.js';
export type { Mistake, MistakeCode, ProblemCode } from './errors.js';
export type { SendContent } from './send-content.js';
export type { UnknownComponent } from './unknown-component.js';
export type { Wait } from './waiting-fetch.js';
