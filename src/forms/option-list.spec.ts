import fc from 'fast-check';
import { ambiguityOf, listReader } from './option-list.js';

describe('a text as options separated by commas', () => {
  const read = listReader(['Red', 'White', 'Dark, warm', 'a']);

  it.each([
    ['one option', 'Red', ['Red']],
    ['several options', 'White,Red', ['White', 'Red']],
    ['an option twice', 'a,a', ['a', 'a']],
    ['white space around options', ' Red , White', ['Red', 'White']],
    ['an option with a comma in it', 'Red,Dark, warm,a', ['Red', 'Dark, warm', 'a']],
    ['something else', 'Red,Blue', undefined],
    ['nothing', '', undefined],
    ['part of an option', 'Dark', undefined],
  ])('reads %s', (_, text, options) => {
    expect(read(text)).toEqual(options);
  });

  it('says that a text can be read in several ways', () => {
    const read = listReader(['Red', 'White', 'Red,White']);
    expect(read('Red,White')).toBe('several');
    expect(read('White,Red')).toEqual(['White', 'Red']);
  });

  it('takes time in proportion to the length of the text', () => {
    expect(read(`${'a,'.repeat(2 ** 18)}a`)).toHaveLength(2 ** 18 + 1);
  });
});

describe('an ambiguity of options', () => {
  it.each([
    ['without commas', ['Red', 'White', 'Red and White']],
    ['with commas that no other option has', ['Red', 'Dark, warm', 'White']],
    ['of which one begins like another', ['a,b', 'b', 'a,b,c']],
  ])('is not found where there is none: options %s', (_, options) => {
    expect(ambiguityOf(options)).toBeUndefined();
  });

  it.each([
    ['an option that consists of others', ['Red', 'White', 'Red,White'], [['Red,White'], ['Red', 'White']]],
    [
      'options that overlap',
      ['a,b', 'c', 'a', 'b,c'],
      [
        ['a', 'b,c'],
        ['a,b', 'c'],
      ],
    ],
    ['options that differ in white space only', ['a', ' a'], [['a'], [' a']]],
  ])('is found: %s', (_, options, lists) => {
    expect(ambiguityOf(options)).toEqual(lists);
  });

  it('is one exactly where two selections are the same text', () => {
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
