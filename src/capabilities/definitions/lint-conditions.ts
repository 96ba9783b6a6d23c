import {
  dayOf,
  evaluatorOf,
  isDecimal,
  itemsOf,
  type Operator,
  OPERATOR_TABLE,
  type Today,
} from '../../conditions/engine/index.js';
import { definitionOf } from '../../forms/field-types.js';
import { listed, quote, type Report } from './definition-error.js';
import type { DefinedCondition, DefinedField } from './form-definition.js';
import { lintGroups } from './lint-groups.js';
import { UNMENTIONED } from './never-visible.js';

/** Returns a function that reports conditions which are probably mistakes. `path` is that of their owner. */
export function conditionLinter(
  fieldsByCode: ReadonlyMap<string, DefinedField>,
  today: Today,
  report: Report,
) {
  const known = new Map<string, Choices | undefined>();
  const choicesIn = (code: string) => {
    if (!known.has(code)) known.set(code, choicesOf(fieldsByCode.get(code)));
    return known.get(code);
  };
  const lintField = (code: string, at: string, instead: string) => {
    if (definitionOf(fieldsByCode.get(code)?.field_type.component ?? '').holds === 'nothing') {
      const why = `${quote(code)} is for display only and never has one`;
      report(at, `must be the code of a field that can have a value, but ${why}`);
    }
    if (fieldsByCode.get(code)?.retired === true)
      report(at, `is never met, because ${quote(code)} is retired; ${instead}, or remove the condition`);
  };
  return (conditions: readonly DefinedCondition[], path: string) => {
    for (const [index, condition] of conditions.entries()) {
      const at = `${path}.conditions[${index}]`;
      const { depends_on_field_code: code, value_field } = condition;
      lintField(code, `${at}.depends_on_field_code`, 'test another field');
      const operatorWarning = lintOperator(condition, choicesIn(code));
      if (operatorWarning !== undefined) report(`${at}.operator`, operatorWarning);
      if (value_field !== undefined) {
        lintField(value_field, `${at}.value_field`, 'compare with another field');
        const itself = fieldsByCode.get(code)?.is_repeatable === true ? undefined : lintItself(condition);
        if (itself !== undefined) report(`${at}.value_field`, itself);
        continue;
      }
      const valueWarning = lintValue(condition, choicesIn(code), today);
      if (valueWarning !== undefined) report(`${at}.value`, valueWarning);
    }
    lintGroups(conditions, path, fieldsByCode, today, report);
  };
}

interface Choices {
  /** The values of the options. */
  readonly values: readonly string[];
  readonly options: readonly string[];
  readonly known: ReadonlySet<string>;
  /** Whether a value is a list of options, separated by commas. */
  readonly isList: boolean;
}

function choicesOf(field: DefinedField | undefined): Choices | undefined {
  const { holds } = definitionOf(field?.field_type.component ?? '');
  const isList = holds === 'options';
  const values = field?.options.map(({ value }) => value) ?? [];
  if (values.length === 0 || !(isList || holds === 'option')) return undefined;
  // An option with commas looks like several options, so accept each of its parts as an option.
  const parts = isList ? values.flatMap(itemsOf) : values;
  return { values, options: parts, known: new Set(parts), isList };
}

/** Warns of comparisons with a whole list. A list of one option equals the option, so it gets no warning. */
function lintOperator(
  { operator, depends_on_field_code: code, value_field }: DefinedCondition,
  choices?: Choices,
) {
  const { compares, isNegated } = OPERATOR_TABLE[operator];
  if (compares === 'choice') {
    const instead = (word: string) => `use "${isNegated ? 'not_' : ''}${word}"`;
    if (choices === undefined)
      return `tests for an option, but ${quote(code)} has none; ${instead('contains')}`;
    return choices.isList
      ? undefined
      : `tests a list of options, but ${quote(code)} holds one option; ${instead('equals')}`;
  }
  const comparesWhole = compares === 'list' || (compares === 'text' && !isNegated);
  if (value_field !== undefined || !comparesWhole || !choices?.isList || choices.known.size < 2)
    return undefined;
  const several = quote(choices.options.slice(0, 2).join(','));
  const what = `the whole value of ${quote(code)}, which lists all checked options, such as ${several}`;
  return `compares ${what}; use "includes" to test for one option`;
}

