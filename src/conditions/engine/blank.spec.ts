import { isBlank } from './blank.js';

describe('isBlank() (J7)', () => {
  it.each([
    ['an empty text', ''],
    ['white space', ' \t\r\n\v\f'],
    ['white space of Unicode', '\u00a0\u2003\u3000\u2028\u2029\u0085'],
    ['zero-width characters', '\u200b\u200c\u200d\u2060\ufeff'],
    ['marks of the writing direction', '\u200e\u202e\u2066\u061c'],
    ['default-ignorable characters', '\u00ad\u034f\u3164\u115f\u180e\uffa0'],
    ['selectors and tags without a base character', '\ufe0f\u{e0100}\u{e0041}'],
    ['control characters', '\u0000\u001f\u007f\u009f'],
    ['the blank Braille pattern', '\u2800'],
    ['as many zero-width spaces as a value can have', '\u200b'.repeat(65_535)],
  ])('is true for %s', (_, text) => {
    expect(isBlank(text)).toBe(true);
  });

  it.each([
    ['a point', '.'],
    ['a letter after a zero-width space', '\u200bé'],
    ['a family, joined by U+200D', '👩\u200d👩\u200d👧'],
    ['an emoji with a selector', '❤\ufe0f'],
    ['a flag of tags', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['a combining mark without a letter', '\u0301'],
    ['another Braille pattern', '\u2801'],
    ['the replacement character', '\ufffd'],
    ['a letter after as much white space as a value can have', `${' '.repeat(65_534)}x`],
  ])('is false for %s', (_, text) => {
    expect(isBlank(text)).toBe(false);
  });
});
