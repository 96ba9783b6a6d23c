import {
  evaluatorOf,
  isBlank,
  isDecimal,
  itemsOf,
  type Operator,
  OPERATOR_TABLE,
  type Today,
} from '../../conditions/engine/index.js';
import { rulesOfDay } from '../../forms/field-rules/compile-field-rules.js';
import { todayIn } from '../../forms/field-rules/today.js';
import { definitionOf, FILE_COMPONENT } from '../../forms/field-types.js';
import { listReader } from '../../forms/option-list.js';
import { listed, quote, type Report } from './definition-error.js';
import {
  type DefinedCondition,
  type DefinedField,
  fieldsOf,
  type FormDefinition,
} from './form-definition.js';
import { lintTranslations } from './lint-translations.js';
import { type Container, conditionalContainers, lintCycles } from './lint-cycles.js';
import { UNMENTIONED, whyNeverVisible } from './never-visible.js';

/**
 * Reports parts of a definition that an import accepts but that are probably mistakes. Each warning is true for all possible
 * values, provided that fields with options have only their options as values.
 */
export function lintForm(definition: FormDefinition, report: Report): void {
  const fields = fieldsOf(definition);
  const fieldsByCode = new Map(fields.map(({ field }) => [field.code, field]));
  const repeatable = new Set<string | undefined>(
    definition.entities.filter(({ is_repeatable }) => is_repeatable).map(({ name }) => name),
  );
  const today = todayIn(definition.time_zone ?? null);
  const choices = new Map(fields.map(({ field }) => [field.code, choicesOf(field)]));
  const lintConditions = (conditions: readonly DefinedCondition[], path: string) => {
    for (const [index, condition] of conditions.entries()) {
      const at = `${path}.conditions[${index}]`;
      const code = condition.depends_on_field_code;
      if (definitionOf(fieldsByCode.get(code)?.field_type.component ?? '').holds === 'nothing') {
        const why = `${quote(code)} is for display only and never has one`;
        report(
          `${at}.depends_on_field_code`,
          `must be the code of a field that can have a value, but ${why}`,
        );
      }
      if (fieldsByCode.get(code)?.retired === true)
        report(
          `${at}.depends_on_field_code`,
          `is never met, because ${quote(code)} is retired; test another field, or remove the condition`,
        );
      const operatorWarning = lintOperator(condition, choices.get(code));
      if (operatorWarning !== undefined) report(`${at}.operator`, operatorWarning);
      const valueWarning = lintValue(condition, choices.get(code));
      if (valueWarning !== undefined) report(`${at}.value`, valueWarning);
    }
  };
  const containers = conditionalContainers(definition);
  const hidden = new Set<Container>();
  for (const container of containers) {
    lintConditions(container.conditions, container.path);
    const why = whyNeverVisible(container, fieldsByCode);
    if (why === undefined) continue;
    hidden.add(container);
    report(container.path, `${container.name} can never be visible, because ${why}; change its conditions`);
  }
  const hiddenCodes = new Set([...hidden].flatMap((container) => container.codes));
  const visible = new Set<string>();
  for (const { field, path } of fields) {
    if (field.retired === true) continue;
    lintConditions(field.conditions, path);
    lintRules(field, path, today, report);
    lintOptions(field, path, report);
    lintSelections(field, path, report);
    lintFiles(field, path, report);
    lintPlaces(field, path, report);
    if (!field.is_repeatable && repeatable.has(field.entity)) {
      const why = `the entity ${quote(field.entity ?? '')} is repeatable, and all of its records would share one value`;
      report(`${path}.is_repeatable`, `should be true, because ${why}`);
    }
    const why = whyNeverVisible(field, fieldsByCode);
    if (why === undefined && !hiddenCodes.has(field.code)) visible.add(field.code);
    if (why !== undefined)
      report(path, `${quote(field.code)} can never be visible, because ${why}; change its conditions`);
  }
  lintMinRecords(definition, visible, report);
  lintProofOfWork(definition, report);
  lintCycles(fields, containers, report);
  lintTranslations(definition, report);
}

/** Reports each `min_records` that completion never enforces (C14), or whose records have no fields to fill in (R3). */
function lintMinRecords(
  definition: FormDefinition,
  visible: Pick<ReadonlySet<string>, 'has'>,
  report: Report,
): void {
  for (const [index, { name, min_records = 0 }] of definition.entities.entries()) {
    if (min_records === 0) continue;
    const own = fieldsOf(definition).flatMap(({ field }) =>
      field.entity === name && field.retired !== true ? [field] : [],
    );
    const path = `entities[${index}].min_records`;
    if (own.length === 0) report(path, 'requires records, but no field has this entity; add such a field');
    else if (!own.some(({ code }) => visible.has(code)))
      report(path, 'has no effect, because no field of the entity can ever be visible');
    else if (!own.some(({ is_repeatable }) => is_repeatable))
      report(path, 'requires records, but no field of the entity is repeatable; make one repeatable');
  }
}

/** Reports a proof of work that nobody is asked for, because only public forms have respondents (P7). */
function lintProofOfWork({ access, proof_of_work }: FormDefinition, report: Report): void {
  if (proof_of_work !== undefined && access !== 'public')
    report('proof_of_work', 'has no effect, because the form is not public; set "access" to "public"');
}

/** Reports checkbox options that read like a selection of several options, because both are stored as the same text. */
function lintSelections({ field_type: { component }, options }: DefinedField, path: string, report: Report) {
  if (definitionOf(component).holds !== 'options') return;
  const read = listReader(options.map(({ value }) => value));
  for (const [index, { value }] of options.entries()) {
    if (read(value) !== 'several') continue;
    const why = `a checkbox joins its options with commas, and ${quote(value)} reads like several options too`;
    report(
      `${path}.options[${index}].value`,
      `makes stored values ambiguous, because ${why}; use option values without commas`,
    );
  }
}

