import type { Today } from '../../conditions/engine/index.js';
import { rulesOfDay } from '../../forms/field-rules/compile-field-rules.js';
import { definitionOf, FILE_COMPONENT } from '../../forms/field-types.js';
import { quote, type Report } from './definition-error.js';
import type { DefinedField, DefinedRule } from './form-definition.js';

/** Reports rules that are never applied (J5, J9), and patterns that do not say what to enter. */
export function lintRules(
  { field_type: { component }, rules }: DefinedField,
  path: string,
  fieldsByCode: ReadonlyMap<string, DefinedField>,
  today: Today,
  report: Report,
): void {
  const { inapplicable } = rulesOfDay(component, rules, today);
  const left = new Map<DefinedRule, string>(
    inapplicable.map(({ rule, why }) => [rule, `"${rule.kind}" ${why}`]),
  );
  for (const [index, rule] of rules.entries()) {
    const at = `${path}.rules[${index}]`;
    const why = left.get(rule);
    if (why !== undefined) {
      report(at, `is never applied, because ${why}; change or remove it`);
      continue;
    }
    if (rule.other_field !== undefined) lintComparison(rule, rules.slice(0, index), at, fieldsByCode, report);
    if (rule.kind === 'pattern' && !rule.message) {
      const effect = 'so nobody learns what to enter; add it, such as "Enter 4 digits."';
      report(`${at}.message`, `is missing, ${effect}`);
    }
  }
}

/** Warns of a rule with another field that is never applied, or that no value meets together with a rule before it. */
function lintComparison(
  rule: DefinedRule,
  before: readonly DefinedRule[],
  path: string,
  fieldsByCode: ReadonlyMap<string, DefinedField>,
  report: Report,
): void {
  const other = fieldsByCode.get(rule.other_field ?? '');
  if (other === undefined) return;
  const name = quote(other.code);
  if (other.retired === true) {
    report(`${path}.other_field`, `is never applied, because ${name} is retired; change or remove the rule`);
    return;
  }
  const { component } = other.field_type;
  const kind = kindOf(rule);
  if (kind !== undefined && !canHold(component, kind))
    report(
      `${path}.other_field`,
      `is never applied, because "${rule.kind}" compares ${kind}s, and the ${component} ${name} holds none`,
    );
  const contrary = before.find((one) => one.other_field === rule.other_field && areContrary(one, rule));
  if (contrary !== undefined)
    report(path, `contradicts ${contrary.kind} with ${name}, so no value meets both; change one of them`);
}

const kindOf = ({ kind }: DefinedRule) =>
  kind === 'min' || kind === 'max' ? 'number' : kind.endsWith('_date') ? 'date' : undefined;

/** Whether a value of a component can be a number, or a date. A text can be both, and so can an option. */
function canHold(component: string, kind: 'number' | 'date'): boolean {
  const { holds } = definitionOf(component);
  return component !== FILE_COMPONENT && ['text', 'option', kind].includes(holds);
}

/** Whether no value meets two rules with the same other field. */
function areContrary(one: DefinedRule, other: DefinedRule): boolean {
  const kinds = [one.kind, other.kind].sort().join();
  if (kinds === 'equal,not_equal') return true;
  const [latest, earliest] = one.kind === 'max_date' ? [one, other] : [other, one];
  return kinds === 'max_date,min_date' && (earliest.offset_days ?? 0) > (latest.offset_days ?? 0);
}
