import { listReader } from './option-list.js';

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
