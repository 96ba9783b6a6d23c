import { parseDuration, parseEmail, parseId, parseTokenName } from './option-values.js';

describe('option values', () => {
  it.each([
    ['30m', 1_800],
    ['12h', 43_200],
    ['90d', 7_776_000],
    ['2w', 1_209_600],
    ['36500d', 3_153_600_000],
  ])('take %s for %i seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(['', '0d', '90', 'd', '1.5h', '-1d', '1y', '90 d', '90D', '36501d', '999999999w', '1d1h'])(
    'refuse "%s" as a duration',
    (text) => {
      expect(() => parseDuration(text)).toThrow(/minutes, hours, days or weeks/);
    },
  );

  it.each(['a@b', 'ada.lovelace+x@example.org', 'ü@exämple.org'])('take %s for an e-mail address', (text) => {
    expect(parseEmail(text)).toBe(text);
  });

  it.each(['', 'ada', '@b', 'a@', 'a@b@c', 'a b@c', 'a@b\n', 'a\u0000@b', `${'a'.repeat(254)}@b`])(
    'refuse %j as an e-mail address',
    (text) => {
      expect(() => parseEmail(text)).toThrow(/must be an e-mail address/);
    },
  );

  it.each(['', '0', '-1', '1.0', 'x', '2147483648', ' 1', '1e3'])('refuse %j as an id', (text) => {
    expect(() => parseId(text)).toThrow(/whole number/);
  });

  it('take an id', () => {
    expect(parseId('2147483647')).toBe(2_147_483_647);
  });

  it.each(['', 'two\nlines', 'x'.repeat(256)])('refuse %j as the name of a token', (text) => {
    expect(() => parseTokenName(text)).toThrow(/1 to 255 characters/);
  });
});
