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
