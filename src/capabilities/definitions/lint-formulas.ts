import {
  type Formula,
  type FormulaOp,
  type FormulaOperand,
  isDate,
  isDecimal,
} from '../../conditions/engine/index.js';
import { definitionOf, FILE_COMPONENT } from '../../forms/field-types.js';
import { quote, type Report } from './definition-error.js';
import type { DefinedField } from './form-definition.js';

/** The kind of value that an op needs. `any`: every text. */
const NEEDS: Readonly<Record<FormulaOp, 'number' | 'date' | 'any'>> = {
  ...{ sum: 'number', difference: 'number', product: 'number', quotient: 'number' },
  ...{ min: 'number', max: 'number', average: 'number', round: 'number', count: 'any', join: 'any' },
  ...{ days_between: 'date', months_between: 'date', years_between: 'date' },
};
/** Ops that are empty if an operand has several values. */
const OF_ONE_VALUE: readonly FormulaOp[] = [
  ...(['difference', 'quotient', 'round', 'days_between', 'months_between', 'years_between'] as const),
];
/** Ops that leave out operands that do not fit. The others are empty then (K1). */
const LEAVING_OUT: readonly FormulaOp[] = ['sum', 'min', 'max', 'average'];

type FieldsByCode = ReadonlyMap<string, DefinedField>;

/** Reports formulas that are probably mistakes (K1): on fields that show no result, or with operands that never count. */
export function lintFormula(field: DefinedField, path: string, fields: FieldsByCode, report: Report): void {
  const { computed, field_type, is_required, default_value, conditions } = field;
  if (computed === undefined) return;
  const { component } = field_type;
  if (definitionOf(component).holds === 'nothing' || component === FILE_COMPONENT)
    report(
      `${path}.computed`,
      `has no effect, because a ${quote(component)} holds no text; use another field type`,
    );
  const nobody = 'nobody can fill in a computed field';
  if (is_required)
    report(
      `${path}.is_required`,
      `prevents completion while the result is empty, because ${nobody}; remove it`,
    );
  for (const [index, { action }] of conditions.entries())
    if (action === 'require')
      report(
        `${path}.conditions[${index}].action`,
        `prevents completion while the result is empty, because ${nobody}; remove the condition`,
      );
  if (default_value !== null) report(`${path}.default_value`, `has no effect, because ${nobody}; remove it`);
  lintOperands(computed, `${path}.computed`, field, fields, report);
}

function lintOperands(
  { op, of }: Formula,
  path: string,
  owner: DefinedField,
  fields: FieldsByCode,
  report: Report,
) {
  for (const [index, operand] of of.entries()) {
    const at = `${path}.of[${index}]`;
    const why = whyUseless(op, operand, owner, fields);
    const effect =
      LEAVING_OUT.includes(op) || NEEDS[op] === 'any' ? 'never counts' : 'makes the result empty';
    if (why !== undefined) report(at, `${effect}, because ${why}`);
    if (typeof operand !== 'string' && 'op' in operand) lintOperands(operand, at, owner, fields, report);
  }
}

/** Explains why an op cannot compute with an operand. Undefined if it can. */
function whyUseless(
  op: FormulaOp,
  operand: FormulaOperand,
  owner: DefinedField,
  fields: FieldsByCode,
): string | undefined {
  const needs = NEEDS[op];
  if (typeof operand !== 'string') {
    if (needs === 'any') return undefined;
    if ('op' in operand)
      return needs === kindOf(operand) ? undefined : `"${operand.op}" computes no ${needs}`;
    const fits =
      needs === 'number' ? isDecimal(operand.value) : operand.value === 'today' || isDate(operand.value);
    const expected = needs === 'date' ? 'neither a date nor "today"' : 'no number';
    return fits ? undefined : `${quote(operand.value)} is ${expected}`;
  }
  const field = fields.get(operand);
  if (field === undefined) return undefined;
  const name = quote(operand);
  if (field.retired === true) return `${name} is retired; take it out of the formula`;
  const isOfRecord = owner.is_repeatable && owner.entity !== undefined && owner.entity === field.entity;
  if (field.is_repeatable && !isOfRecord && OF_ONE_VALUE.includes(op))
    return `${name} has several values here, and "${op}" needs one`;
  return needs === 'any' || canBe(field, needs)
    ? undefined
    : `the ${field.field_type.component} ${name} holds no ${needs}`;
}

const kindOf = ({ op }: Formula): 'number' | 'text' => (op === 'join' ? 'text' : 'number');

/** Whether a field is meant to hold numbers, or dates. Rules of a text show what it is for. */
function canBe(
  { computed, field_type: { component }, options, rules }: DefinedField,
  needs: 'number' | 'date',
): boolean {
  if (computed !== undefined) return needs === kindOf(computed);
  if (component === FILE_COMPONENT) return false;
  const fits = needs === 'number' ? isDecimal : isDate;
  switch (definitionOf(component).holds) {
    case 'number':
    case 'date':
      return definitionOf(component).holds === needs;
    case 'option':
    case 'options':
      return options.some(({ value }) => fits(value));
    case 'text':
      return rules.some(
        ({ kind }) =>
          kind === 'pattern' ||
          (needs === 'number' ? ['min', 'max'] : ['min_date', 'max_date']).includes(kind),
      );
    case 'email':
    case 'nothing':
      return false;
  }
}
