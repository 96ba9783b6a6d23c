import { prepareValue } from 'pg/lib/utils.js';
import { arrayLiteral } from './array-literal.js';

it.each([
  [[], '{}'],
  [[1, -2, 2_147_483_647], '{1,-2,2147483647}'],
  [[null, true, false, null], '{null,true,false,null}'],
  [['a', null], '{"a",null}'],
])('writes %j as %s', (values, literal) => {
  expect(arrayLiteral(values)).toBe(literal);
});

it('writes an array of texts as pg does, for any characters', () => {
  const texts = ['', 'a', '"', '\\', '\\"', '{', '}', ',', ' ', 'null', 'NULL', '\n', 'é😀', "'", '\\\\""'];
  expect(arrayLiteral(texts)).toBe(prepareValue(texts));
});
