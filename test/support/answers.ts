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
