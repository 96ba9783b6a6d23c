export { hasCycle, stronglyConnected } from './cycles.js';
export { compileRules, compileRulesInParts } from './compile.js';
export { runToCompletion } from './finish.js';
export { compareDecimals, isDecimal } from './decimal.js';
export { FORMULA_OPS, type Formula, type FormulaOp, type FormulaOperand } from './formula.js';
export { HIDDEN, OPTIONAL, REQUIRED } from './condition-set.js';
export { evaluatorOf, itemsOf, OPERATOR_TABLE } from './operators.js';
export type { Searches } from './searches.js';
export * from './vocabulary.js';
