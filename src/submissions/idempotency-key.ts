import type { FastifyRequest } from 'fastify';
import { invalid } from '../http/problems.js';

/** The `Idempotency-Key` (S10), or undefined where there is none; 422 for one that cannot be used. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalid({
      'Idempotency-Key': ['The Idempotency-Key must have 1 to 255 printable ASCII characters.'],
    });
  }
  return key;
}
