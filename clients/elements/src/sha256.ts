// The bundle has this module instead of `sha256.ts` of formtrail-session, because the library there is four times larger. The hash
// protects no secret: it only proves that the browser has worked.
type Hash = [number, number, number, number, number, number, number, number];

const PRIMES: number[] = [];
for (let number = 2; PRIMES.length < 64; number += 1)
  if (PRIMES.every((prime) => number % prime > 0)) PRIMES.push(number);

/** The first 32 bits of the fractional part. */
const fraction = (number: number) => ((number % 1) * 2 ** 32) | 0;
const START = PRIMES.slice(0, 8).map((prime) => fraction(prime ** (1 / 2))) as Hash;
const ROUNDS = Int32Array.from(PRIMES, (prime) => fraction(prime ** (1 / 3)));

const words = new Int32Array(64);
const rotate = (word: number, by: number) => (word >>> by) | (word << (32 - by));
/** Bits to shift a byte left to its place in a word. */
const shiftOf = (index: number) => 24 - (index % 4) * 8;
/** Every index is in range. */
const at = (array: ArrayLike<number>, index: number) => array[index] as number;

/** SHA-256 (FIPS 180-4). */
export function sha256(bytes: Uint8Array): Uint8Array {
  // A bit, zeros, and the number of bits fill the last block of 16 words.
  const input = new Int32Array(((bytes.length + 72) >> 6) << 4);
  for (let index = 0; index <= bytes.length; index += 1) {
    const word = index >> 2;
    input[word] = at(input, word) | ((bytes[index] ?? 128) << shiftOf(index));
  }
  input[input.length - 1] = bytes.length * 8;
  let hash = START;
  for (let block = 0; block < input.length; block += 16) {
    let [a, b, c, d, e, f, g, h] = hash;
    for (let round = 0; round < 64; round += 1) {
      if (round < 16) words[round] = at(input, block + round);
      else {
        const [early, late] = [at(words, round - 15), at(words, round - 2)];
        words[round] =
          (rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)) +
          (rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)) +
          (at(words, round - 16) + at(words, round - 7));
      }
      const one =
        (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
        ((e & f) ^ (~e & g)) +
        (h + at(ROUNDS, round) + at(words, round));
      const other = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [(one + other) | 0, a, b, c, (d + one) | 0, e, f, g];
    }
    hash = [a, b, c, d, e, f, g, h].map((word, index) => (word + at(hash, index)) | 0) as Hash;
  }
  const result = new Uint8Array(32);
  for (let index = 0; index < 32; index += 1) result[index] = at(hash, index >> 2) >> shiftOf(index);
  return result;
}
