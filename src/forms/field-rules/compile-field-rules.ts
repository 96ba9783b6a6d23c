import { compareDecimals, dayOf, isDate, type Today } from '../../conditions/engine/index.js';
import type { RuleKind } from '../entities/field-rule.js';
import { type FieldError, fieldError } from '../../http/errors/problems.js';
import { type ComponentDefinition, definitionOf } from '../field-types.js';
import { compilePattern } from './pattern.js';
import { countCharacters } from './rule-values.js';

export interface Rule {
  readonly kind: RuleKind;
  /** Null for a rule with another field (J9). */
  readonly value: string | null;
  readonly otherFieldId: number | null;
  readonly otherFieldCode: string | null;
  readonly offsetDays: number | null;
  readonly message: string | null;
}

/** The part of a rule that decides whether the rule can be applied. A rule without a value names another field. */
export type RuleWithBound = Pick<Rule, 'kind' | 'message'> & { readonly value?: string | null };

export interface CompiledRule extends Pick<Rule, 'kind' | 'message' | 'otherFieldCode'> {
  readonly isMet: (value: string) => boolean;
  /** The error for a value that breaks the rule. `message` replaces the default text unless it is null. */
  readonly errorOf: (code: string, message: string | null, value: string) => FieldError;
}

/** A rule that is skipped because it cannot be applied, with the reason (J5). */
export interface InapplicableRule {
  readonly kind: RuleKind;
  readonly why: string;
}

export interface RulesOfDay {
  readonly applied: readonly CompiledRule[];
  readonly inapplicable: readonly InapplicableRule[];
}

/** The rules of a field. They depend on the day, because a bound can be relative to today (J2). */
export interface FieldRules {
  /** Whether any rule is a pattern. A pattern occupies memory after its first use. */
  readonly hasPattern: boolean;
  on(today: Today): RulesOfDay;
}

/** Returns undefined if there are no rules. Compiles the rules at their first use. */
export function compileFieldRules(component: string, rules: readonly Rule[]): FieldRules | undefined {
  if (rules.length === 0) return undefined;
  let known: { readonly today: Today; readonly rules: RulesOfDay } | undefined;
  return {
    hasPattern: rules.some(({ kind }) => kind === 'pattern'),
    on(today) {
      if (known?.today.earliest !== today.earliest || known.today.latest !== today.latest)
        known = { today, rules: rulesOfDay(component, rules, today) };
      return known.rules;
    },
  };
}

export function rulesOfDay(component: string, rules: readonly RuleWithBound[], today: Today): RulesOfDay {
  const applied: CompiledRule[] = [];
  const inapplicable: InapplicableRule[] = [];
  const definition = definitionOf(component);
  const kinds = kindsFor(definition.rules, rules);
  const bounds = new Map(rules.map(({ kind, value }) => [kind, value ?? '']));
  const lengthOf =
    definition.holds === 'email' ? (value: string) => countCharacters(value.trim()) : countCharacters;
  for (const { kind, value, message } of rules) {
    const compiled = kinds.has(kind) && value ? compileRule(kind, value, today, lengthOf) : UNFIT;
    const why = typeof compiled === 'string' ? compiled : contradiction(kind, bounds, today);
    if (why !== undefined) inapplicable.push({ kind, why });
    else if (typeof compiled !== 'string') applied.push({ kind, message, otherFieldCode: null, ...compiled });
  }
  return { applied, inapplicable };
}

const UNFIT = 'does not apply to values of this field';

const KINDS: Readonly<Record<Exclude<ComponentDefinition['rules'], 'any'>, ReadonlySet<RuleKind>>> = {
  'of numbers': new Set(['min', 'max', 'pattern']),
  'of dates': new Set(['min_date', 'max_date', 'pattern']),
  'of texts': new Set(['min_length', 'max_length', 'pattern']),
  none: new Set(),
};

/** Returns the kinds that apply to a field. */
function kindsFor(applying: ComponentDefinition['rules'], rules: readonly RuleWithBound[]): ReadonlySet<RuleKind> {
  if (applying !== 'any') return KINDS[applying];
  const has = (...kinds: RuleKind[]) => rules.some(({ kind }) => kinds.includes(kind));
  return KINDS[has('min_date', 'max_date') ? 'of dates' : has('min', 'max') ? 'of numbers' : 'of texts'];
}

/**
 * Returns the compiled rule, or the reason why it cannot be compiled. Patterns, dates and numbers ignore white space around the value
 * (J13, C4). Lengths do so only for email addresses, because white space is a part of other texts.
 */
function compileRule(
  kind: RuleKind,
  bound: string,
  today: Today,
  lengthOf: (value: string) => number,
): Pick<CompiledRule, 'isMet' | 'errorOf'> | string {
  switch (kind) {
    case 'min':
      return {
        isMet: (value) => (compareDecimals(value, bound) ?? -1) >= 0,
        errorOf: (code, message) =>
          fieldError('below_minimum', message ?? `The ${code} must be at least ${bound}.`, { min: bound }),
      };
    case 'max':
      return {
        isMet: (value) => (compareDecimals(value, bound) ?? 1) <= 0,
        errorOf: (code, message) =>
          fieldError('above_maximum', message ?? `The ${code} must be at most ${bound}.`, { max: bound }),
      };
    case 'min_length':
      return {
        isMet: (value) => lengthOf(value) >= Number(bound),
        errorOf: (code, message) =>
          fieldError('too_short', message ?? `The ${code} must have at least ${characters(bound)}.`, {
            min: Number(bound),
          }),
      };
    case 'max_length':
      return {
        isMet: (value) => lengthOf(value) <= Number(bound),
        errorOf: (code, message) =>
          fieldError('too_long', message ?? `The ${code} must have at most ${characters(bound)}.`, {
            max: Number(bound),
          }),
      };
    case 'pattern': {
      const pattern = compilePattern(bound);
      if (typeof pattern === 'string') return `is not an RE2 regular expression: ${pattern}`;
      const isTooLong = (value: string) => value.trim().length > pattern.maxLength;
      return {
        isMet: (value) => !isTooLong(value) && pattern.matches(value.trim()),
        errorOf: (code, message, value) =>
          isTooLong(value)
            ? fieldError(
                'too_long_for_pattern',
                `The ${code} must have at most ${characters(String(pattern.maxLength))}, because its pattern is not applied to longer text.`,
                { max: pattern.maxLength },
              )
            : fieldError('pattern_mismatch', message ?? `The ${code} must match the pattern ${bound}.`, {
                pattern: bound,
              }),
      };
    }
    case 'equal':
    case 'not_equal':
    case 'min_sum':
    case 'max_sum':
      return UNFIT;
    case 'min_date':
    case 'max_date': {
      const day = dayOf(bound, kind === 'min_date' ? today.earliest : today.latest);
      if (day === undefined) return 'is not a date';
      const isDay = (value: string, isWithin: (day: string) => boolean) =>
        isDate(value.trim()) && isWithin(value.trim());
      // ISO dates of equal length sort chronologically as text.
      return kind === 'min_date'
        ? {
            isMet: (value) => isDay(value, (date) => date >= day),
            errorOf: (code, message) =>
              fieldError('too_early', message ?? `The ${code} must not be before ${day}.`, { min: day }),
          }
        : {
            isMet: (value) => isDay(value, (date) => date <= day),
            errorOf: (code, message) =>
              fieldError('too_late', message ?? `The ${code} must not be after ${day}.`, { max: day }),
          };
    }
  }
}

const characters = (count: string) => (count === '1' ? '1 character' : `${count} characters`);

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
