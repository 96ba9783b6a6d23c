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
    ['Korean, in letters that the terminal joins', '\u1112\u1161\u11ab', 2],
    ['Japanese in half width', 'ｱﾀﾞ', 3],
    ['Latin in full width', 'Ａｄａ', 6],
    ['an emoji', '😀', 2],
    ['an emoji of several', '👩‍👩‍👧', 2],
    ['a flag', '🇯🇵', 2],
    ['a combining accent', 'e\u0301', 1],
    ['a character without width', 'a\u200bb', 2],
  ])('take %s to be as wide as a terminal shows it', (_, cell, width) => {
    expect(
      alignColumns([
        [cell, '|'],
        ['12345678', '|'],
      ]),
    ).toBe(`${cell}${' '.repeat(8 - width)}  |\n12345678  |`);
  });

  it('cannot move the cursor of a terminal or break a line', () => {
    expect(alignColumns([['a\u001b[2J\nb']])).toBe('a�[2J�b');
  });
});
