import fc from 'fast-check';
import { isDecimal } from '../../rules/index.js';
import { csvRecords } from './csv.js';

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
  ])('represents %s', (_, value, cell) => {
    expect(recordOf(value)).toBe(`${cell}\r\n`);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['+cmd|x', "'+cmd|x"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "\t'=1"],
    ['\r=1', '"\r\'=1"'],
    [' =1', " '=1"],
    ['\u00a0=1', "\u00a0'=1"],
    ['＝1', "'＝1"],
    ['＠x', "'＠x"],
    ['+49 30 1234', "'+49 30 1234"],
  ])('prevents a spreadsheet from interpreting %j as a formula', (value, cell) => {
    expect(recordOf(value)).toBe(`${cell}\r\n`);
  });

  it.each([
    ['a;=1+1', "a;'=1+1"],
    ['a; +1', "a; '+1"],
    ['a\t@x', "a\t'@x"],
    ['a\n=1', '"a\n\'=1"'],
    ['a\r\n\r\n=1', '"a\r\n\r\n\'=1"'],
    ['a;"=1', `"a;""'=1"`],
    ['a;=1;=2', "a;'=1;'=2"],
    // A cell of several lines does not count as a number, because a formula may continue in the next line.
    ['-5\n-6', '"\'-5\n\'-6"'],
    ['-5\n*cmd|x', '"\'-5\n*cmd|x"'],
  ])(
    'prevents a spreadsheet that splits cells at semicolons, tabs or line breaks from finding a formula in %j',
    (value, cell) => {
      expect(recordOf(value)).toBe(`${cell}\r\n`);
    },
  );

  it('never has a formula sign where a spreadsheet could begin a cell', () => {
    const text = fc.stringMatching(/^[=+\-@＝;\t\r\n," \u00a0a1']*$/);
    fc.assert(
      fc.property(text, text, (one, other) => {
        fc.pre(![one, other].some(isDecimal));
        for (const cell of recordOf(one, other).split(/[;\t\r\n]/)) {
          expect(cell).not.toMatch(/^[\s"]*[=+\-@＝]/);
        }
      }),
    );
  });

  it.each(['\n', ' ', '"', ';', ';"'])(
    'takes time proportional to the length of a text that repeats %j',
    (unit) => {
      expect(recordOf(unit.repeat(2 ** 20)).length).toBeGreaterThan(2 ** 20);
    },
  );

  it.each([
    '-5',
    '+5',
    '-0.5',
    '-.5',
    '-5.',
    '-1e3',
    '+.5E-7',
    '+4930123456',
    ' -5',
    '-5 ',
    '\u00a0-5',
    '\t-5',
  ])('leaves the number %j unchanged', (value) => {
    expect(recordOf(value)).toBe(`${value}\r\n`);
  });

  it.each(['-5\n', '\r\n-1e3'])('leaves the number %j unchanged, but quotes its line break', (value) => {
    expect(recordOf(value)).toBe(`"${value}"\r\n`);
  });

  it.each(['1=1', 'a@b', '2026-11-21'])('leaves %s unchanged', (value) => {
    expect(recordOf(value)).toBe(`${value}\r\n`);
  });

  it.each(['-', '-.', '-5e', '-5-6', '-5 -6', '-0x1', '-1,000', '+5%', '-１'])(
    'guards %j, which is not a number',
    (value) => {
      expect(recordOf(value).replace(/^"|"(?=\r)/g, '')).toBe(`'${value}\r\n`);
    },
  );

  it('separates cells by commas and ends with CR LF', () => {
    expect(csvRecords([['a', '', 'c'], ['d']])).toBe('a,,c\r\nd\r\n');
    expect(csvRecords([])).toBe('');
  });
});
