import type { ValuesByField } from './condition-set.js';
import type { Today } from './dates.js';
import { type FieldValues, Value } from './field-values.js';
import { COMPUTE, contentOf } from './formula-ops.js';

export const FORMULA_OPS = [
  'sum',
  'difference',
  'product',
  'quotient',
  'min',
  'max',
  'average',
  'count',
  'round',
  'days_between',
  'months_between',
  'years_between',
  'join',
] as const;
export type FormulaOp = (typeof FORMULA_OPS)[number];

/** Computes a value from the values of fields (K1). */
export interface Formula {
  readonly op: FormulaOp;
  readonly of: readonly FormulaOperand[];
  /** The number of decimal places of a quotient, an average or a rounded number, from 0 to 20. */
  readonly scale?: number;
  /** The text between joined texts. */
  readonly with?: string;
}

/** The code of a field, a constant, or a formula. The constant `today` is the current date. */
export type FormulaOperand = string | { readonly value: string } | Formula;

/** Computes the result of a formula. Undefined if it is empty. Never throws. */
export type CompiledFormula = (values: ValuesByField) => string | undefined;

/** Returns the values of an operand. Several if a field is repeatable. */
type ValuesOf = (values: ValuesByField) => FieldValues;

export interface FormulaContext {
  readonly today: () => Today;
  /** The index of a field in {@link ValuesByField}, by its code. Undefined for a field without values, such as a retired one. */
  readonly sourceOf: (code: string) => number | undefined;
}

export function compileFormula(formula: Formula, context: FormulaContext): CompiledFormula {
  const operands = formula.of.map((operand) => compileOperand(operand, context));
  const compute = COMPUTE[formula.op];
  return (values) =>
    compute(
      operands.map((valuesOf) => contentOf(valuesOf(values))),
      formula,
    );
}

function compileOperand(operand: FormulaOperand, context: FormulaContext): ValuesOf {
  if (typeof operand === 'string') {
    const source = context.sourceOf(operand);
    return (values) => (source === undefined ? undefined : values[source]);
  }
  if ('op' in operand) {
    const compute = compileFormula(operand, context);
    return (values) => valueOf(compute(values));
  }
  if (operand.value === 'today') return () => valueOf(context.today().single);
  const constant = valueOf(operand.value);
  return () => constant;
}

const valueOf = (text = ''): FieldValues => (text === '' ? undefined : new Value(text, undefined));

/** The codes of all fields that a formula names. */
export const operandsOf = ({ of }: Formula): string[] =>
  of.flatMap((operand) =>
    typeof operand === 'string' ? [operand] : 'op' in operand ? operandsOf(operand) : [],
  );

/** Whether the result may change from day to day. */
export const usesToday = ({ of }: Formula): boolean =>
  of.some(
    (operand) =>
      typeof operand !== 'string' && ('op' in operand ? usesToday(operand) : operand.value === 'today'),
  );
