import {
  addDays,
  compileRules,
  type Exact,
  formatExact,
  isDate,
  isDecimal,
  itemsOf,
  OPERATOR_TABLE,
  parseExact,
  sumOf,
} from '../../conditions/engine/index.js';
import { definitionOf } from '../../forms/field-types.js';
import { groupBy } from '../../forms/group-by.js';
import { isRelative } from './compare-rules.js';
import { quote } from './definition-error.js';
import type { DefinedCondition, DefinedField } from './form-definition.js';
import { neverMet } from './never-met.js';

type Conditions = readonly DefinedCondition[];

/** Stands for any text that no condition mentions, because no condition can contain U+0000 (V10). */
export const UNMENTIONED = '\u0000';

/** Maximum options of a field, and maximum conditions on it. A search with more would take too long. */
const MAX_SEARCHED = 1_000;

/**
 * Explains why a field, step or entity with these conditions is always hidden. Returns undefined if it can be visible, or if the
 * search cannot decide. Values of different fields are independent, so each tested field is searched alone: the field can be visible
 * if no tested field always hides it, and at least one can show it.
 */
export function whyNeverVisible(
  { conditions }: Pick<DefinedField, 'conditions'>,
  fieldsByCode: ReadonlyMap<string, DefinedField>,
): string | undefined {
  // The search does not try groups of conditions (C9) and comparisons of two fields (C17). It assumes that a "show" condition among them
  // can be met, and that no "hide" condition is.
  const isAssumed = ({ action, group, value_field }: DefinedCondition) =>
    value_field !== undefined ||
    (group !== undefined &&
      conditions.filter((one) => one.action === action && one.group === group).length > 1);
  const dead = neverMet(conditions, (code) => fieldsByCode.get(code)?.retired === true);
  const shows = conditions.filter(({ action }) => action === 'show');
  let canShow = shows.length === 0 || shows.some((one) => isAssumed(one) && !dead.has(one));
  const searched = conditions.filter((one) => one.action !== 'require' && !isAssumed(one) && !dead.has(one));
  for (const [code, own] of groupBy(searched, (condition) => condition.depends_on_field_code)) {
    const source = fieldsByCode.get(code);
    if (source === undefined || !isSearchable(source, own)) return undefined;
    const hides = own.filter(({ action }) => action === 'hide');
    if (!canBeVisible(source, hides)) return `a "hide" condition is met no matter what ${quote(code)} holds`;
    canShow ||= own.length > hides.length && canBeVisible(source, own);
  }
  if (canShow) return undefined;
  const isHidden = searched.some(({ action }) => action === 'hide');
  return `no "show" condition is ever met${isHidden ? ' unless a "hide" condition is met too' : ''}`;
}

function canBeVisible(source: DefinedField, conditions: Conditions): boolean {
  const isVisible = visibility(conditions);
  return contentsOf(source, conditions).some(isVisible);
}

/** Returns a predicate: whether a field with these conditions is visible if the tested field has these values. */
function visibility(conditions: Conditions): (values: readonly string[]) => boolean {
  const ruleConditions = conditions.map((condition) => ({ ...condition, dependsOnFieldId: 2 }));
  const rules = compileRules([{ id: 1, isRequired: false, conditions: ruleConditions }]);
  return (values) => rules.resolveStates(values.map((value) => [2, null, value]))[0]?.visible === true;
}

/** The contents of a field that these conditions can distinguish: no value, one value, or several (C7). */
function contentsOf(source: DefinedField, conditions: Conditions): (readonly string[])[] {
  const values = valuesOf(source, conditions);
  return [
    [],
    ...(source.is_repeatable ? combinationsOf(values, conditions) : values.map((value) => [value])),
  ];
}

/**
 * Combinations of values of a repeatable field that make visibility most likely. They include no value that meets a `hide`
 * condition, unless its operator is negated. More values help to meet a `show` condition, and to avoid a negated `hide`
 * condition. A negated `show` condition needs fewer values, because all values must meet it.
 */
