import { types } from 'node:util';

/** Recognises errors of another realm too, for which `instanceof` is false, and objects that only inherit from Error. */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || types.isNativeError(thrown);
}
