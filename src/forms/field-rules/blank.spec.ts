import { isBlank } from './rule-values.js';

describe('J7: text is blank', () => {
  it.each([
    ['nothing', ''],
    ['white space', ' \t\r\n\v\f'],
    ['white space of Unicode', '\u00a0\u2003\u3000\u2028\u2029\u0085'],
    ['what has no width', '\u200b\u200c\u200d\u2060\ufeff'],
    ['marks of direction', '\u200e\u202e\u2066\u061c'],
    ['what is ignored by default', '\u00ad\u034f\u3164\u115f\u180e\uffa0'],
    ['selectors and tags without a character before them', '\ufe0f\u{e0100}\u{e0041}'],
    ['control characters', '\u0000\u001f\u007f\u009f'],
    ['a blank pattern of Braille', '\u2800'],
    ['as much as a value can have', ' '.repeat(65_535)],
    ['as much as a value can have, without a width', '\u200b'.repeat(65_535)],
  ])('that has %s only', (_, text) => {
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
    '\u0301', // A mark without a letter is seen.
    '\u2801',
    '\ufffd',
    `${' '.repeat(65_534)}x`,
  ])('and %#, %.10j, is not', (text) => {
    expect(isBlank(text)).toBe(false);
  });
});
