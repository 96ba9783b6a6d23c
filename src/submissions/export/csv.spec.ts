import { csvRecord } from './csv.js';

describe('a record of CSV', () => {
  it.each([
    ['plain text', 'Ada', 'Ada'],
    ['nothing', '', ''],
    ['a comma', 'a,b', '"a,b"'],
    ['quotes', 'say "hi"', '"say ""hi"""'],
    ['line breaks', 'a\nb\r\nc', '"a\nb\r\nc"'],
    ['a lone carriage return', 'a\rb', '"a\rb"'],
    ['white space, which counts', ' a ', ' a '],
    ['other scripts and emoji', 'Åsa 李 😀', 'Åsa 李 😀'],
    ['a semicolon, which is none of its signs', 'a;b', 'a;b'],
  ])('has %s', (_, value, cell) => {
    expect(csvRecord([value])).toBe(`${cell}\r\n`);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['+cmd|x', "'+cmd|x"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    [' =1', "' =1"],
    ['\u00a0=1', "'\u00a0=1"],
    ['＝1', "'＝1"],
    ['＠x', "'＠x"],
    ['-5\n-6', '"\'-5\n-6"'],
    ['+49 30 1234', "'+49 30 1234"],
  ])('keeps a spreadsheet from taking %j for a formula', (value, cell) => {
    expect(csvRecord([value])).toBe(`${cell}\r\n`);
  });

  it.each(['-5', '+5', '-0.5', '+4930123456', '1=1', 'a@b', '2026-11-21'])('leaves %s as it is', (value) => {
    expect(csvRecord([value])).toBe(`${value}\r\n`);
  });

  it('separates its cells by commas', () => {
    expect(csvRecord(['a', '', 'c'])).toBe('a,,c\r\n');
  });
});
