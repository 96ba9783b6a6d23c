import type { Challenge } from 'formtrail-client';
import { sha256 } from './sha256.js';

export { sha256 };

/** Numbers to try between two looks at the clock: about a millisecond. */
const BATCH = 250;

/** Looks for the number of an ALTCHA challenge: SHA-256 of the salt and the number in decimal digits is the challenge. */
export class Search {
  private next = 0;
  private readonly wanted: readonly number[];
  private readonly text: Uint8Array;
  private readonly saltLength: number;

  /** @throws Error if the challenge needs another algorithm */
  constructor(private readonly challenge: Challenge) {
    const { salt } = challenge;
    // A newer service may use another one.
    const algorithm: string = challenge.algorithm;
    if (algorithm !== 'SHA-256')
      throw new Error(`The challenge needs ${algorithm}, but this page has SHA-256 only.`);
    const bytes = new TextEncoder().encode(salt);
    // A safe integer has at most 16 digits.
    this.text = new Uint8Array(bytes.length + 16);
    this.text.set(bytes);
    this.saltLength = bytes.length;
    this.wanted = (challenge.challenge.match(/../g) ?? []).map((digits) => parseInt(digits, 16));
  }

  /** The part of the numbers that have been tried, from 0 to 1. */
  get progress(): number {
    return Math.min(1, this.next / (this.challenge.maxnumber + 1));
  }

  /**
   * Tries numbers for about this long. Returns the number if it was found, otherwise undefined: call again.
   *
   * @throws Error if no number is the solution
   */
  run(milliseconds: number): number | undefined {
    const end = performance.now() + milliseconds;
    do {
      for (const last = this.next + BATCH; this.next < last; this.next += 1) {
        if (this.next > this.challenge.maxnumber) throw new Error('The challenge has no solution.');
        if (this.isSolution(this.next)) return this.next;
      }
    } while (performance.now() < end);
    return undefined;
  }

  private isSolution(number: number): boolean {
    const digits = String(number);
    for (let at = 0; at < digits.length; at += 1) this.text[this.saltLength + at] = digits.charCodeAt(at);
    const hash = sha256(this.text.subarray(0, this.saltLength + digits.length));
    return this.wanted.length === hash.length && this.wanted.every((byte, at) => byte === hash[at]);
  }
}
