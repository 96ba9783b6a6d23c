import { type FormtrailError, InvalidError, type Mistake } from 'formtrail-client';

/** The request body as a whole is too large; a request with fewer answers may succeed. */
export function isTooLarge(error: unknown): error is FormtrailError {
  return (error as Partial<FormtrailError>).code === 'body_too_large';
}

export function mistakesOf(error: unknown): readonly Mistake[] {
  return error instanceof InvalidError ? error.errors : [];
}
