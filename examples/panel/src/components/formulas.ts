import type { Formula, FormulaOp, FormulaOperand } from 'formtrail-entities';
import { numbered } from './relative-dates.js';
import { fieldsIn, nameInWords, quoted, type TestedStep } from './tested-fields.js';

interface ShownOp {
  readonly words: string;
  /** The names of its operands if it has exactly these, or that of each of any number. */
  readonly operands: readonly string[] | string;
  readonly of: 'number' | 'date' | 'text';
  readonly has?: 'scale' | 'with';
  readonly phrase: (operands: readonly string[], formula: Formula) => string;
}

const listed = (words: readonly string[]) =>
  [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' and ');
const the = (noun: string) => (operands: readonly string[]) => `the ${noun} ${listed(operands)}`;
const between =
  (before: string, middle: string) =>
  ([first, second]: readonly string[]) =>
    `${before}${first} ${middle} ${second}`;
const rounded = ({ scale }: Formula) =>
  scale === undefined
    ? ''
    : ` rounded to ${scale === 0 ? 'a whole number' : numbered(scale, 'decimal place')}`;

/** The one place of the panel that lists what formulas can compute (K1). */
export const SHOWN_OPS: Readonly<Record<FormulaOp, ShownOp>> = {
  sum: { words: 'Add up', operands: 'Number', of: 'number', phrase: the('sum of') },
  difference: {
    ...{ words: 'Subtract', operands: ['From', 'Subtract'], of: 'number' },
    phrase: between('', 'minus'),
  },
  product: {
    ...{ words: 'Multiply', operands: 'Number', of: 'number' },
    phrase: (operands) =>
      operands.length === 1 ? `the product of ${operands.join('')}` : operands.join(' times '),
  },
  quotient: {
    ...{ words: 'Divide', operands: ['Divide', 'By'], of: 'number', has: 'scale' },
    phrase: (operands, formula) => between('', 'divided by')(operands) + rounded(formula),
  },
  min: { words: 'Smallest number', operands: 'Number', of: 'number', phrase: the('smallest of') },
  max: { words: 'Largest number', operands: 'Number', of: 'number', phrase: the('largest of') },
  average: {
    ...{ words: 'Average', operands: 'Number', of: 'number', has: 'scale' },
    phrase: (operands, formula) => the('average of')(operands) + rounded(formula),
  },
  count: { words: 'Count answers', operands: 'Answer', of: 'text', phrase: the('number of answers to') },
  round: {
    ...{ words: 'Round', operands: ['Number'], of: 'number', has: 'scale' },
    phrase: (operands, formula) => operands.join('') + rounded({ scale: 0, ...formula }),
  },
  days_between: {
    ...{ words: 'Days between two dates', operands: ['From', 'To'], of: 'date' },
    phrase: between('the days from ', 'to'),
  },
  months_between: {
    ...{ words: 'Whole months between two dates', operands: ['From', 'To'], of: 'date' },
    phrase: between('the whole months from ', 'to'),
  },
  years_between: {
    ...{ words: 'Whole years between two dates', operands: ['From', 'To'], of: 'date' },
    phrase: between('the whole years from ', 'to'),
  },
  join: {
    ...{ words: 'Join texts', operands: 'Text', of: 'text', has: 'with' },
    phrase: (operands, { with: text = '' }) =>
      listed(operands) + (text.trim() === '' ? ' joined' : ` joined with “${text}”`),
  },
};

/** A formula with an operand that a person has not chosen yet has an empty text there. */
export const UNCHOSEN = '';
/** Decimal places that a person starts with. */
const SCALES: Partial<Record<FormulaOp, number>> = { quotient: 2, average: 2, round: 0 };

/** Returns the formula with another operation. Keeps the operands for which the operation has a place. */
export function withOp(op: FormulaOp, { of }: Pick<Formula, 'of'> = { of: [] }): Formula {
  const { operands, has } = SHOWN_OPS[op];
  const count = typeof operands === 'string' ? Math.max(of.length, 1) : operands.length;
  return {
    op,
    of: Array.from({ length: count }, (_, at) => of[at] ?? UNCHOSEN),
    ...(has === 'scale' && { scale: SCALES[op] ?? 0 }),
    ...(has === 'with' && { with: ' ' }),
  };
}

/** Reads the formula of a field, which AdminJS has as JSON. Undefined: the field is not computed. */
export const formulaIn = (json: unknown): Formula | undefined =>
  typeof json === 'string' && json !== '' ? (JSON.parse(json) as Formula) : undefined;

/** For example, "Computed: the sum of Price and (Tax times 2)". Empty if the field is not computed. */
export function computedInWords(formula: Formula | null | undefined, steps: readonly TestedStep[]): string {
  const fields = new Map(fieldsIn(steps).map((field) => [field.code, field]));
  const operandInWords = (operand: FormulaOperand): string => {
    if (typeof operand === 'string') {
      const field = fields.get(operand);
      return nameInWords(field) + (field?.isRetired ? ' (retired: without a value)' : '');
    }
    if ('op' in operand) return `(${inWords(operand)})`;
    return operand.value === 'today' ? 'today' : quoted(operand.value);
  };
  const inWords = (one: Formula): string => SHOWN_OPS[one.op].phrase(one.of.map(operandInWords), one);
  return formula ? `Computed: ${inWords(formula)}` : '';
}
