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

/** Expects the response to a move to this step of a draft. */
export function expectMove(
  { status, headers, body }: Answer,
  { uuid }: { readonly uuid: string },
  current_step: number,
  progress_percentage: number,
  is_last_step = false,
): void {
  const data = { uuid, current_step, status: 'draft', is_last_step, progress_percentage };
  expect({ status, body }).toEqual({ status: 200, body: withVersion(data) });
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
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
    locale: null,
    anonymized_at: null,
    values: [],
    records: [],
  };
}

/** Errors of the state of a submission. */
export const ON_LAST = { message: 'Already on the last step.' };
export const ON_FIRST = { message: 'Already on the first step.' };
export const COMPLETED = { message: 'The submission is already completed.' };
export const GONE = { message: 'Submission not found.' };
