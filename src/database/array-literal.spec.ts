import { prepareValue } from 'pg/lib/utils.js';
import { arrayOf } from './array-literal.js';

it.each([
  [[], '{}'],
  [[1, -2, 2_147_483_647], '{1,-2,2147483647}'],
  [[null, 3, null], '{null,3,null}'],
  [[true, false], '{true,false}'],
  [['a', null], '{"a",null}'],
])('an array of %j', (values, literal) => {
  expect(arrayOf(values)).toBe(literal);
});

it('an array of texts is written as pg writes it, whatever is in them', () => {
  const texts = [
    '',
    'a',
    '"',
    '\\',
    '\\"',
    '{',
    '}',
    ',',
    ' ',
    'null',
    'NULL',
    '\n',
    'é😀',
    "'",
    '$1',
    '\\\\""',
  ];
  expect(arrayOf(texts)).toBe(prepareValue(texts));
});
