import {
  compareDecimals,
  dayOf,
  evaluatorOf,
  itemsOf,
  type Operator,
  OPERATOR_TABLE,
  type Today,
} from '../../conditions/engine/index.js';
import { groupBy } from '../../forms/group-by.js';
import { listReader } from '../../forms/option-list.js';
import { isRelative } from './compare-rules.js';
import type { Report } from './definition-error.js';
import type { DefinedCondition, DefinedField } from './form-definition.js';

/** Maximum conditions of a group on one field. Comparing more pairs would take too long. */
const MAX_COMPARED = 200;

/** Operators that set a bound, and whether the bound itself does not meet them. */
const LOWER: Bounds = { greater_than: true, at_least: false, after: true, on_or_after: false };
const UPPER: Bounds = { less_than: true, at_most: false, before: true, on_or_before: false };
type Bounds = Readonly<Partial<Record<Operator, boolean>>>;

/** Reports two conditions of a group that no value of a field meets together, because the group is then never met (C9). */
export function lintGroups(
  conditions: readonly DefinedCondition[],
  path: string,
  fieldsByCode: ReadonlyMap<string, DefinedField>,
  today: Today,
  report: Report,
): void {
  const positions = new Map(conditions.map((condition, index) => [condition, index]));
  const grouped = conditions.filter(({ group }) => group !== undefined);
  for (const own of groupBy(grouped, unitOf).values()) {
    const field = fieldsByCode.get(own[0]?.depends_on_field_code ?? '');
    // Two values of a repeatable field can meet one condition each (C7).
    if (field === undefined || field.is_repeatable || own.length > MAX_COMPARED) continue;
    const contradicts = contradictionIn(field, today);
    for (const [at, condition] of own.entries()) {
      const other = own
        .slice(0, at)
        .find((one) => contradicts(one, condition) || contradicts(condition, one));
      if (other === undefined) continue;
      const first = `conditions[${positions.get(other) ?? 0}]`;
      report(
        `${path}.conditions[${positions.get(condition) ?? 0}]`,
        `is never met together with ${first} of its group, so the group is never met; change one of them`,
      );
      break;
    }
  }
}

const unitOf = ({ action, group, depends_on_field_code }: DefinedCondition) =>
  `${action} ${group} ${depends_on_field_code}`;

/** Returns a function that tells whether no value of the field meets both conditions. */
function contradictionIn(field: DefinedField, today: Today) {
  const context = { today: () => today, choicesIn: listReader(field.options.map(({ value }) => value)) };
  return (one: DefinedCondition, other: DefinedCondition): boolean => {
    const [low, high] = [LOWER[one.operator], UPPER[other.operator]];
    if (low !== undefined && high !== undefined) {
      const order = orderOf(one, other, today);
      return order !== undefined && (order > 0 || (order === 0 && (low || high)));
    }
    if (one.value_field !== undefined || other.value_field !== undefined) return false;
    if (one.operator === 'contains' && other.operator === 'not_contains')
      return one.value.includes(other.value);
    if (one.operator === 'includes' && other.operator === 'not_includes') return one.value === other.value;
    const stored = contentsOf(one);
    if (
      stored === undefined ||
      (OPERATOR_TABLE[other.operator].compares === 'date' && isRelative(other.value))
    )
      return false;
    const isMetBy = evaluatorOf(other.operator, other.value, context);
    return !stored.some(isMetBy);
  };
}

/** Everything that a field can hold while this condition is met. Undefined if this cannot be listed. */
function contentsOf({ operator, value }: DefinedCondition): (readonly string[])[] | undefined {
  if (operator === 'empty') return [[]];
  if (operator === 'equals') return [[value]];
  return operator === 'in' ? itemsOf(value).map((item) => [item]) : undefined;
}

/** The order of two bounds on any day: positive if the first is greater. Undefined if it is not known, or changes with time. */
function orderOf(one: DefinedCondition, other: DefinedCondition, today: Today): number | undefined {
  const compares = OPERATOR_TABLE[one.operator].compares;
  if (compares !== OPERATOR_TABLE[other.operator].compares) return undefined;
  if (one.value_field !== undefined || other.value_field !== undefined)
    return one.value_field === other.value_field ? 0 : undefined;
  if (compares === 'number') return compareDecimals(one.value, other.value) ?? undefined;
  // Without a time zone, each of the two conditions may have its own today.
  const isRelated = isRelative(one.value) || isRelative(other.value);
  if (isRelated && (one.value !== other.value || today.earliest !== today.latest)) return undefined;
  const [low, high] = [dayOf(one.value, today.single), dayOf(other.value, today.single)];
  if (low === undefined || high === undefined) return undefined;
  return low < high ? -1 : Number(low > high);
}
