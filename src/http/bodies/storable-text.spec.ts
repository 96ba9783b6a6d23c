import { unstorable, unstorableJson } from './storable-text.js';

const NUL = 'contains the character U+0000';
const LONE_SURROGATE = 'contains a lone surrogate, half of a character';

describe('V10: text that PostgreSQL cannot store', () => {
  it.each([
    ['a single U+0000', '\u0000', NUL],
    ['U+0000 among text', 'a\u0000b', NUL],
    ['U+0000 at the end', 'a\u0000', NUL],
    ['a high surrogate alone', '\ud800', LONE_SURROGATE],
    ['a low surrogate alone', '\udfff', LONE_SURROGATE],
    ['a high surrogate before a letter', '\ud83da', LONE_SURROGATE],
    ['a pair the wrong way round', '\ude00\ud83d', LONE_SURROGATE],
    ['a pair and a half', '\ud83d\ude00\ud83d', LONE_SURROGATE],
  ])('finds %s', (_, text, why) => {
    expect(unstorable(text)?.why).toBe(why);
  });

  it.each([
    ['nothing', ''],
    ['every other control character', '\u0001\u001f\u007f\u0085'],
    ['a character beyond the basic plane', '\u{1f600}'],
    ['the last code point', '\u{10ffff}'],
    ['noncharacters and a byte order mark', '\ufeff\ufffe\uffff'],
    ['combining and right-to-left text', 'e\u0301 \u202eabc'],
    ['the text of an escape', '\\u0000'],
  ])('accepts %s', (_, text) => {
    expect(unstorable(text)).toBeUndefined();
  });
});

describe('V10: JSON that cannot be stored as given', () => {
  it.each<[string, unknown, string]>([
    ['a string', '\u0000', NUL],
    ['a member', { a: '\u0000' }, NUL],
    ['a key', { '\u0000': 1 }, NUL],
    ['a key with half a character', { '\ud800': 1 }, LONE_SURROGATE],
    ['an element', [1, ['\udc00']], LONE_SURROGATE],
    ['a member far down', { a: [{ b: { c: ['x', { d: 'e\u0000' }] } }] }, NUL],
    ['a member named __proto__', JSON.parse('{"__proto__": {"a": "\\u0000"}}') as unknown, NUL],
    ['a member after good ones', { a: 1, b: null, c: true, d: '\ud800' }, LONE_SURROGATE],
    ['a number beyond a double', { a: [JSON.parse('1e400')] }, 'contains a number that is out of range'],
    [
      'a negative number beyond a double',
      { a: JSON.parse('-1e400') as unknown },
      'contains a number that is out of range',
    ],
  ])('finds the error in %s', (_, value, why) => {
    expect(unstorableJson(value)?.why).toBe(why);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a boolean', false],
    ['the largest double', Number.MAX_VALUE],
    ['empty containers', { a: {}, b: [], c: '' }],
    ['keys that objects have anyway', { constructor: 5, toString: null, hasOwnProperty: { a: 'b' } }],
    ['a key __proto__', JSON.parse('{"__proto__": 1}') as unknown],
  ])('accepts %s', (_, value) => {
    expect(unstorableJson(value)).toBeUndefined();
  });
});
