import { types } from 'node:util';

/** Also true for errors of another realm, which `instanceof` misses, and for objects that only inherit from Error. */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || types.isNativeError(thrown);
}
