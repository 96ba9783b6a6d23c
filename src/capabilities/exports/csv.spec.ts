import fc from 'fast-check';
import { isDecimal } from '../../conditions/engine/index.js';
import { csvRecords, excelLimits } from './csv.js';

const recordOf = (...cells: string[]) => csvRecords([cells]);

describe('a CSV record', () => {
  it.each([
    ['plain text', 'Ada', 'Ada'],
    ['an empty text', '', ''],
    ['a comma', 'a,b', '"a,b"'],
    ['quotes', 'say "hi"', '"say ""hi"""'],
    ['line breaks', 'a\nb\r\nc', '"a\nb\r\nc"'],
    ['a lone carriage return', 'a\rb', '"a\rb"'],
    ['white space, unchanged', ' a ', ' a '],
    ['other scripts and emoji', 'Åsa 李 😀', 'Åsa 李 😀'],
    ['a semicolon, which has no special meaning', 'a;b', 'a;b'],
    ['a number with a line break, without an apostrophe', '-5\n', '"-5\n"'],
  ])('represents %s', (_, value, cell) => {
    expect(recordOf(value)).toBe(`${cell}\r\n`);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['+cmd|x', "'+cmd|x"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "\t'=1"],
    ['\r=1', '"\r\'=1"'],
    [' =1', " '=1"],
    ['\u00a0=1', "\u00a0'=1"],
    ['＝1', "'＝1"],
    ['＠x', "'＠x"],
    ['+49 30 1234', "'+49 30 1234"],
    // A spreadsheet may split cells at semicolons, tabs or line breaks.
    ['a;=1+1', "a;'=1+1"],
    ['a; +1', "a; '+1"],
    ['a\t@x', "a\t'@x"],
    ['a\r\n\r\n=1', '"a\r\n\r\n\'=1"'],
    ['a;"=1', `"a;""'=1"`],
    ['a;=1;=2', "a;'=1;'=2"],
    // A cell of several lines does not count as a number, because a formula may continue in the next line.
    ['-5\n-6', '"\'-5\n\'-6"'],
    ['-5\n*cmd|x', '"\'-5\n*cmd|x"'],
    // These are no numbers.
    ...['-', '-.', '-5e', '-5-6', '-5 -6', '-0x1', '+5%', '-１'].map((text) => [text, `'${text}`]),
    ['-1,000', `"'-1,000"`],
  ])('prevents a spreadsheet from interpreting %j as a formula (X2)', (value, cell) => {
    expect(recordOf(value)).toBe(`${cell}\r\n`);
  });

  it('never has a formula sign where a spreadsheet could begin a cell', () => {
    const text = fc.stringMatching(/^[=+\-@＝;\t\r\n," \u00a0a1']*$/);
    fc.assert(
      fc.property(text, text, (one, other) => {
        fc.pre(![one, other].some(isDecimal));
        const cells = recordOf(one, other).split(/[;\t\r\n]/);
        expect(cells.filter((cell) => /^[\s"]*[=+\-@＝]/.test(cell))).toEqual([]);
      }),
    );
  });

  it.each(['\n', ' ', '"', ';', ';"'])(
    'takes time proportional to the length of a text that repeats %j',
    (unit) => {
      expect(recordOf(unit.repeat(2 ** 17)).length).toBeGreaterThan(2 ** 17);
    },
  );

  it.each([
    ...['-5', '+5', '-0.5', '-.5', '-5.', '-1e3', '+.5E-7', '+4930123456', ' -5', '-5 ', '\u00a0-5', '\t-5'],
    ...['1=1', 'a@b', '2026-11-21'],
  ])('leaves %j unchanged, which is a number or begins with no sign (C4)', (value) => {
    expect(recordOf(value)).toBe(`${value}\r\n`);
  });

  it('separates cells by commas and ends with CR LF', () => {
    expect(csvRecords([['a', '', 'c'], ['d']])).toBe('a,,c\r\nd\r\n');
    expect(csvRecords([])).toBe('');
  });
});

describe('excelLimits()', () => {
  const LONG = 'characters that Excel can hold, the first in';

  it('warns of rows beyond the limit of Excel, and counts the cells that are too long', () => {
    const limits = excelLimits(['uuid', 'note']);
    for (let row = 1; row < 1_048_576; row += 1) limits.count([]);
    limits.count(['a', 'x'.repeat(32_767)]);
    const rows = 'The table has 1048577 rows. A sheet of Excel shows the first 1048576.';
    expect(limits.warnings()).toEqual([rows]);
    for (const uuid of ['b', 'c']) limits.count([uuid, 'x'.repeat(32_768)]);
    expect(limits.warnings()).toEqual([
      rows.replace('1048577', '1048579'),
      `2 cells are longer than the 32767 ${LONG} "note" of the submission b.`,
    ]);
  });

  it('does not warn of the last row and column that Excel shows', () => {
    const limits = excelLimits(Array<string>(16_384).fill('c'));
    for (let row = 1; row < 1_048_576; row += 1) limits.count([]);
    expect(limits.warnings()).toEqual([]);
    expect(excelLimits(Array<string>(16_385).fill('c')).warnings()).toEqual([
      'The table has 16385 columns. A sheet of Excel shows the first 16384.',
    ]);
  });

  it('counts the name of a column, and the apostrophe before a possible formula', () => {
    const limits = excelLimits(['uuid', 'x'.repeat(32_768)]);
    limits.count(['a', '-'.padEnd(32_767, '1')]);
    limits.count(['a', '='.padEnd(32_766, '1')]);
    limits.count(['a', '='.padEnd(32_767, '1')]);
    expect(limits.warnings()).toEqual([`2 cells are longer than the 32767 ${LONG} the name of column 2.`]);
  });
});
