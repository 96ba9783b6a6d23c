import {
  isCircle,
  isDecimal,
  itemsOf,
  type Operator,
  stronglyConnected,
} from '../../conditions/rules/index.js';
import { CHOICE_COMPONENTS, DISPLAY_COMPONENTS } from '../field-types.js';
import type { DefinedCondition, DefinedField, FormDefinition } from './form-definition.js';
import { whyNeverVisible } from './never-visible.js';
import { shown } from './definition-error.js';

/** Something in a definition that can be imported, but can hardly be meant. */
export interface Warning {
  /** As a mistake has it: `steps[1].fields[3].conditions[0].value`. */
  readonly path: string;
  /** What is wrong and what to do. */
  readonly message: string;
}

/** In the order of the file. Warns only of what is so whatever is stored, as long as the options of a field are heeded. */
export function lintForm({ steps }: FormDefinition): Warning[] {
  const placed = steps.flatMap(({ fields }, step) =>
    fields.map((field, index) => ({ field, path: `steps[${step}].fields[${index}]` })),
  );
  const fields = placed.map(({ field }) => field);
  const fieldsByCode = new Map(fields.map((field) => [field.code, field]));
  const choices = new Map(fields.map((field) => [field.code, choicesOf(field)]));
  const circles = circlesOf(fields);

  return placed.flatMap(({ field, path }, position) => {
    const warnings: Warning[] = [];
    const warn = (at: string, message: string) => warnings.push({ path: at, message });
    for (const [index, condition] of field.conditions.entries()) {
      const at = `${path}.conditions[${index}]`;
      const source = fieldsByCode.get(condition.depends_on_field_code);
      if (source === undefined) continue;
      if (DISPLAY_COMPONENTS.has(source.field_type.component)) {
        const why = `${shown(source.code)} is for display only and never has one`;
        warn(`${at}.depends_on_field_code`, `must be the code of a field that can have a value, but ${why}`);
      }
      const doubt = operatorDoubt(condition, choices.get(source.code));
      if (doubt !== undefined) warn(`${at}.operator`, doubt);
      const mistake = valueMistake(condition, choices.get(source.code));
      if (mistake !== undefined) warn(`${at}.value`, mistake);
    }
    const why = whyNeverVisible(field, fieldsByCode);
    if (why !== undefined)
      warn(path, `${shown(field.code)} can never be visible, because ${why}; change its conditions`);
    const circle = circles.get(position);
    if (circle !== undefined) warn(path, circle);
    return warnings;
  });
}

/** What the values of a field with options are made of. */
interface Choices {
  readonly options: readonly string[];
  /** The same, to look one up. */
  readonly known: ReadonlySet<string>;
  /** A value has any number of them, separated by commas. */
  readonly isList: boolean;
}

function choicesOf({ field_type: { component }, options }: DefinedField): Choices | undefined {
  const isList = component === 'checkbox-input';
  if (options.length === 0 || !(isList || CHOICE_COMPONENTS.has(component))) return undefined;
  const values = options.map(({ value }) => value);
  // An option that has commas itself cannot be told from several: each of its parts passes for one.
  const parts = isList ? values.flatMap(itemsOf) : values;
  return { options: parts, known: new Set(parts), isList };
}

/** Where there is one option only, the list is that option. */
function operatorDoubt(
  { operator, depends_on_field_code: code }: DefinedCondition,
  choices: Choices | undefined,
) {
  if (!['equals', 'in', 'not_in'].includes(operator) || !choices?.isList || choices.known.size < 2)
    return undefined;
  const several = shown(choices.options.slice(0, 2).join(','));
  const what = `the whole value of ${shown(code)}, which lists all that is checked, as in ${several}`;
  return `compares ${what}; use "contains" to ask for one option`;
}

/** What becomes of an operator without anything to compare with. */
const WITHOUT_VALUE: Partial<Record<Operator, string>> = {
  contains: 'is met by any value',
  not_equals: 'is always met, even without a value',
  not_in: 'is always met, even without a value',
};

function valueMistake(condition: DefinedCondition, choices: Choices | undefined): string | undefined {
  const { operator, value, depends_on_field_code: code } = condition;
  if (operator === 'empty' || operator === 'not_empty') return undefined;
  const isNothing = value === '' || (operator === 'not_in' && itemsOf(value).length === 0);
  if (isNothing && operator in WITHOUT_VALUE) {
    return `must not be empty, because "${operator}" then ${WITHOUT_VALUE[operator]}; use "not_empty" to ask for a value`;
  }
  if (operator === 'greater_than' || operator === 'less_than') {
    if (isDecimal(value)) return undefined;
    return `must be a decimal number, because "${operator}" is never met otherwise, but is ${shown(value)}`;
  }
  if (choices === undefined) return undefined;
  const { options, known, isList } = choices;
  const isOption = (text: string) =>
    operator === 'contains' ? options.some((option) => option.includes(text)) : known.has(text);
  const asked = isList || operator === 'in' || operator === 'not_in' ? itemsOf(value) : [value];
  const foreign = asked.filter((text) => !isOption(text));
  if (foreign.length > 0)
    return `must name options of ${shown(code)} (${named(options)}), but has ${named(foreign)}`;
  if (operator !== 'contains' || !known.has(value)) return undefined;
  const others = options.filter((option) => option !== value && option.includes(value));
  if (others.length === 0) return undefined;
  const instead = isList ? 'give the options values of which none is part of another' : 'use "equals"';
  return `is part of other options of ${shown(code)}, too (${named(others)}), and these meet "contains" as well; ${instead}`;
}

/** By the position of the first field of each. A `require` condition closes none, for it neither shows nor hides. */
function circlesOf(fields: readonly DefinedField[]): Map<number, string> {
  const positions = new Map(fields.map(({ code }, position) => [code, position]));
  const dependencies = fields.map(({ conditions }) =>
    conditions.flatMap(({ action, depends_on_field_code }) =>
      action === 'require' ? [] : (positions.get(depends_on_field_code) ?? []),
    ),
  );
  const circles = stronglyConnected(dependencies).filter((component) => isCircle(component, dependencies));
  return new Map(
    circles.map((circle) => {
      const inOrder = circle.toSorted((one, other) => one - other);
      return [inOrder[0] ?? 0, describeCircle(inOrder.map((position) => fields[position]?.code ?? ''))];
    }),
  );
}

function describeCircle(codes: readonly string[]): string {
  if (codes.length === 1)
    return `${named(codes)} is shown or hidden by its own value; remove its conditions on itself`;
  return `${named(codes)} show or hide each other in a circle; remove the conditions of one of them on the others`;
}

const MOST_NAMED = 8;

function named(texts: readonly string[]): string {
  const first = texts.slice(0, MOST_NAMED).map(shown).join(', ');
  return texts.length <= MOST_NAMED ? first : `${first} and ${texts.length - MOST_NAMED} more`;
}
