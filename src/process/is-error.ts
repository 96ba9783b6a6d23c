import { types } from 'node:util';

/** Also of errors of another realm, which `instanceof` does not know, and of classes that only inherit from Error. */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || types.isNativeError(thrown);
}
