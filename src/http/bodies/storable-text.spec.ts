import { unstorableJsonReason } from './storable-text.js';

const NUL = 'contains_null_character';
const LONE_SURROGATE = 'contains_lone_surrogate';
const OUT_OF_RANGE = 'number_out_of_range';
const WHY = {
  [NUL]: 'contains the character U+0000',
  [LONE_SURROGATE]: 'contains a lone surrogate, half of a character',
  [OUT_OF_RANGE]: 'contains a number beyond ±1.8e308',
};

describe('V10: text or JSON that cannot be stored as given', () => {
  it.each<[string, unknown, keyof typeof WHY]>([
    ['U+0000 among text', 'a\u0000b', NUL],
    ['U+0000 at the end', 'a\u0000', NUL],
    ['a high surrogate alone', '\ud800', LONE_SURROGATE],
    ['a low surrogate alone', '\udfff', LONE_SURROGATE],
    ['a high surrogate before a letter', '\ud83da', LONE_SURROGATE],
    ['a pair the wrong way round', '\ude00\ud83d', LONE_SURROGATE],
    ['a pair and a half', '\ud83d\ude00\ud83d', LONE_SURROGATE],
    ['a key', { '\u0000': 1 }, NUL],
    ['a key with half a character', { '\ud800': 1 }, LONE_SURROGATE],
    ['an element', [1, ['\udc00']], LONE_SURROGATE],
    ['a member far down', { a: [{ b: { c: ['x', { d: 'e\u0000' }] } }] }, NUL],
    ['a member named __proto__', JSON.parse('{"__proto__": {"a": "\\u0000"}}'), NUL],
    ['a member after good ones', { a: 1, b: null, c: true, d: '\ud800' }, LONE_SURROGATE],
    ['a number beyond a double', { a: [JSON.parse('1e400')] }, OUT_OF_RANGE],
    ['a negative number beyond a double', { a: JSON.parse('-1e400') as unknown }, OUT_OF_RANGE],
  ])('is found: %s', (_, value, code) => {
    expect(unstorableJsonReason(value)).toEqual({ code, why: WHY[code] });
  });

  it.each<[string, unknown]>([
    ['an empty text', ''],
    ['every other control character', '\u0001\u001f\u007f\u0085'],
    ['the last code point', '\u{10ffff}'],
    ['noncharacters and a byte order mark', '\ufeff\ufffe\uffff'],
    ['the text of an escape', '\\u0000'],
    ['null', null],
    ['a boolean', false],
    ['the largest double', Number.MAX_VALUE],
    ['empty containers', { a: {}, b: [], c: '' }],
    ['keys that objects have anyway', { constructor: 5, toString: null, hasOwnProperty: { a: 'b' } }],
    ['a key __proto__', JSON.parse('{"__proto__": 1}')],
  ])('is not found in %s', (_, value) => {
    expect(unstorableJsonReason(value)).toBeUndefined();
  });
});
