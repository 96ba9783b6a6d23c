/** Characters of a piece. Serialising and hashing a piece takes about a millisecond. */
const PIECE = 256 * 1024;

/** Longer lists are divided even in an object below `depth`. */
const LONG = 1_000;

/**
 * Yields what `JSON.stringify` would return, in pieces, so that a large value can be serialised in slices. Divides objects and lists
 * down to `depth`, and long lists one level below.
 */
export function* jsonPieces(value: object, depth: number): Generator<string> {
  let piece = '';
  for (const part of partsOf(value, depth)) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Yields a text in pieces, none of which ends inside of a surrogate pair. */
export function* textPieces(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const isInPair = (text.codePointAt(start + PIECE - 1) ?? 0) > 0xffff;
    const end = start + PIECE + (isInPair ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
}

function* partsOf(value: unknown, depth: number): Generator<string> {
  if (typeof value !== 'object' || value === null || (depth <= 0 && !hasLongList(value))) {
    yield JSON.stringify(value);
    return;
  }
  const isList = Array.isArray(value);
  let before = isList ? '[' : '{';
  for (const [key, element] of Object.entries(value)) {
    if (element === undefined && !isList) continue;
    yield isList ? before : `${before}${JSON.stringify(key)}:`;
    yield* partsOf(element ?? null, depth - 1);
    before = ',';
  }
  yield before === ',' ? '' : before;
  yield isList ? ']' : '}';
}

const hasLongList = (value: object): boolean =>
  Array.isArray(value)
    ? value.length > LONG
    : Object.values(value).some((one) => Array.isArray(one) && one.length > LONG);
