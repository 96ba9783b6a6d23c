import { compileRules, isDecimal, itemsOf } from '../../conditions/rules/index.js';
import { CHOICE_COMPONENTS, DISPLAY_COMPONENTS } from '../field-types.js';
import type { DefinedCondition, DefinedField } from './form-definition.js';
import { shown } from './object-reader.js';

type Conditions = readonly DefinedCondition[];

/** Stands for any text that no condition mentions: none can have U+0000 (V10). */
const UNMENTIONED = '\u0000';

/** Beyond so many options of a field, or conditions on it, a search would take long. */
const MOST = 1_000;

/**
 * Why a field with these conditions is hidden whatever is stored; undefined where it can be visible, or where that
 * cannot be told. What one field holds says nothing of another, so that each that the conditions depend on is looked at
 * alone: if none hides whatever it holds, and one can show, then they can at once.
 */
export function whyNeverVisible(
  { conditions }: DefinedField,
  fieldsByCode: ReadonlyMap<string, DefinedField>,
): string | undefined {
  const isShown = conditions.some(({ action }) => action === 'show');
  let canShow = !isShown;
  for (const [code, own] of bySource(conditions)) {
    const source = fieldsByCode.get(code);
    if (source === undefined || !isSearchable(source, own)) return undefined;
    const hides = own.filter(({ action }) => action === 'hide');
    if (!isMadeVisible(source, hides)) return `a "hide" condition is met whatever ${shown(code)} holds`;
    canShow ||= own.length > hides.length && isMadeVisible(source, own);
  }
  return canShow ? undefined : 'no "show" condition is ever met where no "hide" condition is';
}

/** What decides on visibility, by the code of the field that it depends on. */
function bySource(conditions: Conditions): Map<string, DefinedCondition[]> {
  const sources = new Map<string, DefinedCondition[]>();
  for (const condition of conditions) {
    if (condition.action === 'require') continue;
    const { depends_on_field_code: code } = condition;
    const others = sources.get(code);
    if (others === undefined) sources.set(code, [condition]);
    else others.push(condition);
  }
  return sources;
}

function isMadeVisible(source: DefinedField, conditions: Conditions): boolean {
  const isVisible = visibility(conditions);
  return contentsOf(source, conditions).some(isVisible);
}

/** Whether a field is visible when the one that all of its conditions depend on holds these values. */
function visibility(conditions: Conditions): (values: readonly string[]) => boolean {
  const rule = {
    id: 1,
    isRequired: false,
    conditions: conditions.map(({ operator, value, action }) => ({
      dependsOnFieldId: 2,
      operator,
      value,
      action,
    })),
  };
  const rules = compileRules([rule]);
  return (values) => rules.resolveStates(new Map([[2, values]]))[0]?.visible === true;
}

/** All that a field may hold, as far as these conditions can tell it apart: nothing, one value, or several (C7). */
function contentsOf(source: DefinedField, conditions: Conditions): (readonly string[])[] {
  const values = valuesOf(source, conditions);
  return [[], ...(source.is_repeatable ? together(values, conditions) : values.map((value) => [value]))];
}

/**
 * Of several values, none may meet a `hide` condition, unless that is negated: then, as with a `show` condition, the more
 * values there are, the better. Only a negated `show` condition wants fewer, those that do not meet its opposite.
 */
function together(values: readonly string[], conditions: Conditions): string[][] {
  const isNegated = ({ operator }: DefinedCondition) => operator === 'not_equals' || operator === 'not_in';
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
 * Values that stand for all that a field can hold. Of a text, a visible field needs that one `show` condition is met and
 * no `hide` condition is. So these are enough:
 *
 * - every text that a condition names, alone or in a list: nothing else meets `equals` and `in`;
 * - a text that none mentions, which meets nothing but the negations and `not_empty`, and that with a condition's text
 *   before it, which has as few of the others' in it as a text that meets this `contains` can have;
 * - for `greater_than` and `less_than`, a number for each bound and for each gap between two, in a spelling longer than
 *   any text that is named. What such a number has in it is not searched: see {@link isSearchable}.
 */
function valuesOf({ field_type, options }: DefinedField, conditions: Conditions): string[] {
  if (DISPLAY_COMPONENTS.has(field_type.component)) return [];
  if (isChoice({ field_type, options })) return options.map(({ value }) => value);
  const texts = conditions.map(({ value }) => value);
  const length = texts.reduce((longest, text) => Math.max(longest, text.length), 0) + 1;
  const leastPositive = `1e-${'9'.repeat(length)}`;
  const bounds = texts.filter(isDecimal);
  return [
    ...texts.flatMap((text) => [text, ...itemsOf(text), text + UNMENTIONED]),
    UNMENTIONED,
    leastPositive,
    `-${leastPositive}`,
    ...bounds.flatMap((bound) => [bound.padEnd(length), awayFromZero(bound, length)]),
  ];
}

/** A number so little farther from zero that no decimal number of this length is between the two; 0 stays near 0. */
function awayFromZero(decimal: string, length: number): string {
  const [mantissa = '', exponent] = decimal.trim().toLowerCase().split('e');
  const point = mantissa.includes('.') ? '' : '.';
  return `${mantissa}${point}${'0'.repeat(length)}1${exponent === undefined ? '' : `e${exponent}`}`;
}

/** Whether the values of {@link valuesOf} are enough, and not too many. */
function isSearchable(source: DefinedField, conditions: Conditions): boolean {
  const has = (action: string, ...operators: string[]) =>
    conditions.some((condition) => condition.action === action && operators.includes(condition.operator));
  if (conditions.length > MOST || source.options.length > MOST) return false;
  return isChoice(source) || !(has('show', 'greater_than', 'less_than') && has('hide', 'contains'));
}

/** Whether what a field may hold is one of its options. */
function isChoice({ field_type, options }: Pick<DefinedField, 'field_type' | 'options'>): boolean {
  return CHOICE_COMPONENTS.has(field_type.component) && options.length > 0;
}
