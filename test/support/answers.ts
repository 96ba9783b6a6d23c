import type { Answer } from './client.js';
import { expectRefusal } from './refusal.js';

export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Expects the response to a request without a valid token (A5). */
export function expectUnauthenticated(answer: Answer): void {
  expectRefusal(answer, 401, { message: 'Unauthenticated.' });
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
}

/** Returns the ETag of the response. Expects a strong ETag. */
export function etagOf(answer: Answer): string {
  const etag = answer.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[^"]+"$/);
  return etag;
}

/** The body of a response about a submission, with the version of the form that it was made from (N1). */
export function withVersion(data: unknown, version: unknown = expect.any(Number)) {
  return { data, form_version: version };
}

/** A submission without values as `GET` returns it. Made from what `PATCH` returned, if the form has stayed at this version. */
export function asRead(patched: { readonly status: string }, version: unknown = expect.any(Number)) {
  return {
    ...patched,
    is_test: false,
    begun_version: version,
    completed_version: patched.status === 'completed' ? version : null,
    values: [],
    records: [],
  };
}
