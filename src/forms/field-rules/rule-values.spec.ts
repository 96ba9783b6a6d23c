import { isBlank, isDate } from './rule-values.js';

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

// Most dates come from our own versions of the cases in the public test suite of JSON Schema.
it.each([
  ...['1963-06-19', '2020-01-31', '2021-02-28', '2020-02-29', '2020-03-31', '2020-04-30', '2020-05-31'],
  ...['2020-06-30', '2020-12-31', '2000-02-29', '0099-12-31'],
])('isDate() accepts %s', (text) => {
  expect(isDate(text)).toBe(true);
});

it.each([
  ...['2020-01-32', '2021-02-29', '2020-02-30', '2020-03-32', '2020-04-31', '2020-05-32', '2020-06-31'],
  ...['2020-07-32', '2020-08-32', '2020-09-31', '2020-10-32', '2020-11-31', '2020-12-32', '2020-13-01'],
  ...['2020-00-10', '2026-01-00', '1900-02-29', '06/19/1963', '2013-350', '1998-1-20', '1998-01-1'],
  ...['20230328', '2023-W01', '2023-W13-2', '2022W527', '1963-06-1৪', '', '2026-11-21T10:00:00Z'],
  ...['+002026-11-21', '21.11.2026', '2026-11- 21', '٢٠٢٦-١١-٢١', '2026-11-21\n'],
])('isDate() rejects %j', (text) => {
  expect(isDate(text)).toBe(false);
});
