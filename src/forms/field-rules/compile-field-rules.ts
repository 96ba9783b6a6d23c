import { compareDecimals, dayOf, type Today } from '../../conditions/engine/index.js';
import type { RuleKind } from '../entities/rule-kinds.js';
import { type ComponentDefinition, definitionOf } from '../field-types.js';
import { compileRule } from './compile-rule.js';
import { countCharacters } from './rule-values.js';
import type { CompiledRule, Rule, RuleWithBound } from './rule.js';
import { type RuleBetweenFields, rulesBetween } from './rules-between-fields.js';

export type { CompiledRule, ErrorOfRule, Rule, RuleWithBound } from './rule.js';

/** A rule that is skipped because it cannot be applied, with the reason (J5). */
export interface InapplicableRule<Of extends RuleWithBound = RuleWithBound> {
  readonly rule: Of;
  readonly why: string;
}

export interface RulesOfDay<Of extends RuleWithBound = RuleWithBound> {
  /** Rules of each value. Rules between fields do not depend on the day, and are not among these. */
  readonly applied: readonly CompiledRule[];
  /** Rules of the sum of all values (J10). */
  readonly ofSum: readonly CompiledRule[];
  readonly inapplicable: readonly InapplicableRule<Of>[];
}

/** The rules of a field. They depend on the day, because a bound can be relative to today (J2). */
export interface FieldRules {
  /** Whether any rule is a pattern. A pattern occupies memory after its first use. */
  readonly hasPattern: boolean;
  /** The rules that compare a value with the answer to another field (J9). */
  readonly betweenFields: readonly RuleBetweenFields[];
  /** Whether any rule is about the sum of all values (J10). */
  readonly hasSum: boolean;
  on(today: Today): RulesOfDay;
}

/** Returns undefined if there are no rules. Compiles the rules of values at their first use. */
export function compileFieldRules(component: string, rules: readonly Rule[]): FieldRules | undefined {
  if (rules.length === 0) return undefined;
  let known: { readonly today: Today; readonly rules: RulesOfDay } | undefined;
  const fits = kindsFor(component, rules);
  return {
    hasPattern: rules.some(({ kind }) => kind === 'pattern'),
    betweenFields: rules.flatMap((rule) => (fits(rule.kind) ? rulesBetween(rule) : [])),
    hasSum: rules.some(({ kind }) => OF_SUM.has(kind) && fits(kind)),
    on(today) {
      if (known?.today.earliest !== today.earliest || known.today.latest !== today.latest)
        known = { today, rules: rulesOfDay(component, rules, today) };
      return known.rules;
    },
  };
}

export function rulesOfDay<Of extends RuleWithBound>(
  component: string,
  rules: readonly Of[],
  today: Today,
): RulesOfDay<Of> {
  const applied: CompiledRule[] = [];
  const ofSum: CompiledRule[] = [];
  const inapplicable: InapplicableRule<Of>[] = [];
  const fits = kindsFor(component, rules);
  const bounds = new Map<RuleKind, string>();
  for (const { kind, value } of rules) if (value) bounds.set(kind, value);
  const lengthOf =
    definitionOf(component).holds === 'email'
      ? (value: string) => countCharacters(value.trim())
      : countCharacters;
  for (const rule of rules) {
    const { kind, value, message } = rule;
    if (!fits(kind)) inapplicable.push({ rule, why: UNFIT });
    // A rule without a value names another field. No other rule can contradict it (J5).
    else if (value) {
      const compiled = compileRule(kind, value, today, lengthOf);
      const why = typeof compiled === 'string' ? compiled : contradiction(kind, bounds, today);
      if (why !== undefined) inapplicable.push({ rule, why });
      else if (typeof compiled !== 'string')
        (OF_SUM.has(kind) ? ofSum : applied).push({ kind, message, otherFieldCode: null, ...compiled });
    }
  }
  return { applied, ofSum, inapplicable };
}

const UNFIT = 'does not apply to values of this field';

const KINDS: Readonly<Record<Exclude<ComponentDefinition['rules'], 'any'>, ReadonlySet<RuleKind>>> = {
  'of numbers': new Set(['min', 'max', 'pattern']),
  'of dates': new Set(['min_date', 'max_date', 'pattern']),
  'of texts': new Set(['min_length', 'max_length', 'pattern']),
  none: new Set(),
};
const OF_SUM: ReadonlySet<RuleKind> = new Set(['min_sum', 'max_sum']);
const OF_EQUALITY: ReadonlySet<RuleKind> = new Set(['equal', 'not_equal']);

/** Returns a function that says which kinds apply to a field with these rules. */
function kindsFor(component: string, rules: readonly RuleWithBound[]): (kind: RuleKind) => boolean {
  const { holds, rules: applying } = definitionOf(component);
  const has = (...kinds: RuleKind[]) => rules.some(({ kind }) => kinds.includes(kind));
  const kinds =
    applying === 'any'
      ? KINDS[has('min_date', 'max_date') ? 'of dates' : has('min', 'max') ? 'of numbers' : 'of texts']
      : KINDS[applying];
  return (kind) => {
    if (OF_SUM.has(kind)) return holds === 'number';
    if (OF_EQUALITY.has(kind)) return applying !== 'none' || holds === 'option';
    return kinds.has(kind);
  };
}

/** Compares the bounds of a range. The result is positive if the bounds contradict each other. */
type Compare = (least: string, most: string, today: Today) => number | null;

/** Two bounds contradict each other only if they do on every date that may be today. Therefore returns the smaller difference. */
const compareDays: Compare = (least, most, { earliest, latest }) => {
  const differenceOn = (date: string) =>
    Date.parse(dayOf(least, date) ?? '') - Date.parse(dayOf(most, date) ?? '');
  return Math.min(differenceOn(earliest), differenceOn(latest));
};

/** Pairs of kinds that are the two ends of a range. */
const RANGES: readonly (readonly [least: RuleKind, most: RuleKind, compare: Compare])[] = [
  ['min', 'max', compareDecimals],
  ['min_length', 'max_length', compareDecimals],
  ['min_date', 'max_date', compareDays],
  ['min_sum', 'max_sum', compareDecimals],
];

/** Explains why no value can meet both a rule and the other end of its range. Returns undefined if some value can. */
function contradiction(
  kind: RuleKind,
  bounds: ReadonlyMap<RuleKind, string>,
  today: Today,
): string | undefined {
  for (const [least, most, compare] of RANGES) {
    if (kind !== least && kind !== most) continue;
    const [low, high] = [bounds.get(least), bounds.get(most)];
    if (low === undefined || high === undefined || !((compare(low, high, today) ?? 0) > 0)) return undefined;
    return kind === least ? `contradicts ${most} ${high}` : `contradicts ${least} ${low}`;
  }
  return undefined;
}
