import { parseJson } from './parse-json.js';

describe('parseJson()', () => {
  it.each([
    ['{"a": [1, -2.5e3, true, null, "\\u00e9\\n"], "b": {}, "c": []}'],
    ['  "text"\r\n'],
    ['[[[]], {"": {"": 0}}]'],
    ['{"a": {"x": 1}, "b": {"x": 2}}'],
    ['0'],
  ])('parses %s', (text) => {
    expect(parseJson(text)).toMatchObject({ value: JSON.parse(text), mistakes: [] });
  });

  it.each([
    ['', 1, 1, 'a value is expected here, but the file ends'],
    ['{"a": 1,}', 1, 9, 'a key in double quotes is expected here, but there is }'],
    ['[1,\n  2,\n]', 3, 1, 'a value is expected here, but there is ]'],
    ['{"a" 1}', 1, 6, '":" is expected here, but there is 1'],
    ['{"a": 1 "b": 2}', 1, 9, '"," or a closing bracket is expected here, but there is "b"'],
    ['[1}', 1, 3, '"," or a closing bracket is expected here, but there is }'],
    ['{]', 1, 2, 'a key in double quotes is expected here, but there is ]'],
    ['{a: 1}', 1, 2, 'keys and texts must be in double quotes, but there is a'],
    ["{'a': 1}", 1, 2, `keys and texts must be in double quotes, but there is 'a'`],
    ['{"a": "x\ny"}', 1, 7, 'a text must end with a double quote on its line, but there is "x'],
    ['["\\x"]', 1, 2, 'a backslash must begin an escape of JSON, but there is "\\x"'],
    ['["\\u12"]', 1, 2, '\\u must have four hexadecimal digits after it, but there is "\\u12"'],
    ['["\t"]', 1, 2, 'control characters must be escaped, but there is "\ufffd"'],
    ['[01]', 1, 3, '"," or a closing bracket is expected here, but there is 1'],
    ['[1.]', 1, 2, 'a number must be complete, but there is 1.'],
    ['[1] 2', 1, 5, 'the end of the file is expected here, but there is 2'],
    ['[1] // 2', 1, 5, 'JSON has no comments, but there is // 2'],
    ['{"a": {"b": 1}', 1, 15, '"}" is expected here, but the file ends'],
    ['[', 1, 2, '"]" is expected here, but the file ends'],
  ])('reports line and column of the syntax error in %j', (text, line, column, message) => {
    expect(parseJson(text)).toMatchObject({
      value: undefined,
      mistakes: [{ path: '', line, column, message }],
    });
  });

  it.each([
    ['{"a": 1,\n "b": 2,\n "a": 3}', 3, 2, 'a', 'is a duplicate key'],
    ['{"a": [{"b": 1, "\\u0062": 2}]}', 1, 17, 'a[0].b', 'is a duplicate key'],
    [
      '{"a": [1, {"b":\n "\\ud800"}]}',
      1,
      12,
      'a[1].b',
      'contains a lone surrogate, half of a character, which cannot be stored',
    ],
    ['[\n"\\u0000"]', 2, 1, '[0]', 'contains the character U+0000, which cannot be stored'],
    ['{"b\\u0000": 1}', 1, 2, '["b\\u0000"]', 'contains the character U+0000, which cannot be stored'],
    ['{"a": 1e400}', 1, 2, 'a', 'contains a number beyond ±1.8e308, which cannot be stored'],
  ])(
    'reports line, column and path of the value in %j that cannot be stored',
    (text, line, column, path, message) => {
      const { value, mistakes } = parseJson(text);
      expect(value).toEqual(JSON.parse(text));
      expect(mistakes).toEqual([{ path, line, column, message }]);
    },
  );

  it.each([
    ['', 1, 1],
    ['a', 2, 3],
    ['a[0]', 3, 5],
    ['a[1]', 3, 8],
    ['a[1]["b.c"]', 3, 9],
    ['a[1]["b.c"].d', 3, 9],
    ['a[1].b', 3, 8],
    ['x.y', 1, 1],
  ])('returns the position of the key %s, or of the parent if the key is missing', (path, line, column) => {
    const { positionOf } = parseJson('{\n  "a": [\n    1, {"b.c": {}}\n  ]\n}');
    expect(positionOf(path)).toMatchObject({ line, column });
  });

  it('rejects a text if and only if JSON.parse() rejects it', () => {
    const text = '{"a": [-2.5e3, true, "\\u00e9\\" x"], "b": {"c": []}}';
    const wrong: string[] = [];
    for (let offset = 0; offset <= text.length; offset += 1)
      for (const other of ['', ...Array.from(',"}]{:\\0x \n\u00a0\v/.-+')])
        for (const removed of [0, 1]) {
          const mutant = text.slice(0, offset) + other + text.slice(offset + removed);
          if ((parseJson(mutant).value !== undefined) !== isJson(mutant)) wrong.push(mutant);
        }
    expect(wrong).toEqual([]);
  });

  it('accepts 1,000 levels of nesting and long texts, and rejects deeper nesting', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(1_000)).mistakes).toEqual([]);
    expect(parseJson(nested(100_000)).mistakes).toEqual([
      { path: '', line: 1, column: 1_001, message: 'is nested more than 1000 levels deep' },
    ]);
    const long = JSON.stringify({ text: '\\"é'.repeat(100_000) });
    expect(parseJson(long).mistakes).toEqual([]);
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