/** Warns of a field that is compared with itself (C17). */
function lintItself({
  operator,
  depends_on_field_code: code,
  value_field,
}: DefinedCondition): string | undefined {
  if (value_field !== code) return undefined;
  const same = OPERATOR_TABLE[operator].compares === 'date' ? '2000-01-01' : '1';
  const isMet = evaluatorOf(operator, same, { today: noDay, choicesIn: (text) => [text] })([same]);
  const effect = isMet ? 'met by any value that fits' : 'never met';
  return `must be another field: "${operator}" is ${effect} if ${quote(code)} is compared with itself`;
}

const noDay = (): Today => ({ earliest: '', latest: '', single: '' });

function lintValue(
  { operator, value, depends_on_field_code: code }: DefinedCondition,
  choices: Choices | undefined,
  today: Today,
) {
  const { compares } = OPERATOR_TABLE[operator];
  if (compares === 'nothing') return undefined;
  const effect = effectWithoutValue(operator, value);
  if (effect !== undefined) return `must not be empty: an empty value makes "${operator}" ${effect}`;
  if (compares === 'number') {
    if (isDecimal(value)) return undefined;
    return `must be a decimal number, because "${operator}" is never met otherwise, but is ${quote(value)}`;
  }
  if (compares === 'date') {
    if (dayOf(value, today.single) !== undefined) return undefined;
    return `must be a date such as 2030-12-31, today, today+30d or today-18y, because "${operator}" is never met otherwise, but is ${quote(value)}`;
  }
  if (choices === undefined || (compares === 'choice' && !choices.isList)) return undefined;
  const { options, known, isList } = choices;
  const foreign = (names: readonly string[], unknown: readonly string[]) =>
    `must name options of ${quote(code)} (${listed(names.map(quote))}), but has ${listed(unknown.map(quote))}`;
  if (compares === 'choice')
    return choices.values.includes(value) ? undefined : foreign(choices.values, [value]);
  const optionsWith = (part: string) => options.filter((option) => option.includes(part));
  const isOption = (text: string) => (compares === 'part' ? optionsWith(text).length > 0 : known.has(text));
  const compared = isList || compares === 'list' ? itemsOf(value) : [value];
  const unknown = compared.filter((text) => !isOption(text));
  if (unknown.length > 0) return foreign(options, unknown);
  if (compares !== 'part' || !known.has(value)) return undefined;
  return lintPart(operator, value, { others: optionsWith(value), code, isList });
}

interface OptionsWithPart {
  readonly others: readonly string[];
  readonly code: string;
  readonly isList: boolean;
}

/** Warns of an option that is part of other options, which the operator does not tell apart from it. */
function lintPart(operator: Operator, value: string, { others: all, code, isList }: OptionsWithPart) {
  const others = all.filter((option) => option !== value);
  if (others.length === 0) return undefined;
  const { isNegated } = OPERATOR_TABLE[operator];
  const instead = `${isNegated ? 'not_' : ''}${isList ? 'includes' : 'equals'}`;
  const effect = isNegated ? `which do not meet "${operator}" either` : `which meet "${operator}" too`;
  return `is also part of other options of ${quote(code)} (${listed(others.map(quote))}), ${effect}; use "${instead}"`;
}

/** The effect of a comparison with an empty value. Undefined if the value is not empty, or if no value meets the condition. */
function effectWithoutValue(operator: Operator, value: string): string | undefined {
  const isList = OPERATOR_TABLE[operator].compares === 'list';
  if (value !== '' && !(isList && itemsOf(value).length === 0)) return undefined;
  const isMetBy = evaluatorOf(operator, value);
  const [withNone, withAny] = [isMetBy([]), isMetBy([UNMENTIONED])];
  if (withNone && !withAny) return 'false for any value; use "empty" to test for none';
  if (!withAny) return undefined;
  return `${withNone ? 'always true' : 'true for any value'}; use "not_empty" to test for a value`;
}
