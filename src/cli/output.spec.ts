import { alignColumns } from './output.js';

describe('columns', () => {
  it('are as wide as their widest cell, without spaces at the end of a line', () => {
    const rows = [
      ['ID', 'NAME', 'STATUS'],
      ['10', 'Ada', 'valid'],
      ['7', '-', ''],
    ];
    expect(alignColumns(rows)).toBe('ID  NAME  STATUS\n10  Ada   valid\n7   -');
  });

  it('cannot move the cursor of a terminal or break a line', () => {
    expect(alignColumns([['a\u001b[2J\nb']])).toBe('a\\u001b[2J\\u000ab');
  });
});
