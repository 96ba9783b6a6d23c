/** Returns `next` with each part that equals its counterpart in `previous` replaced by that object (structural sharing). */
export function reuseEqualParts<Value>(previous: unknown, next: Value): Value {
  if (Object.is(previous, next) || !isPlain(previous) || !isPlain(next)) return next;
  if (Array.isArray(previous) !== Array.isArray(next)) return next;
  const before = new Map<string, unknown>(Object.entries(previous));
  const parts: [string, unknown][] = Object.entries(next);
  const shared = parts.map(([name, part]) => [name, reuseEqualParts(before.get(name), part)] as const);
  const isEqual =
    before.size === shared.length &&
    shared.every(([name, part]) => before.has(name) && Object.is(before.get(name), part));
  if (isEqual) return previous as Value;
  return (Array.isArray(next) ? shared.map(([, part]) => part) : Object.fromEntries(shared)) as Value;
}

/** Only plain objects and arrays are compared deeply. Errors, for example, are not. The prototype may belong to another realm. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
