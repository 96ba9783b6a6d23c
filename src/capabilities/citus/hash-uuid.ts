/** All numbers in this file are words of 32 bits. */
type State = [a: number, b: number, c: number];

/** The initial value of PostgreSQL's `hash_bytes` for 16 bytes (src/common/hashfn.c: lookup3 by Bob Jenkins). */
const INITIAL = (0x9e3779b9 + 16 + 3923095) | 0;

const rotate = (word: number, by: number) => (word << by) | (word >>> (32 - by));

/**
 * Returns PostgreSQL's `uuid_hash` on a little-endian processor, as a signed integer. Citus chooses the shard by this
 * hash.
 */
export function hashUuid(uuid: string): number {
  const word = (from: number, middle = from + 4) =>
    swapped(parseInt(uuid.slice(from, from + 4) + uuid.slice(middle, middle + 4), 16));
  // The second and the third word have a hyphen in the text. Each character here is its own position in base 36:
  // 01234567-9abc-efgh-jklm-opqrstuvwxyz.
  const state = mixed([(INITIAL + word(0)) | 0, (INITIAL + word(9, 14)) | 0, (INITIAL + word(19, 24)) | 0]);
  state[0] = (state[0] + word(28)) | 0;
  return finished(state);
}

function swapped(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

function mixed([a, b, c]: State): State {
  for (const [first, second, third] of [
    [4, 6, 8],
    [16, 19, 4],
  ] as const) {
    a = (a - c) ^ rotate(c, first);
    c = (c + b) | 0;
    b = (b - a) ^ rotate(a, second);
    a = (a + c) | 0;
    c = (c - b) ^ rotate(b, third);
    b = (b + a) | 0;
  }
  return [a, b, c];
}

function finished([a, b, c]: State): number {
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  return ((c ^ b) - rotate(b, 24)) | 0;
}
