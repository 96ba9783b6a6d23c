import {
  parseAge,
  parseDuration,
  parseEmail,
  parseId,
  parseSince,
  parseSlug,
  parseTokenName,
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

  it.each(['', '0d', '90', 'd', '1.5h', '-1d', '1y', '90 d', '90D', '36501d', '999999999w', '1d1h'])(
    'reject "%s" as a duration',
    (text) => {
      expect(() => parseDuration(text)).toThrow(/minutes, hours, days or weeks/);
    },
  );

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

  it('read a duration as a time before now', () => {
    const before = Date.now();
    const moment = Date.parse(parseSince('7d'));
    expect(moment).toBeGreaterThanOrEqual(before - 604_800_000);
    expect(moment).toBeLessThanOrEqual(Date.now() - 604_800_000);
  });

  it.each([
    ...[
      '',
      'yesterday',
      '2026',
      '2026-11',
      '21.11.2026',
      '2026-13-01',
      '2026-02-30',
      '2025-02-29',
      '2026-00-10',
    ],
    ...[
      '2026-11-00',
      '2026-11-21T16:30',
      '2026-11-21 16:30Z',
      '2026-11-21T25:00Z',
      '2026-11-21T16:60Z',
      '1969-12-31',
    ],
    ...['2026-11-21T16:30:00+15:00', '2026-11-21T16:30:00.1234567Z', '7y', '-7d', 'infinity', 'now'],
  ])('reject "%s" as a time', (text) => {
    expect(() => parseSince(text)).toThrow(/a date such as 2026-11-21/);
  });

  it.each(['a@b', 'ada.lovelace+x@example.org', 'ü@exämple.org'])(
    'accept %s as an e-mail address',
    (text) => {
      expect(parseEmail(text)).toBe(text);
    },
  );

  it.each(['', 'ada', '@b', 'a@', 'a@b@c', 'a b@c', 'a@b\n', 'a\u0000@b', `${'a'.repeat(254)}@b`])(
    'reject %j as an e-mail address',
    (text) => {
      expect(() => parseEmail(text)).toThrow(/must be an e-mail address/);
    },
  );

  it.each(['', '0', '-1', '1.0', 'x', '2147483648', ' 1', '1e3'])('reject %j as an id', (text) => {
    expect(() => parseId(text)).toThrow(/whole number/);
  });

  it('accept an id', () => {
    expect(parseId('2147483647')).toBe(2_147_483_647);
  });

  it.each(['', 'Contact', 'a_b', 'a--b', '-a', 'a-', 'a b', '../a', 'x'.repeat(256)])(
    'reject %j as a slug',
    (text) => {
      expect(() => parseSlug(text)).toThrow(/lower-case letters and digits/);
    },
  );

  it.each(['', 'two\nlines', 'x'.repeat(256)])('reject %j as the name of a token', (text) => {
    expect(() => parseTokenName(text)).toThrow(/1 to 255 characters/);
  });
});
