import { dateBoundInWords } from './relative-dates.js';
import {
  canHold,
  fieldsById,
  nameInWords,
  NOTHING,
  quoted,
  type TestedField,
  type TestedOption,
  type TestedStep,
} from './tested-fields.js';

/** A condition, possibly with inputs that are still empty. */
export interface ConditionCells {
  readonly action?: string | null;
  readonly dependsOnFieldId?: number | string | null;
  readonly operator?: string | null;
  readonly value?: string | null;
  /** The field with whose answer the condition compares, instead of the value. */
  readonly valueFieldId?: number | string | null;
  readonly groupNumber?: number | string | null;
}

interface ShownOperator {
  readonly words: string;
  /** Kind of value. A `text`, a `part` of one, one `choice` or a `list` of texts can be chosen from the options of the tested field. */
  readonly value: 'text' | 'part' | 'choice' | 'list' | 'number' | 'date' | 'none';
}

/** The one place of the panel that lists operators. A test compares it with those of the service. */
export const SHOWN_OPERATORS = {
  equals: { words: 'is', value: 'text' },
  not_equals: { words: 'is not', value: 'text' },
  contains: { words: 'contains', value: 'part' },
  greater_than: { words: 'is greater than', value: 'number' },
  less_than: { words: 'is less than', value: 'number' },
  in: { words: 'is one of', value: 'list' },
  not_in: { words: 'is none of', value: 'list' },
  empty: { words: 'is empty', value: 'none' },
  not_empty: { words: 'is not empty', value: 'none' },
  at_least: { words: 'is at least', value: 'number' },
  at_most: { words: 'is at most', value: 'number' },
  before: { words: 'is before', value: 'date' },
  after: { words: 'is after', value: 'date' },
  on_or_before: { words: 'is on or before', value: 'date' },
  on_or_after: { words: 'is on or after', value: 'date' },
  includes: { words: 'includes', value: 'choice' },
  not_includes: { words: 'does not include', value: 'choice' },
  not_contains: { words: 'does not contain', value: 'part' },
} satisfies Readonly<Record<string, ShownOperator>>;

export const ACTION_WORDS: Readonly<Record<string, string>> = {
  show: 'Show',
  hide: 'Hide',
  require: 'Require',
};

/** The kind of value that an operator compares with. Undefined: there is no such operator. */
export const valueOf = (operator: unknown): ShownOperator['value'] | undefined => shown(operator)?.value;
const shown = (operator: unknown) =>
  (SHOWN_OPERATORS as Readonly<Record<string, ShownOperator>>)[String(operator)];

/** Whether the operator can compare with the answer to another field (C17). */
export const comparesAnswers = (operator: unknown): boolean => {
  const value = valueOf(operator);
  return value !== undefined && value !== 'none' && value !== 'list';
};

/** Whether a condition on the field can be met with the operator. */
export function fitsField(operator: unknown, field: TestedField): boolean {
  const value = valueOf(operator);
  if (value === 'number' || value === 'date') return canHold(value, field);
  if (value === 'part') return field.held !== 'number' && field.held !== 'date';
  return (
    value !== 'choice' || field.held === 'options' || (field.held === 'text' && field.options.length > 0)
  );
}

/**
 * Returns what conditions do: "Show and require if Needs a permit is Yes and Days is greater than 3, or if Visa is Yes". One met
 * condition is enough. Conditions of a group have to be met together.
 */
export function conditionSentences(
  conditions: readonly ConditionCells[],
  steps: readonly TestedStep[],
): string[] {
  const fields = fieldsById(steps);
  const actionsByTests = new Map<string, string[]>();
  for (const action of Object.keys(ACTION_WORDS)) {
    const own = conditions.filter((condition) => condition.action === action);
    if (own.length === 0) continue;
    const tests = groupsOf(own).map((group) => group.map((one) => test(one, fields)).join(' and '));
    const key = tests.join(', or if ');
    actionsByTests.set(key, [...(actionsByTests.get(key) ?? []), action]);
  }
  return [...actionsByTests].map(([tests, actions]) => {
    const effect = actions.join(' and ');
    return `${effect.charAt(0).toUpperCase()}${effect.slice(1)} if ${tests}`;
  });
}

/** A condition without a group is a group of its own. */
function groupsOf(conditions: readonly ConditionCells[]): ConditionCells[][] {
  const groups = new Map<unknown, ConditionCells[]>();
  for (const condition of conditions) {
    const { groupNumber } = condition;
    const key = groupNumber == null || groupNumber === '' ? condition : String(groupNumber);
    groups.set(key, [...(groups.get(key) ?? []), condition]);
  }
  return [...groups.values()];
}

function test(
  { dependsOnFieldId, operator, value, valueFieldId }: ConditionCells,
  fields: ReadonlyMap<string, TestedField>,
): string {
  const field = fields.get(String(dependsOnFieldId));
  const other = valueFieldId ? fields.get(String(valueFieldId)) : undefined;
  const words = `${nameInWords(field)} ${shown(operator)?.words ?? NOTHING}`;
  const compared = valueFieldId
    ? `the answer to ${nameInWords(other)}`
    : valueInWords(value ?? '', operator, field?.options ?? []);
  const said = valueOf(operator) === 'none' ? words : `${words} ${compared}`;
  return field?.isRetired || other?.isRetired ? `${said} (never: the field is retired)` : said;
}

function valueInWords(value: string, operator: unknown, options: readonly TestedOption[]): string {
  if (valueOf(operator) === 'date') return dateBoundInWords(value) ?? quoted(value);
  const labelOf = (text: string) => options.find((option) => option.value === text)?.label;
  const items = itemsOf(value);
  // The value of a checkbox field is a list of options.
  if (
    valueOf(operator) === 'list' ||
    (labelOf(value) === undefined && items.every((item) => labelOf(item) !== undefined))
  )
    return items.map((item) => labelOf(item) ?? quoted(item)).join(', ') || NOTHING;
  return labelOf(value) ?? quoted(value);
}

/** Splits a list like the service does (C3). */
export const itemsOf = (list: string): string[] =>
  list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** The values that a condition compares with: the items of a list, or a single one. */
export const valuesIn = ({ operator, value }: ConditionCells): string[] =>
  valueOf(operator) === 'list' ? itemsOf(value ?? '') : value ? [value] : [];
