import { type FieldErrors, type Problem } from './problems.js';
import type {
  InvalidRequestDetailsResponse,
  InvalidRequestResponse,
  FieldErrorResponse,
  ProblemDetailsResponse,
  ProblemResponse,
} from './problem.response.js';

/** The contract documents each code at an anchor of this URL. The URLs are part of the API, like the codes. */
const TYPES = 'https://github.com/formtrail/formtrail/blob/main/docs/contract.md#';

/** Returns the error body for clients that do not accept problem details: a message and, for a 422, the messages of each key. */
export function presentProblem({ message, errors }: Problem): ProblemResponse | InvalidRequestResponse {
  return errors === undefined ? { message } : { message, errors: presentMessages(errors) };
}

/** Returns only the messages of field errors, without codes. */
export function presentMessages(errors: FieldErrors): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(errors).map(([field, fieldErrors]) => [field, fieldErrors.map(({ message }) => message)]),
  );
}

/** Returns problem details (RFC 9457), for clients that accept them (E11). */
export function presentProblemDetails({
  code,
  status,
  title,
  message,
  errors,
}: Problem): ProblemDetailsResponse | InvalidRequestDetailsResponse {
  const details = { type: TYPES + code, title, status, detail: message, code };
  return errors === undefined ? details : { ...details, errors: presentFieldErrors(errors) };
}

export function presentFieldErrors(errors: FieldErrors): FieldErrorResponse[] {
  return Object.entries(errors).flatMap(([field, fieldErrors]) =>
    fieldErrors.map(({ code, message, params }) => ({ field, code, detail: message, params })),
  );
}
