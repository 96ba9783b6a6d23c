import { excelLimits } from './csv.js';

describe('excelLimits()', () => {
  it('warns only about rows beyond the limit of Excel', () => {
    const limits = excelLimits(['uuid', 'note']);
    for (let row = 1; row < 1_048_576; row += 1) limits.count(['a', '']);
    expect(limits.warnings()).toEqual([]);
    limits.count(['a', 'x'.repeat(32_767)]);
    expect(limits.warnings()).toEqual([
      'The table has 1048577 rows. A sheet of Excel shows the first 1048576.',
    ]);
  });

  it('warns about columns beyond the limit of Excel', () => {
    const header = (columns: number) => Array.from({ length: columns }, (_, index) => `c${index}`);
    expect(excelLimits(header(16_384)).warnings()).toEqual([]);
    expect(excelLimits(header(16_385)).warnings()).toEqual([
      'The table has 16385 columns. A sheet of Excel shows the first 16384.',
    ]);
  });

  it('counts the name of a column, and the apostrophe before a possible formula', () => {
    const limits = excelLimits(['uuid', 'x'.repeat(32_768)]);
    limits.count(['a', '-'.padEnd(32_767, '1')]);
    limits.count(['a', '='.padEnd(32_766, '1')]);
    limits.count(['a', '='.padEnd(32_767, '1')]);
    expect(limits.warnings()).toEqual([
      '2 cells are longer than the 32767 characters that Excel can hold, the first in the name of column 2.',
    ]);
  });

  it('counts the cells that are too long, and names the first one', () => {
    const limits = excelLimits(['uuid', 'note']);
    limits.count(['a', 'x'.repeat(32_768)]);
    limits.count(['b', 'x'.repeat(32_768)]);
    expect(limits.warnings()).toEqual([
      '2 cells are longer than the 32767 characters that Excel can hold, the first in "note" of the submission a.',
    ]);
  });
});
