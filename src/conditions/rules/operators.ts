import type { Answer } from './answer.js';
import { compareParsed, parseDecimal } from './decimal.js';
import type { Operator } from './vocabulary.js';

export type Test = (answer: Answer) => boolean;

/**
 * Prepares the test of one condition. Every test asks whether any value meets it (C7), so that no value at all meets
 * none but the negations and `empty` (C2).
 */
export function compileTest(operator: Operator, value: string): Test {
  switch (operator) {
    case 'equals':
      return ({ texts }) => texts.includes(value);
    case 'contains':
      return ({ texts }) => texts.some((text) => text.includes(value));
    case 'in':
      return isIn(value);
    case 'greater_than':
      return comparesAs(1, value);
    case 'less_than':
      return comparesAs(-1, value);
    case 'not_empty':
      return ({ texts }) => texts.length > 0;
    case 'not_equals':
      return not(compileTest('equals', value));
    case 'not_in':
      return not(isIn(value));
    case 'empty':
      return not(compileTest('not_empty', value));
  }
}

function not(test: Test): Test {
  return (answer) => !test(answer);
}

function isIn(list: string): Test {
  const items = new Set(itemsOf(list));
  return ({ texts }) => texts.some((text) => items.has(text));
}

/** C3: the items of a list are trimmed, the stored value is not; empty items are dropped. */
export function itemsOf(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** C4: not met when either side is not a decimal number. */
function comparesAs(order: -1 | 1, value: string): Test {
  const bound = parseDecimal(value);
  if (!bound) return () => false;
  return ({ decimals }) => decimals.some((decimal) => compareParsed(decimal, bound) === order);
}
