import { isBlank } from './rule-values.js';

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
    ['as many spaces as a value can have', ' '.repeat(65_535)],
    ['as many zero-width spaces as a value can have', '\u200b'.repeat(65_535)],
  ])('is true for %s', (_, text) => {
    expect(isBlank(text)).toBe(true);
  });

  it.each([
    '.',
    '0',
    '-',
    ' a ',
    '\u200bé',
    '👩\u200d👩\u200d👧', // A family, joined by U+200D.
    '❤\ufe0f',
    '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    '1\ufe0f\u20e3',
    '\u0301', // A combining mark without a letter is visible.
    '\u2801',
    '\ufffd',
    `${' '.repeat(65_534)}x`,
  ])('is false for text %#, %.10j', (text) => {
    expect(isBlank(text)).toBe(false);
  });
});
