import { hash, randomBytes } from 'node:crypto';

/** Crockford's base32: no letter that looks like a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 26 characters of 5 bits: 130 random bits (P5). */
const LENGTH = 26;
const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);
/** Hyphens and spaces may be anywhere, so a code as written by a person is longer. */
const MAX_WRITTEN = 100;

/** Returns a new code in groups, such as `7QX2MK-4TBZC-9H0FD-VN3WR-6J8PE`. */
export function newResumeCode(): string {
  const characters = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return (characters.match(/.{5,6}(?=(.{5})*$)/g) ?? []).join('-');
}

/**
 * Returns the SHA-256 of a code, in any letter case, with or without hyphens and spaces, and with O, I and L for 0 and 1.
 * Returns undefined if no code has this text.
 */
export function hashResumeCode(written: string): Buffer | undefined {
  if (written.length > MAX_WRITTEN) return undefined;
  const code = written.toUpperCase().replace(/[-\s]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  return CODE.test(code) ? hash('sha256', code, 'buffer') : undefined;
}
