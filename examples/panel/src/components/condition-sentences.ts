/** A field that conditions can test. */
export interface TestedField {
  readonly id: number;
  /** The label. The code follows in brackets if another field of the form has the same label. */
  readonly name: string;
  readonly options: readonly TestedOption[];
  readonly isRetired: boolean;
}

export interface TestedOption {
  readonly value: string;
  readonly label: string;
}

/** The fields of a step that conditions can test. */
export interface TestedStep {
  readonly title: string;
  readonly fields: readonly TestedField[];
}

/** A condition, possibly with inputs that are still empty. */
export interface ConditionCells {
  readonly action?: string | null;
  readonly dependsOnFieldId?: number | string | null;
  readonly operator?: string | null;
  readonly value?: string | null;
  readonly groupNumber?: number | string | null;
}

interface ShownOperator {
  readonly words: string;
  /** Kind of value. One `text` or a `list` of texts can be chosen from the options of the tested field. */
  readonly value: 'text' | 'list' | 'number' | 'none';
}

/** The one place of the panel that lists operators. A test compares it with those of the service. */
export const SHOWN_OPERATORS = {
  equals: { words: 'is', value: 'text' },
  not_equals: { words: 'is not', value: 'text' },
  contains: { words: 'contains', value: 'text' },
  greater_than: { words: 'is greater than', value: 'number' },
  less_than: { words: 'is less than', value: 'number' },
  in: { words: 'is one of', value: 'list' },
  not_in: { words: 'is none of', value: 'list' },
  empty: { words: 'is empty', value: 'none' },
  not_empty: { words: 'is not empty', value: 'none' },
} satisfies Readonly<Record<string, ShownOperator>>;

export const ACTION_WORDS: Readonly<Record<string, string>> = {
  show: 'Show',
  hide: 'Hide',
  require: 'Require',
};

const shown = (operator: unknown) =>
  (SHOWN_OPERATORS as Readonly<Record<string, ShownOperator>>)[String(operator)];
export const takesNoValue = (operator: unknown): boolean => shown(operator)?.value === 'none';
export const takesList = (operator: unknown): boolean => shown(operator)?.value === 'list';
export const takesNumber = (operator: unknown): boolean => shown(operator)?.value === 'number';

/** Stands for an input that is still empty. */
const NOTHING = '…';

/**
 * Returns what conditions do: "Show and require if Needs a permit is Yes and Days is greater than 3, or if Visa is Yes". One met
 * condition is enough. Conditions of a group have to be met together.
 */
export function conditionSentences(
  conditions: readonly ConditionCells[],
  steps: readonly TestedStep[],
): string[] {
  const fields = new Map(steps.flatMap((step) => step.fields.map((field) => [String(field.id), field])));
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
  { dependsOnFieldId, operator, value }: ConditionCells,
  fields: ReadonlyMap<string, TestedField>,
): string {
  const field = fields.get(String(dependsOnFieldId));
  const words = `${field === undefined ? NOTHING : nameInWords(field)} ${shown(operator)?.words ?? NOTHING}`;
  const said = takesNoValue(operator)
    ? words
    : `${words} ${valueInWords(value ?? '', operator, field?.options ?? [])}`;
  return field?.isRetired ? `${said} (never: the field is retired)` : said;
}

/** A name that ends like a sentence gets quotation marks. */
function nameInWords({ name }: TestedField): string {
  return /[?!.:]$/.test(name) ? `“${name}”` : name;
}

function valueInWords(value: string, operator: unknown, options: readonly TestedOption[]): string {
  const labelOf = (text: string) => options.find((option) => option.value === text)?.label;
  const items = itemsOf(value);
  // The value of a checkbox field is a list of options.
  if (
    takesList(operator) ||
    (labelOf(value) === undefined && items.every((item) => labelOf(item) !== undefined))
  )
    return items.map((item) => labelOf(item) ?? quoted(item)).join(', ') || NOTHING;
  return labelOf(value) ?? (value === '' ? NOTHING : quoted(value));
}

/** Splits a list like the service does (C3). */
export const itemsOf = (list: string): string[] =>
  list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** The values that a condition compares with: the items of a list, or a single one. */
export const valuesIn = ({ operator, value }: ConditionCells): string[] =>
  takesList(operator) ? itemsOf(value ?? '') : value ? [value] : [];

const quoted = (text: string) => (/^[+-]?[\d.]+$/.test(text) ? text : `“${text}”`);
