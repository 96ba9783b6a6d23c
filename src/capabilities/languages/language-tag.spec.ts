import fc from 'fast-check';
import { lookupChain } from '../../forms/language-tag.js';
import { matchingTags, readTag } from './language-tag.js';

describe('readTag', () => {
  it.each([
    ['de', 'de'],
    ['DE-at', 'de-AT'],
    ['ZH-hANT-tw', 'zh-Hant-TW'],
    ['sr-latn', 'sr-Latn'],
    ['de-1996', 'de-1996'],
    ['DE-CH-1901', 'de-CH-1901'],
    ['es-419', 'es-419'],
    ['en-US-U-HC-H12', 'en-US-u-hc-h12'],
    ['de-X-AB-Wien', 'de-x-ab-wien'],
    ['iw', 'iw'],
    [`de-x-${'abcdefgh-'.repeat(3)}abc`, `de-x-${'abcdefgh-'.repeat(3)}abc`],
  ])('accepts %s as %s', (given, expected) => {
    expect(readTag(given)).toBe(expected);
  });

  it.each([
    ...[
      '',
      '*',
      'x-private',
      'de_AT',
      'd',
      'deutschland',
      'de-',
      '-de',
      'de--AT',
      'de-AT-',
      ' de',
      'de\n',
      'dé',
    ],
    ...['i-klingon', 'de-1996-1996', 'en-a-bb-a-cc', `de-x-${'abcdefgh-'.repeat(3)}abcd`],
    ...[undefined, null, 1, ['de'], ['de', 'en'], { de: 1 }],
  ])('rejects %j', (given) => {
    expect(readTag(given)).toBeUndefined();
  });

  it('returns only tags that the database accepts, and that are read as themselves', () => {
    const part = fc.stringMatching(/^[a-zA-Z0-9]{1,8}$/);
    const tag = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('-'));
    const isStorable =
      /^([a-z]{2,3}|[a-z]{5,8})(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[a-wyz0-9](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?$/;
    fc.assert(
      fc.property(tag, (given) => {
        const read = readTag(given);
        if (read === undefined) return;
        expect(read).toMatch(isStorable);
        expect(read.toLowerCase()).toBe(given.toLowerCase());
        expect(readTag(read)).toBe(read);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('lookupChain', () => {
  it.each([
    ['de', ['de']],
    ['zh-Hant-TW', ['zh-Hant-TW', 'zh-Hant', 'zh']],
    [
      'zh-Hant-CN-x-private1-private2',
      ['zh-Hant-CN-x-private1-private2', 'zh-Hant-CN-x-private1', 'zh-Hant-CN', 'zh-Hant', 'zh'],
    ],
    ['en-u-hc-h12', ['en-u-hc-h12', 'en-u-hc', 'en']],
  ])('of %s is %j', (tag, expected) => {
    expect(lookupChain(tag)).toEqual(expected);
  });
});

describe('matchingTags', () => {
  it.each([
    ['de-AT', 'en', ['de'], ['de']],
    ['de-AT', 'en', ['de', 'de-AT', 'fr'], ['de-AT', 'de']],
    ['de', 'en', ['de-AT'], []],
    ['fr', 'en', ['de'], []],
    ['en', 'en', ['de'], []],
    // The texts of the tables are better than those of a broader language.
    ['de-AT-1996', 'de-AT', ['de', 'de-AT-1996'], ['de-AT-1996']],
    ['de-AT', null, ['de'], ['de']],
  ])('of %s in a form in %s with %j are %j', (tag, own, available, expected) => {
    expect(matchingTags(tag, own, available)).toEqual(expected);
  });
});
