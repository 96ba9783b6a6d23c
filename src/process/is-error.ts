import { types } from 'node:util';

/**
 * Returns true also for errors of another realm, for which `instanceof` is false, and for objects that only inherit from Error.
 */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || types.isNativeError(thrown);
}
