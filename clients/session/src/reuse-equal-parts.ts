const COMPARED = ['[object Object]', '[object Array]'];

/**
 * Returns `next` with each part that equals its counterpart in `previous` replaced by that object (structural sharing). Compares plain
 * objects and arrays deeply, and all other values, such as errors, by identity.
 */
export function reuseEqualParts<Value>(previous: unknown, next: Value): Value {
  const kind = kindOf(next);
  if (previous === next || kind !== kindOf(previous) || !COMPARED.includes(kind)) return next;
  const before = new Map<string, unknown>(Object.entries(previous as object));
  const parts: [string, unknown][] = Object.entries(next as object);
  const shared = parts.map(([name, part]) => [name, reuseEqualParts(before.get(name), part)] as const);
  const isEqual =
    before.size === shared.length &&
    shared.every(([name, part]) => before.has(name) && Object.is(before.get(name), part));
  if (isEqual) return previous as Value;
  return (Array.isArray(next) ? shared.map(([, part]) => part) : Object.fromEntries(shared)) as Value;
}

/** Does not use the prototype, which may belong to another realm. */
function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value);
}
