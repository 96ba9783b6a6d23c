export { hasCycle, stronglyConnected } from './cycles.js';
export { isBlank } from './blank.js';
export { type CompileOptions, compileRules, compileRulesInParts } from './compile.js';
export { runToCompletion } from './finish.js';
export { addDays, dayOf, isDate, type Today } from './dates.js';
export { compareDecimals, compareParsed, type Decimal, isDecimal, parseDecimal } from './decimal.js';
export { compare, type Exact, formatExact, MAX_DIGITS, parseExact, sumOf } from './exact.js';
export {
  FORMULA_OPS,
  type Formula,
  type FormulaOp,
  type FormulaOperand,
  operandsOf,
  usesToday,
} from './formula.js';
export { HIDDEN, OPTIONAL, REQUIRED } from './condition-set.js';
export { evaluatorOf, itemsOf, OPERATOR_TABLE } from './operators.js';
export type { Searches } from './searches.js';
export * from './vocabulary.js';
