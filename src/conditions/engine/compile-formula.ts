import type { ValuesByField } from './condition-set.js';
import type { Today } from './dates.js';
import { type FieldValues, Value } from './field-values.js';
import type { Formula, FormulaOperand } from './formula.js';
import { COMPUTE, contentOf } from './formula-ops.js';

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
