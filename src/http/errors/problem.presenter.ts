import { type FieldErrors, type Problem } from './problems.js';
import { PROBLEMS } from './problem-codes.js';
import type {
  InvalidRequestDetailsResponse,
  InvalidRequestResponse,
  FieldErrorResponse,
  ProblemDetailsResponse,
  ProblemResponse,
} from './problem.response.js';

/** Where each code is explained; part of the interface, like the codes. */
const TYPES = 'https://github.com/formtrail/formtrail/blob/main/docs/contract.md#';

/** The specification's body (its section 7). */
export function presentProblem({ message, errors }: Problem): ProblemResponse | InvalidRequestResponse {
  return errors === undefined ? { message } : { message, errors: presentMessages(errors) };
}

/** The sentences alone, as the specification's bodies have them. */
export function presentMessages(errors: FieldErrors): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(errors).map(([field, fieldErrors]) => [field, fieldErrors.map(({ message }) => message)]),
  );
}

/** Problem details (RFC 9457), for whoever accepts them (E11). */
export function presentProblemDetails({
  code,
  status,
  message,
  errors,
}: Problem): ProblemDetailsResponse | InvalidRequestDetailsResponse {
  const { title } = PROBLEMS[code];
  const details = { type: TYPES + code, title, status, detail: message, code };
  return errors === undefined ? details : { ...details, errors: presentFieldErrors(errors) };
}

/** With their codes, for programs. */
export function presentFieldErrors(errors: FieldErrors): FieldErrorResponse[] {
  return Object.entries(errors).flatMap(([field, fieldErrors]) =>
    fieldErrors.map(({ code, message, params }) => ({ field, code, detail: message, params })),
  );
}
