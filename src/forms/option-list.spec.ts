import fc from 'fast-check';
import { ambiguityOf, listReader } from './option-list.js';

describe('listReader()', () => {
  const options = ['Red', 'White', 'Dark, warm', 'a', 'White,Red'];

  it.each<[string, string, string[] | 'several' | undefined]>([
    ['one option', 'Red', ['Red']],
    ['several options', 'Red,White', ['Red', 'White']],
    ['an option twice', 'a,a', ['a', 'a']],
    ['white space around options', ' Red , White', ['Red', 'White']],
    ['an option that contains a comma', 'Red,Dark, warm,a', ['Red', 'Dark, warm', 'a']],
    ['a text that can be read in two ways', 'White,Red', 'several'],
    ['an unknown option', 'Red,Blue', undefined],
    ['an empty text', '', undefined],
    ['a part of an option', 'Dark', undefined],
  ])('reads %s', (_, text, list) => {
    expect(listReader(options)(text)).toEqual(list);
  });

  it('takes time proportional to the length of the text', () => {
    expect(listReader(options)(`${'a,'.repeat(2 ** 18)}a`)).toHaveLength(2 ** 18 + 1);
  });
});

describe('ambiguityOf()', () => {
  it.each<[string, string[], string[][] | undefined]>([
    ['nothing with a comma in one option', ['Red', 'Dark, warm', 'White'], undefined],
    ['nothing with a common beginning', ['a,b', 'b', 'a,b,c'], undefined],
    ['an option that is a list of others', ['Red', 'White', 'Red,White'], [['Red,White'], ['Red', 'White']]],
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
