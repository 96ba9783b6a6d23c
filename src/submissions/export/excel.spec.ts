import { excelLimits } from './csv.js';

describe('what Excel cannot hold of a table', () => {
  it('is nothing up to its limits', () => {
    const limits = excelLimits(['uuid', 'note']);
    for (let row = 1; row < 1_048_576; row += 1) limits.see(['a', '']);
    expect(limits.warnings()).toEqual([]);
    limits.see(['a', 'x'.repeat(32_767)]);
    expect(limits.warnings()).toEqual([
      'The table has 1048577 rows. A sheet of Excel shows the first 1048576.',
    ]);
  });

  it('is named by the first cell that is too long, and counted', () => {
    const limits = excelLimits(['uuid', 'note']);
    limits.see(['a', 'x'.repeat(32_768)]);
    limits.see(['b', 'x'.repeat(32_768)]);
    expect(limits.warnings()).toEqual([
      '2 cells are longer than the 32767 characters that Excel keeps, the first in "note" of the submission a.',
    ]);
  });
});
