export { isCircle, stronglyConnected } from './circles.js';
export { compileRules } from './compile.js';
export { compareDecimals } from './decimal.js';
export * from './vocabulary.js';
