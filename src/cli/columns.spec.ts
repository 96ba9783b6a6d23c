import { alignColumns } from './columns.js';

describe('columns', () => {
  it('are as wide as their widest cell, without spaces at the end of a line', () => {
    const rows = [
      ['ID', 'NAME', 'STATUS'],
      ['10', 'Ada', 'valid'],
      ['7', '-', ''],
    ];
    expect(alignColumns(rows)).toBe('ID  NAME  STATUS\n10  Ada   valid\n7   -');
  });

  it.each([
    ['Chinese', '李小龍', 6],
    ['Korean letters that the terminal joins', '\u1112\u1161\u11ab', 2],
    ['half-width Japanese', 'ｱﾀﾞ', 3],
    ['full-width Latin', 'Ａｄａ', 6],
    ['an emoji', '😀', 2],
    ['a joined emoji', '👩‍👩‍👧', 2],
    ['a flag', '🇯🇵', 2],
    ['a combining accent', 'e\u0301', 1],
    ['a zero-width character', 'a\u200bb', 2],
  ])('measure %s as wide as a terminal shows it', (_, cell, width) => {
    expect(
      alignColumns([
        [cell, '|'],
        ['12345678', '|'],
      ]),
    ).toBe(`${cell}${' '.repeat(8 - width)}  |\n12345678  |`);
  });

  it('cannot move the cursor of a terminal or break a line', () => {
    expect(alignColumns([['a\u001b[2J\nb']])).toBe('a\\u001b[2J\\u000ab');
  });
});
