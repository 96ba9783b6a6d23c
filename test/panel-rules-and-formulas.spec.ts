import { computedInWords, SHOWN_OPS, withOp } from '../examples/panel/src/components/formulas.js';
import { dateBoundOf, textOfBound } from '../examples/panel/src/components/relative-dates.js';
import {
  fitsHeld,
  type RuleCells,
  ruleSentences,
  SHOWN_KINDS,
} from '../examples/panel/src/components/rule-sentences.js';
import type { Held, TestedStep } from '../examples/panel/src/components/tested-fields.js';
import { type Formula, FORMULA_OPS, RULE_KINDS } from '../src/entities.js';

const field = (id: number, code: string, name: string, held: Held, isRetired = false) => ({
  ...{ id, code, name, held, options: [], isRepeatable: false, entityId: null, isRetired },
});
const STEPS: TestedStep[] = [
  {
    title: 'Trip',
    fields: [
      field(1, 'price', 'Price', 'number'),
      field(2, 'count', 'How many?', 'number'),
      field(3, 'departure', 'Departure', 'date'),
      field(4, 'return', 'Return', 'date'),
      field(5, 'old', 'Old', 'number', true),
    ],
  },
];

describe('formulas in the words of the panel', () => {
  const of = ['price', 'count'];
  it.each<[Formula, string]>([
    [{ op: 'sum', of: ['price'] }, 'the sum of Price'],
    [{ op: 'sum', of: ['price', 'count', { value: '5' }] }, 'the sum of Price, “How many?” and 5'],
    [{ op: 'difference', of }, 'Price minus “How many?”'],
    [{ op: 'product', of }, 'Price times “How many?”'],
    [{ op: 'product', of: ['price'] }, 'the product of Price'],
    [{ op: 'quotient', of, scale: 2 }, 'Price divided by “How many?” rounded to 2 decimal places'],
    [{ op: 'min', of }, 'the smallest of Price and “How many?”'],
    [{ op: 'max', of }, 'the largest of Price and “How many?”'],
    [{ op: 'average', of }, 'the average of Price and “How many?”'],
    [{ op: 'count', of: ['price'] }, 'the number of answers to Price'],
    [{ op: 'round', of: ['price'] }, 'Price rounded to a whole number'],
    [{ op: 'round', of: ['price'], scale: 1 }, 'Price rounded to 1 decimal place'],
    [{ op: 'days_between', of: ['departure', 'return'] }, 'the days from Departure to Return'],
    [
      { op: 'months_between', of: ['departure', { value: '2026-11-21' }] },
      'the whole months from Departure to 2026-11-21',
    ],
    [
      { op: 'years_between', of: ['departure', { value: 'today' }] },
      'the whole years from Departure to today',
    ],
    [{ op: 'join', of, with: ', ' }, 'Price and “How many?” joined with “, ”'],
    [{ op: 'join', of }, 'Price and “How many?” joined'],
    [
      { op: 'product', of: ['price', { op: 'sum', of: ['count', 'old', ''] }] },
      'Price times (the sum of “How many?”, Old (retired: without a value) and …)',
    ],
  ])('%j', (formula, expected) => {
    expect(computedInWords(formula, STEPS)).toBe(`Computed: ${expected}`);
  });

  it('are nothing for a field that is not computed', () => {
    expect(computedInWords(null, STEPS)).toBe('');
  });

  it('have all operations, with as many operands as the service asks for', () => {
    expect(Object.keys(SHOWN_OPS)).toEqual([...FORMULA_OPS]);
    const two = ['difference', 'quotient', 'days_between', 'months_between', 'years_between'];
    for (const op of FORMULA_OPS) expect([op, withOp(op).of.length]).toEqual([op, two.includes(op) ? 2 : 1]);
  });

  it('keep their operands under another operation, and lose what it does not have', () => {
    const joined: Formula = { op: 'join', of: ['price', 'count', 'old'], with: ', ' };
    expect(withOp('sum', joined)).toEqual({ op: 'sum', of: joined.of });
    expect(withOp('quotient', joined)).toEqual({ op: 'quotient', of: ['price', 'count'], scale: 2 });
    expect(withOp('difference', withOp('round', joined))).toEqual({ op: 'difference', of: ['price', ''] });
  });
});

describe('rules in the words of the panel', () => {
  it.each<[RuleCells, string]>([
    [{ kind: 'min', value: '0.5' }, 'At least 0.5'],
    [{ kind: 'max', value: '', otherFieldId: 2 }, 'At most the answer to “How many?”'],
    [{ kind: 'min_length', value: '1' }, 'At least 1 character'],
    [{ kind: 'max_length', value: '20' }, 'At most 20 characters'],
    [{ kind: 'pattern', value: '[A-Z]+' }, 'Like the pattern [A-Z]+'],
    [{ kind: 'max_date', value: 'today-18y' }, 'Not after today minus 18 years'],
    [{ kind: 'min_date', value: '2026-11-21' }, 'Not before 2026-11-21'],
    [{ kind: 'min_date', otherFieldId: '3' }, 'Not before the answer to Departure'],
    [{ kind: 'min_date', otherFieldId: 3, offsetDays: '1' }, 'Not before the answer to Departure plus 1 day'],
    [
      { kind: 'max_date', otherFieldId: 3, offsetDays: -14 },
      'Not after the answer to Departure minus 14 days',
    ],
    [{ kind: 'equal', otherFieldId: 1 }, 'The same as the answer to Price'],
    [
      { kind: 'not_equal', otherFieldId: 5 },
      'Different from the answer to Old (never checked: that field is retired)',
    ],
    [{ kind: 'max_sum', value: '100' }, 'In total at most 100'],
    [{ kind: 'equal' }, 'The same as the answer to …'],
    [{ kind: 'min', value: '' }, 'At least …'],
    [{ kind: 'min_length', value: '' }, 'At least … characters'],
    [{}, '… …'],
  ])('%j', (rule, expected) => {
    expect(ruleSentences([rule], STEPS)).toEqual([expected]);
  });

  it('have all kinds, each for fields to which it applies', () => {
    expect(Object.keys(SHOWN_KINDS)).toEqual([...RULE_KINDS]);
    const kindsOf = (held: Held, isRepeatable = false) =>
      RULE_KINDS.filter((kind) => fitsHeld(kind, held, isRepeatable));
    expect(kindsOf('number')).toEqual(['min', 'max', 'pattern', 'equal', 'not_equal']);
    expect(kindsOf('number', true)).toEqual([...kindsOf('number'), 'min_sum', 'max_sum']);
    expect(kindsOf('date', true)).toEqual(['pattern', 'min_date', 'max_date', 'equal', 'not_equal']);
    expect(kindsOf('email')).toEqual(['min_length', 'max_length', 'pattern', 'equal', 'not_equal']);
    expect(kindsOf('option')).toEqual(['equal', 'not_equal']);
    expect([...kindsOf('options'), ...kindsOf('file'), ...kindsOf('nothing')]).toEqual([]);
  });
});

describe('dates in the panel', () => {
  it.each(['', '2026-11-21', 'today', 'today-18y', 'today+30d', 'today+6m', 'today+d'])(
    'are read and written: %j',
    (text) => {
      expect(textOfBound(dateBoundOf(text)!)).toBe(text);
    },
  );

  it.each(['soon', 'today+1', 'today+123456d', '21.11.2026'])('are not read from %j', (text) => {
    expect(dateBoundOf(text)).toBeUndefined();
  });
});
