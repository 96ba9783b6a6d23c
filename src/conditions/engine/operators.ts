import type { FieldValues, Value } from './field-values.js';
import { compareParsed, parseDecimal } from './decimal.js';
import type { Operator } from './vocabulary.js';

/**
 * A condition is met if any value of the field passes the test (C7). A negated condition is met if no value passes. A field without
 * a value therefore meets only negated conditions (C2).
 */
export interface Test {
  readonly negated: boolean;
  readonly meets: (value: Value) => boolean;
}

export function isMet({ negated, meets }: Test, values: FieldValues): boolean {
  for (let value = values; value !== undefined; value = value.next) if (meets(value)) return !negated;
  return negated;
}

/** The test of a condition on a retired field (N6). No value passes, and no value is not enough. */
export const NEVER_MET: Test = { negated: false, meets: () => false };

export function compileTest(operator: Operator, value: string): Test {
  switch (operator) {
    case 'equals':
      return any(({ text }) => text === value);
    case 'contains':
      return any((stored) => stored.contains(value));
    case 'in':
      return any(isIn(value));
    case 'greater_than':
      return any(comparesAs(1, value));
    case 'less_than':
      return any(comparesAs(-1, value));
    case 'not_empty':
      return any(() => true);
    case 'not_equals':
      return none(({ text }) => text === value);
    case 'not_in':
      return none(isIn(value));
    case 'empty':
      return none(() => true);
  }
}

function any(meets: Test['meets']): Test {
  return { negated: false, meets };
}

function none(meets: Test['meets']): Test {
  return { negated: true, meets };
}

function isIn(list: string): Test['meets'] {
  const items = new Set(itemsOf(list));
  return ({ text }) => items.has(text);
}

/** Splits a list at its commas, trims the items, and drops empty ones. Stored values are not trimmed (C3). */
export function itemsOf(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Not met if either side is not a decimal number (C4). */
function comparesAs(order: -1 | 1, value: string): Test['meets'] {
  const bound = parseDecimal(value);
  if (!bound) return () => false;
  return ({ decimal }) => decimal !== null && compareParsed(decimal, bound) === order;
}
