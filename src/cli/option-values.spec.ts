import {
  parseAge,
  parseDuration,
  parseEmail,
  parseId,
  parseSince,
  parseSlug,
  parseTokenName,
  parseUntil,
} from './option-values.js';

describe('option values', () => {
  it.each([
    ['30m', 1_800],
    ['12h', 43_200],
    ['90d', 7_776_000],
    ['2w', 1_209_600],
    ['36500d', 3_153_600_000],
  ])('read %s as %i seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it('accept an age of at least an hour', () => {
    expect(parseAge('1h')).toBe(3_600);
    expect(parseAge('90d')).toBe(7_776_000);
    for (const text of ['59m', '0d', 'abc'])
      expect(() => parseAge(text)).toThrow(/hours, days or weeks, .* from 1h to 36500d/);
  });

  it.each([
    ['2026-11-21', '2026-11-21T00:00Z'],
    ['2024-02-29', '2024-02-29T00:00Z'],
    ['2026-11-21T16:30Z', '2026-11-21T16:30Z'],
    ['2026-11-21T16:30:00+05:30', '2026-11-21T16:30:00+05:30'],
    // Exports have this format.
    ['2026-11-21T16:52:07.301562Z', '2026-11-21T16:52:07.301562Z'],
  ])('read %s as the time %s', (text, moment) => {
    expect(parseSince(text)).toBe(moment);
  });

  it.each([
    ['2026-11-30', '2026-12-01T00:00:00.000Z'],
    ['2024-02-28', '2024-02-29T00:00:00.000Z'],
    ['2026-11-21T16:30:00+05:30', '2026-11-21T16:30:00+05:30'],
  ])('read the end %s as the time %s, which is after the whole day', (text, moment) => {
    expect(parseUntil(text)).toBe(moment);
  });

  it('read a duration as a time before now', () => {
    const before = Date.now();
    const moment = Date.parse(parseSince('7d'));
    expect(moment).toBeGreaterThanOrEqual(before - 604_800_000);
    expect(moment).toBeLessThanOrEqual(Date.now() - 604_800_000);
  });

  /** Rows with each of these texts, which are separated by spaces. */
  const rejected = (
    parse: (text: string) => unknown,
    message: RegExp,
    texts: string,
    ...withSpaces: string[]
  ) => ['', ...texts.split(' '), ...withSpaces].map((text) => [parse.name, text, parse, message] as const);

  it.each([
    ...rejected(
      parseDuration,
      /minutes, hours, days or weeks/,
      '0d 90 d 1.5h -1d 1y 90D 36501d 999999999w 1d1h',
      '90 d',
    ),
    ...rejected(
      parseSince,
      /a date such as 2026-11-21/,
      'yesterday 2026 2026-11 21.11.2026 2026-13-01 2026-02-30 2025-02-29 2026-00-10 2026-11-00 2026-11-21T16:30 2026-11-21T25:00Z ' +
        '2026-11-21T16:60Z 1969-12-31 2026-11-21T16:30:00+15:00 2026-11-21T16:30:00.1234567Z 7y -7d infinity now',
      '2026-11-21 16:30Z',
    ),
    ...rejected(
      parseEmail,
      /must be an email address/,
      `ada @b a@ a@b@c a\u0000@b ${'a'.repeat(254)}@b`,
      ...['a b@c', 'a@b\n'],
    ),
    ...rejected(parseId, /whole number/, '0 -1 1.0 x 2147483648 1e3', ' 1'),
    ...rejected(
      parseSlug,
      /lower-case letters and digits/,
      `Contact a_b a--b -a a- ../a ${'x'.repeat(256)}`,
      'a b',
    ),
    ...rejected(parseTokenName, /1 to 255 characters/, 'x'.repeat(256), 'two\nlines'),
  ])('are rejected: %s(%j)', (_name, text, parse, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it.each(['a@b', 'ada.lovelace+x@example.org', 'ü@exämple.org'])('accept %s as an email address', (text) => {
    expect(parseEmail(text)).toBe(text);
  });

  it('accept an id', () => {
    expect(parseId('2147483647')).toBe(2_147_483_647);
  });
});
