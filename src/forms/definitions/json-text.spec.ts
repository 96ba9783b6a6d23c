import { parseJson } from './json-text.js';

describe('the text of a definition', () => {
  it.each([
    ['{"a": [1, -2.5e3, true, null, "\\u00e9\\n"], "b": {}, "c": []}'],
    ['  "text"\r\n'],
    ['[[[]], {"": {"": 0}}]'],
    ['{"a": {"x": 1}, "b": {"x": 2}}'],
    ['0'],
  ])('is read as JSON: %s', (text) => {
    expect(parseJson(text)).toEqual({ value: JSON.parse(text) });
  });

  it.each([
    ['', 'line 1, column 1: a value is expected here, but the file ends'],
    ['{"a": 1,}', 'line 1, column 9: a key in double quotes is expected here, but there is }'],
    ['[1,\n  2,\n]', 'line 3, column 1: a value is expected here, but there is ]'],
    ['{"a" 1}', 'line 1, column 6: ":" is expected here, but there is 1'],
    ['{"a": 1 "b": 2}', 'line 1, column 9: "," or "}" is expected here, but there is "b"'],
    ['[1}', 'line 1, column 3: "," or "]" is expected here, but there is }'],
    ['{]', 'line 1, column 2: a key in double quotes or "}" is expected here, but there is ]'],
    [
      '{a: 1}',
      'line 1, column 2: a key in double quotes or "}" is expected here, but there is a: 1}, which is not JSON',
    ],
    [
      "{'a': 1}",
      `line 1, column 2: a key in double quotes or "}" is expected here, but there is 'a': 1}, which is not JSON`,
    ],
    ['{"a": "x\ny"}', 'line 1, column 7: a value is expected here, but there is "x, which is not JSON'],
    ['[01]', 'line 1, column 2: a value or "]" is expected here, but there is 01], which is not JSON'],
    ['[1] 2', 'line 1, column 5: the end of the file is expected here, but there is 2'],
    ['{"a": {"b": 1}', 'line 1, column 15: "," or "}" is expected here, but the file ends'],
    ['{"a": 1,\n "b": 2,\n "a": 3}', 'line 3, column 2: the key "a" is there twice in one object'],
    ['{"a": 1, "\\u0061": 2}', 'line 1, column 10: the key "\\u0061" is there twice in one object'],
  ])('names line and column of what is wrong in %j', (text, mistake) => {
    expect(parseJson(text)).toEqual({ mistake });
  });

  it('is refused exactly where JSON.parse refuses it', () => {
    const text = '{"a": [1, -2.5e3, true, null, "\\u00e9 \\" x"], "b": {"c": [], "d": {}}}';
    const others = ['', ',', '"', '}', ']', '{', ':', '\\', '0', 'x', ' ', '\n'];
    for (let offset = 0; offset <= text.length; offset += 1) {
      for (const other of others) {
        for (const removed of [0, 1]) {
          const mutant = text.slice(0, offset) + other + text.slice(offset + removed);
          expect([mutant, 'mistake' in parseJson(mutant)]).toEqual([mutant, !isJson(mutant)]);
        }
      }
    }
  });

  it('may be nested deeply and be long', () => {
    expect(parseJson('['.repeat(100_000))).toEqual({ mistake: expect.stringContaining('the file ends') });
    const long = JSON.stringify({ text: '\\"é'.repeat(1_000_000) });
    expect('value' in parseJson(long)).toBe(true);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
