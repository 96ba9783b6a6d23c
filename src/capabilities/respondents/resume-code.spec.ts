import { hash } from 'node:crypto';
import { hashResumeCode, newResumeCode } from './resume-code.js';

const CODE = '7QX2MK-4TBZC-9H0FD-VN3WR-6J8PE';
const HASH = hash('sha256', CODE.replaceAll('-', ''), 'buffer');

describe('a resume code', () => {
  it('has 26 random characters of Crockford base32 in groups, each of which occurs about equally often', () => {
    const codes = Array.from({ length: 1_000 }, newResumeCode);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{6}(-[0-9A-HJKMNP-TV-Z]{5}){4}$/);
    expect(new Set(codes).size).toBe(codes.length);
    const counts = new Map<string, number>();
    for (const character of codes.join('').replaceAll('-', ''))
      counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = (codes.length * 26) / 32;
    expect(counts.size).toBe(32);
    for (const count of counts.values()) expect(Math.abs(count / expected - 1)).toBeLessThan(0.2);
  });

  it.each([
    ...[CODE, CODE.toLowerCase(), CODE.replaceAll('-', ''), CODE.replaceAll('-', ' '), ` ${CODE}\n`],
    ...[CODE.replaceAll('0', 'O'), CODE.replaceAll('0', 'o'), `${CODE}${' '.repeat(70)}`],
  ])('is read from %j', (written) => {
    expect(hashResumeCode(written)).toEqual(HASH);
  });

  it('may have I and L for 1', () => {
    const ones = '1'.repeat(26);
    for (const letter of ['I', 'i', 'L', 'l'])
      expect(hashResumeCode(letter.repeat(26))).toEqual(hashResumeCode(ones));
  });

  // The last text has more than 100 characters.
  it.each([
    ...['', ' ', CODE.slice(1), `${CODE}0`, CODE.replace('7', 'U'), CODE.replace('7', '_')],
    `${CODE}${' '.repeat(71)}`,
  ])('is not read from %j', (written) => {
    expect(hashResumeCode(written)).toBeUndefined();
  });
});
