import fc from 'fast-check';
import { ambiguityOf, listReader } from './option-list.js';

describe('listReader()', () => {
  const read = listReader(['Red', 'White', 'Dark, warm', 'a']);

  it.each([
    ['one option', 'Red', ['Red']],
    ['several options', 'White,Red', ['White', 'Red']],
    ['an option twice', 'a,a', ['a', 'a']],
    ['white space around options', ' Red , White', ['Red', 'White']],
    ['an option that contains a comma', 'Red,Dark, warm,a', ['Red', 'Dark, warm', 'a']],
  ])('reads %s', (_, text, options) => {
    expect(read(text)).toEqual(options);
  });

  it.each([
    ['an unknown option', 'Red,Blue'],
    ['an empty text', ''],
    ['a part of an option', 'Dark'],
  ])('returns undefined for %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('returns "several" for a text that can be read in more than one way', () => {
    const read = listReader(['Red', 'White', 'Red,White']);
    expect(read('Red,White')).toBe('several');
    expect(read('White,Red')).toEqual(['White', 'Red']);
  });

  it('takes time proportional to the length of the text', () => {
    expect(read(`${'a,'.repeat(2 ** 18)}a`)).toHaveLength(2 ** 18 + 1);
  });
});

describe('ambiguityOf()', () => {
  it.each([
    ['without commas', ['Red', 'White', 'Red and White']],
    ['with a comma in one option', ['Red', 'Dark, warm', 'White']],
    ['with a common beginning', ['a,b', 'b', 'a,b,c']],
  ])('finds no ambiguity in options %s', (_, options) => {
    expect(ambiguityOf(options)).toBeUndefined();
  });

  it.each([
    ['an option that is a list of others', ['Red', 'White', 'Red,White'], [['Red,White'], ['Red', 'White']]],
    [
      'options that overlap',
      ['a,b', 'c', 'a', 'b,c'],
      [
        ['a', 'b,c'],
        ['a,b', 'c'],
      ],
    ],
    ['options that differ only in white space', ['a', ' a'], [['a'], [' a']]],
  ])('finds %s', (_, options, lists) => {
    expect(ambiguityOf(options)).toEqual(lists);
  });

  it('finds an ambiguity if and only if two selections are the same text', () => {
    const option = fc.stringMatching(/^[ab](,[ab]){0,3}$/);
    fc.assert(
      fc.property(fc.uniqueArray(option, { minLength: 1, maxLength: 5 }), (options) => {
        const lists: string[][] = [[]];
        for (const list of lists) if (list.length < 4) lists.push(...options.map((next) => [...list, next]));
        const texts = lists.filter(({ length }) => length > 0).map((list) => list.join(','));
        const found = ambiguityOf(options);
        if (new Set(texts).size < texts.length) expect(found).toBeDefined();
        if (found === undefined) return;
        const [one, other] = found;
        expect(one).not.toEqual(other);
        expect(one.join(',')).toBe(other.join(','));
        expect(listReader(options)(one.join(','))).toBe('several');
      }),
    );
  });
});
