/**
 * Uses a value that may be there already: at once where it is. A promise costs as much as the look into memory that
 * gave it (ADR 14).
 */
export function whenKnown<T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