/** Reports rules that are never applied (J5), and patterns that do not say what to enter. */
function lintRules(
  { field_type: { component }, rules }: DefinedField,
  path: string,
  today: Today,
  report: Report,
): void {
  const { inapplicable } = rulesOfDay(component, rules, today);
  for (const { rule, why } of inapplicable)
    report(
      `${path}.rules[${rules.indexOf(rule)}]`,
      `is never applied, because "${rule.kind}" ${why}; change or remove it`,
    );
  for (const [index, rule] of rules.entries()) {
    if (rule.kind !== 'pattern' || rule.message || inapplicable.some((one) => one.rule === rule)) continue;
    const why = 'so nobody learns what to enter; add it, such as "Enter 4 digits."';
    report(`${path}.rules[${index}].message`, `is missing, ${why}`);
  }
}

/** Reports blank options (J7), except an empty value, which deliberately means "no value". */
function lintOptions({ options }: DefinedField, path: string, report: Report): void {
  for (const [index, { value }] of options.entries())
    if (value !== '' && isBlank(value))
      report(`${path}.options[${index}].value`, 'is blank, so strict completion treats it as no value');
}

/** Reports places on fields that hold no choices (D6). */
function lintPlaces(field: DefinedField, path: string, report: Report): void {
  const { component } = field.field_type;
  if (['option', 'options'].includes(definitionOf(component).holds)) return;
  for (const [index, { places }] of field.options.entries())
    if (places !== undefined && places !== null)
      report(
        `${path}.options[${index}].places`,
        `has no effect, because a ${quote(component)} holds no choices; remove it`,
      );
}

/** Reports limits for files on fields that hold no files (U5). */
function lintFiles(field: DefinedField, path: string, report: Report): void {
  const { component } = field.field_type;
  if (component === FILE_COMPONENT) return;
  for (const key of ['max_bytes', 'accept'] as const)
    if (field[key] !== undefined)
      report(`${path}.${key}`, `has no effect, because a ${quote(component)} holds no files; remove it`);
}

interface Choices {
  readonly options: readonly string[];
  readonly known: ReadonlySet<string>;
  /** Whether a value is a list of options, separated by commas. */
  readonly isList: boolean;
}

function choicesOf({ field_type: { component }, options }: DefinedField): Choices | undefined {
  const { holds } = definitionOf(component);
  const isList = holds === 'options';
  if (options.length === 0 || !(isList || holds === 'option')) return undefined;
  const values = options.map(({ value }) => value);
  // An option with commas looks like several options, so accept each of its parts as an option.
  const parts = isList ? values.flatMap(itemsOf) : values;
  return { options: parts, known: new Set(parts), isList };
}

/** Warns of comparisons with a whole list. A list of one option equals the option, so it gets no warning. */
function lintOperator({ operator, depends_on_field_code: code }: DefinedCondition, choices?: Choices) {
  const { compares, isNegated } = OPERATOR_TABLE[operator];
  const comparesWhole = compares === 'list' || (compares === 'text' && !isNegated);
  if (!comparesWhole || !choices?.isList || choices.known.size < 2) return undefined;
  const several = quote(choices.options.slice(0, 2).join(','));
  const what = `the whole value of ${quote(code)}, which lists all checked options, such as ${several}`;
  return `compares ${what}; use "contains" to test for one option`;
}

function lintValue({ operator, value, depends_on_field_code: code }: DefinedCondition, choices?: Choices) {
  const { compares } = OPERATOR_TABLE[operator];
  if (compares === 'nothing') return undefined;
  const effect = effectWithoutValue(operator, value);
  if (effect !== undefined)
    return `must not be empty: an empty value makes "${operator}" ${effect}; use "not_empty" to test for a value`;
  if (compares === 'number') {
    if (isDecimal(value)) return undefined;
    return `must be a decimal number, because "${operator}" is never met otherwise, but is ${quote(value)}`;
  }
  if (choices === undefined) return undefined;
  const { options, known, isList } = choices;
  const optionsThatMeet = (text: string) => {
    const isMetBy = evaluatorOf(operator, text);
    return options.filter((option) => isMetBy([option]));
  };
  const isOption = (text: string) =>
    compares === 'part' ? optionsThatMeet(text).length > 0 : known.has(text);
  const compared = isList || compares === 'list' ? itemsOf(value) : [value];
  const unknown = compared.filter((text) => !isOption(text));
  if (unknown.length > 0)
    return `must name options of ${quote(code)} (${listed(options.map(quote))}), but has ${listed(unknown.map(quote))}`;
  if (compares !== 'part' || !known.has(value)) return undefined;
  const others = optionsThatMeet(value).filter((option) => option !== value);
  if (others.length === 0) return undefined;
  const instead = isList ? 'use option values that are not part of one another' : 'use "equals"';
  return `is also part of other options of ${quote(code)} (${listed(others.map(quote))}), which meet "${operator}" too; ${instead}`;
}

/** The effect of a comparison with an empty value. Undefined if the value is not empty, or if no value meets the condition. */
function effectWithoutValue(operator: Operator, value: string): string | undefined {
  const isList = OPERATOR_TABLE[operator].compares === 'list';
  if (value !== '' && !(isList && itemsOf(value).length === 0)) return undefined;
  const isMetBy = evaluatorOf(operator, value);
  if (isMetBy([])) return 'always true';
  return isMetBy([UNMENTIONED]) ? 'true for any value' : undefined;
}