function combinationsOf(values: readonly string[], conditions: Conditions): string[][] {
  const isNegated = ({ operator }: DefinedCondition) => OPERATOR_TABLE[operator].isNegated;
  const isAllowed = visibility(
    conditions.filter((condition) => condition.action === 'hide' && !isNegated(condition)),
  );
  const allowed = values.filter((value) => isAllowed([value]));
  const negatedShows = conditions.filter((condition) => condition.action === 'show' && isNegated(condition));
  return [
    allowed,
    ...negatedShows.map((condition) => {
      const isShown = visibility([condition]);
      return allowed.filter((value) => isShown([value]));
    }),
  ];
}

/**
 * Values that represent everything that a field can hold. A field is visible if a `show` condition is met and no `hide` condition
 * is met. If any text makes it visible, one of these does:
 *
 * - the texts that conditions name, alone or in a list, because only they meet `equals` and `in`;
 * - a text that no condition mentions, which meets only the negated operators and `not_empty`;
 * - a condition's text followed by an unmentioned text, which meets the `contains` of this condition, and otherwise only those
 *   `contains` whose text is part of this condition's text;
 * - for `greater_than`, the greatest number that no `hide` condition excludes, and for `less_than` the least. Each number is the
 *   bound of a condition, or beyond all bounds. It is written with more characters than any text in a condition.
 *
 * - for numbers and dates, the bounds of conditions and their neighbours, because `at_least` and `on_or_after` exclude no bound.
 *
 * The search does not look for spellings of numbers that avoid the text of a `contains`: see {@link isSearchable}.
 */
function valuesOf(source: DefinedField, conditions: Conditions): string[] {
  if (definitionOf(source.field_type.component).holds === 'nothing') return [];
  if (isChoice(source)) return source.options.map(({ value }) => value);
  const texts = conditions.map(({ value }) => value);
  const length = texts.reduce((longest, text) => Math.max(longest, text.length), 0) + 1;
  const beyond = `1e${'9'.repeat(length)}`;
  return [
    ...texts.flatMap((text) => [text, ...itemsOf(text), text + UNMENTIONED]),
    ...numbersAt(texts.filter(isDecimal)).map((number) => number.padEnd(length)),
    ...texts.filter(isDate).flatMap((day) => [day, addDays(day, -1) ?? day, addDays(day, 1) ?? day]),
    UNMENTIONED,
    beyond,
    `-${beyond}`,
  ];
}

/** The bounds, and a number on both sides of each that lies before any other bound. */
function numbersAt(bounds: readonly string[]): string[] {
  const exact = bounds.map(parseExact).filter((number): number is Exact => typeof number === 'object');
  const near = formatExact({ units: 1n, scale: Math.max(0, ...exact.map(({ scale }) => scale)) + 1 }) ?? '';
  const texts = exact.flatMap((bound) => formatExact(bound) ?? []);
  const sides = texts.flatMap((bound) => [sumOf([bound, near]), sumOf([bound, `-${near}`])]);
  return [...bounds, ...sides.flatMap((number) => (number && formatExact(number)) ?? [])];
}

/** Whether the values of {@link valuesOf} represent all values, and are not too many. */
function isSearchable(source: DefinedField, conditions: Conditions): boolean {
  const compared = ({ operator }: DefinedCondition) => OPERATOR_TABLE[operator].compares;
  const has = (action: string, ...compares: string[]) =>
    conditions.some((one) => one.action === action && compares.includes(compared(one)));
  if (conditions.length > MAX_SEARCHED || source.options.length > MAX_SEARCHED) return false;
  // The search knows no lists of options. A date relative to today is another one tomorrow.
  if (conditions.some((one) => compared(one) === 'choice')) return false;
  if (conditions.some((one) => compared(one) === 'date' && isRelative(one.value))) return false;
  if (isChoice(source)) return true;
  if (conditions.some(({ action, operator }) => action === 'hide' && operator === 'not_contains'))
    return false;
  // A date has only one spelling, so a comparison of texts can exclude all of the dates that are tried.
  return (
    !(has('show', 'number') && has('hide', 'part')) &&
    !(has('show', 'date') && has('hide', 'part', 'text', 'list'))
  );
}

function isChoice({ field_type, options }: DefinedField): boolean {
  return definitionOf(field_type.component).holds === 'option' && options.length > 0;
}
