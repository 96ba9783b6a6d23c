import {
  type Formula,
  FORMULA_OPS,
  type FormulaOp,
  type FormulaOperand,
  hasCycle,
  stronglyConnected,
} from '../../conditions/engine/index.js';
import { definitionOf } from '../../forms/field-types.js';
import { MAX_FORMULA_DEPTH, MAX_FORMULA_OPERANDS } from '../../forms/limits.js';
import { isObject, quote, type Report } from './definition-error.js';
import type { DefinedField } from './form-definition.js';
import type { LocatedElement } from './located-elements.js';

/** The number of operands of the ops that need a certain number. */
const OPERANDS: Readonly<Partial<Record<FormulaOp, number>>> = {
  ...{ difference: 2, quotient: 2, days_between: 2, months_between: 2, years_between: 2, round: 1 },
};
const WITH_SCALE: readonly FormulaOp[] = ['quotient', 'average', 'round'];

/** Reports what a schema cannot express about formulas (K1), and formulas that need each other. */
export function checkFormulas(
  located: readonly LocatedElement<DefinedField>[],
  fields: ReadonlyMap<string, DefinedField>,
  report: Report,
): void {
  const computed = located.flatMap(([{ code, computed: formula }, at]) => {
    if (!isObject(formula)) return [];
    const path = `${at}.computed`;
    const codes: string[] = [];
    const operands = checkFormula(formula, { path, depth: 1, fields, codes, report });
    if (operands > MAX_FORMULA_OPERANDS)
      report(path, `must have at most ${MAX_FORMULA_OPERANDS} operands in all, but has ${operands}`);
    return [{ code, path, codes }];
  });
  checkCycles(computed, report);
}

interface FormulaCheck {
  readonly path: string;
  /** The formula of a field has the depth 1. */
  readonly depth: number;
  readonly fields: ReadonlyMap<string, DefinedField>;
  /** Gets the codes of all operands. */
  readonly codes: string[];
  readonly report: Report;
}

/** Returns the number of operands, including those of the formulas in it. The schema reports values of other types. */
function checkFormula({ op, of, scale, with: text }: Formula, check: FormulaCheck): number {
  const { path, depth, codes, report } = check;
  if (depth > MAX_FORMULA_DEPTH) {
    report(
      path,
      `must not be nested in ${MAX_FORMULA_DEPTH} formulas; compute a part of it in another field`,
    );
    return 0;
  }
  const operands: readonly FormulaOperand[] = Array.isArray(of) ? of : [];
  if (FORMULA_OPS.includes(op) && Array.isArray(of)) {
    const needed = OPERANDS[op];
    if (needed === undefined ? of.length === 0 : of.length !== needed)
      report(`${path}.of`, `must have ${inWords(needed)} for "${op}", but has ${of.length}`);
    if (scale !== undefined && !WITH_SCALE.includes(op))
      report(`${path}.scale`, `must be omitted, because only ${WITH_SCALE.join(', ')} round`);
    if (text !== undefined && op !== 'join')
      report(`${path}.with`, 'must be omitted, because only join puts a text between others');
  }
  let count = operands.length;
  for (const [index, operand] of operands.entries()) {
    const at = `${path}.of[${index}]`;
    if (typeof operand === 'string') {
      codes.push(operand);
      checkOperand(operand, at, check);
    } else if (isObject(operand) && !('value' in operand)) {
      count += checkFormula(operand, { ...check, path: at, depth: depth + 1 });
    }
  }
  return count;
}

const inWords = (needed: number | undefined) =>
  needed === undefined
    ? 'at least 1 operand'
    : needed === 1
      ? 'exactly 1 operand'
      : `exactly ${needed} operands`;

function checkOperand(code: string, path: string, { fields, report }: FormulaCheck): void {
  const field = fields.get(code);
  if (field === undefined) {
    const constant = `{"value": ${quote(code)}}`;
    report(
      path,
      `must be the code of a field of this form, but is ${quote(code)}; write ${constant} for a constant`,
    );
  } else if (definitionOf(field.field_type.component).holds === 'nothing') {
    report(path, `must be a field that can have a value, but ${quote(code)} is for display only`);
  }
}

interface ComputedField {
  readonly code: string;
  readonly path: string;
  /** The codes of the operands. */
  readonly codes: readonly string[];
}

function checkCycles(computed: readonly ComputedField[], report: Report): void {
  const positions = new Map(computed.map(({ code }, position) => [code, position]));
  const dependencies = computed.map(({ codes }) => codes.flatMap((code) => positions.get(code) ?? []));
  for (const component of stronglyConnected(dependencies)) {
    if (!hasCycle(component, dependencies)) continue;
    const cycle = cycleIn(component, dependencies).flatMap((position) => computed[position] ?? []);
    const names = cycle.map(({ code }) => code).join(' -> ');
    report(
      cycle[0]?.path ?? '',
      `must not need its own value: ${names}; take one of these operands out of its formula`,
    );
  }
}

/** Returns a shortest cycle through the first member of a component, which is its last element too. */
function cycleIn(component: readonly number[], dependencies: readonly (readonly number[])[]): number[] {
  const first = Math.min(...component);
  const members = new Set(component);
  const paths: number[][] = [[first]];
  const found = new Set<number>();
  for (const path of paths)
    for (const next of dependencies[path.at(-1) ?? first] ?? []) {
      if (next === first) return [...path, first];
      if (!members.has(next) || found.has(next)) continue;
      found.add(next);
      paths.push([...path, next]);
    }
  return [first];
}
