import { compileRules, isDecimal, itemsOf } from '../../rules/index.js';
import { CHOICE_COMPONENTS, DISPLAY_COMPONENTS } from '../field-types.js';
import { groupBy } from '../group-by.js';
import { quote } from './definition-error.js';
import type { DefinedCondition, DefinedField } from './form-definition.js';

type Conditions = readonly DefinedCondition[];

/** Stands for any text that no condition mentions: none can have U+0000 (V10). */
const UNMENTIONED = '\u0000';

/** Beyond so many options of a field, or conditions on it, a search would take long. */
const MAX_SEARCHED = 1_000;

/**
 * Why a field with these conditions is hidden whatever is stored; undefined where it can be visible, or where that
 * cannot be told. What one field holds says nothing of another, so that each that the conditions depend on is looked at
 * alone: if none hides whatever it holds, and one can show, then they can at once.
 */
export function whyNeverVisible(
  { conditions }: DefinedField,
  fieldsByCode: ReadonlyMap<string, DefinedField>,
): string | undefined {
  // Of those that are met together (C9) it is not searched whether they can be.
  const isTogether = ({ action, group }: DefinedCondition) =>
    group !== undefined &&
    conditions.filter((one) => one.action === action && one.group === group).length > 1;
  const shows = conditions.filter(({ action }) => action === 'show');
  let canShow = shows.length === 0 || shows.some(isTogether);
  const deciding = conditions.filter((one) => one.action !== 'require' && !isTogether(one));
  for (const [code, own] of groupBy(deciding, (condition) => condition.depends_on_field_code)) {
    const source = fieldsByCode.get(code);
    if (source === undefined || !isSearchable(source, own)) return undefined;
    const hides = own.filter(({ action }) => action === 'hide');
    if (!canBeVisible(source, hides)) return `a "hide" condition is met whatever ${quote(code)} holds`;
    canShow ||= own.length > hides.length && canBeVisible(source, own);
  }
  if (canShow) return undefined;
  const isHidden = conditions.some(({ action }) => action === 'hide');
  return `no "show" condition is ever met${isHidden ? ' without a "hide" condition' : ''}`;
}

function canBeVisible(source: DefinedField, conditions: Conditions): boolean {
  const isVisible = visibility(conditions);
  return contentsOf(source, conditions).some(isVisible);
}

/** Whether a field is visible when the one that all of its conditions depend on holds these values. */
function visibility(conditions: Conditions): (values: readonly string[]) => boolean {
  const ruleConditions = conditions.map((condition) => ({ ...condition, dependsOnFieldId: 2 }));
  const rules = compileRules([{ id: 1, isRequired: false, conditions: ruleConditions }]);
  return (values) => rules.resolveStates(values.map((value) => [2, null, value]))[0]?.visible === true;
}

/** All that a field may hold, as far as these conditions can tell it apart: nothing, one value, or several (C7). */
function contentsOf(source: DefinedField, conditions: Conditions): (readonly string[])[] {
  const values = valuesOf(source, conditions);
  return [
    [],
    ...(source.is_repeatable ? combinationsOf(values, conditions) : values.map((value) => [value])),
  ];
}

/**
 * Of several values, none may meet a `hide` condition, unless that is negated: then, as with a `show` condition, the more
 * values there are, the better. Only a negated `show` condition wants fewer, those that do not meet its opposite.
 */
function combinationsOf(values: readonly string[], conditions: Conditions): string[][] {
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
 * Values that stand for all that a field can hold. To be visible, a field needs that one `show` condition is met and no
 * `hide` condition is, and if any text does that, one of these does:
 *
 * - the texts that conditions name, alone or in a list: nothing else meets `equals` and `in`;
 * - a text that none mentions, which meets nothing but the negations and `not_empty`; and that after a condition's text,
 *   which meets its `contains`, and those only that every text does which meets it;
 * - for `greater_than`, the greatest number that no `hide` condition excludes: it is the bound of one, or beyond all
 *   bounds; and the least for `less_than`. Both are spelled longer than any text that is named. Whether there is a
 *   spelling without the text of a `contains` is not searched: see {@link isSearchable}.
 */
function valuesOf(source: DefinedField, conditions: Conditions): string[] {
  if (DISPLAY_COMPONENTS.has(source.field_type.component)) return [];
  if (isChoice(source)) return source.options.map(({ value }) => value);
  const texts = conditions.map(({ value }) => value);
  const length = texts.reduce((longest, text) => Math.max(longest, text.length), 0) + 1;
  const beyond = `1e${'9'.repeat(length)}`;
  return [
    ...texts.flatMap((text) => [text, ...itemsOf(text), text + UNMENTIONED]),
    ...texts.filter(isDecimal).map((bound) => bound.padEnd(length)),
    UNMENTIONED,
    beyond,
    `-${beyond}`,
  ];
}

/** Whether the values of {@link valuesOf} are enough, and not too many. */
function isSearchable(source: DefinedField, conditions: Conditions): boolean {
  const has = (action: string, ...operators: string[]) =>
    conditions.some((condition) => condition.action === action && operators.includes(condition.operator));
  if (conditions.length > MAX_SEARCHED || source.options.length > MAX_SEARCHED) return false;
  return isChoice(source) || !(has('show', 'greater_than', 'less_than') && has('hide', 'contains'));
}

/** Whether what a field may hold is one of its options. */
function isChoice({ field_type, options }: DefinedField): boolean {
  return CHOICE_COMPONENTS.has(field_type.component) && options.length > 0;
}
