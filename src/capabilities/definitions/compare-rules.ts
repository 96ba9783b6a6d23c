import { compareDecimals, dayOf } from '../../conditions/engine/index.js';
import { rulesOfDay } from '../../forms/field-rules/compile-field-rules.js';
import { todayIn } from '../../forms/field-rules/today.js';
import { nameOfRule } from '../../forms/named-texts.js';
import { quote } from './definition-error.js';
import { pairs, reportTranslations } from './form-changes.js';
import type { DefinedField, DefinedRule } from './form-definition.js';
import type { Comparison, FormState } from './form-state.js';

/** Reports changed rules of a field. A rule that is not applied (J5, J9) counts as absent. */
export function compareRules(
  before: DefinedField,
  after: DefinedField,
  { old: from, now: to, report }: Comparison,
) {
  const [wasApplied, isApplied] = [appliedRules(before, from, to), appliedRules(after, to, to)];
  const rulesBefore = before.rules.map((rule) => renamed(rule, from));
  for (const { old, now, row } of pairs(rulesBefore, after.rules, nameOfRule)) {
    const path = `fields.${after.code}.rules.${nameOfRule(row)}`;
    const rule = `The rule "${row.kind}" of the field ${quote(after.code)}`;
    const was = old !== undefined && wasApplied.has(nameOfRule(old));
    if (now === undefined) report(false, path, `${rule} was removed.`);
    else if (!isApplied.has(nameOfRule(now))) {
      if (old === undefined) report(false, path, `${rule} was added, but is never applied.`);
      else if (was) report(false, path, `${rule} is no longer applied.`);
      else if (boundOf(old) !== boundOf(now))
        report(false, path, `${rule} changed to ${boundOf(now)}, but is never applied.`);
    } else if (old === undefined) report(true, path, `${rule} was added with ${named(now)}.`);
    else if (!was) report(true, path, `${rule} now applies with ${named(now)}, which it did not before.`);
    else if (boundOf(old) !== boundOf(now)) {
      const isTightened = rejectsMore(old, now);
      const effect = isTightened
        ? 'so it can reject values that were accepted before'
        : 'which rejects no more values';
      report(isTightened, path, `${rule} changed from ${boundOf(old)} to ${boundOf(now)}, ${effect}.`);
    }
    if (old !== undefined && now !== undefined) {
      const owner = `the rule "${row.kind}" of the field ${quote(after.code)}`;
      if (old.message !== now.message)
        report(false, `${path}.message`, `The error message of ${owner} changed.`);
      reportTranslations(owner, path, old.translations, now.translations, report);
    }
  }
}

/** Names the other field as the other state does. */
function renamed(rule: DefinedRule, { newCode }: FormState): DefinedRule {
  return rule.other_field === undefined ? rule : { ...rule, other_field: newCode(rule.other_field) };
}

/** The names of the rules that are applied. `today` is that of the later state, so that only changes of rules are found. */
function appliedRules({ field_type, rules }: DefinedField, state: FormState, later: FormState): Set<string> {
  const today = todayIn(later.definition.time_zone ?? null);
  const { inapplicable } = rulesOfDay(field_type.component, rules, today);
  const left = new Set(inapplicable.map(({ rule }) => rule));
  const isJudged = ({ other_field }: DefinedRule) =>
    other_field === undefined || !state.isRetired(other_field);
  return new Set(
    rules.filter((rule) => !left.has(rule) && isJudged(rule)).map((rule) => nameOfRule(renamed(rule, state))),
  );
}

/** For messages, such as `"5"` or `the field "start" and 2 days`. */
function boundOf({ value, other_field, offset_days }: DefinedRule): string {
  if (other_field === undefined) return quote(value);
  const field = `the field ${quote(other_field)}`;
  return offset_days === undefined ? field : `${field} and ${offset_days} days`;
}

const named = (rule: DefinedRule) => `${rule.other_field === undefined ? 'the value ' : ''}${boundOf(rule)}`;

/** Whether the rule rejects values that it accepted before. True if this is not certain. */
function rejectsMore(old: DefinedRule, now: DefinedRule): boolean {
  const { kind, value: to = '' } = now;
  const { value: from = '' } = old;
  switch (kind) {
    case 'min':
    case 'min_sum':
    case 'min_length':
      return (compareDecimals(to, from) ?? 1) > 0;
    case 'max':
    case 'max_sum':
    case 'max_length':
      return (compareDecimals(to, from) ?? -1) < 0;
    case 'min_date':
    case 'max_date': {
      const order =
        now.other_field === undefined
          ? compareDays(from, to)
          : (now.offset_days ?? 0) - (old.offset_days ?? 0);
      return order === undefined || (kind === 'min_date' ? order > 0 : order < 0);
    }
    case 'pattern':
    case 'equal':
    case 'not_equal':
      return true;
  }
}

/** Positive if `to` is later. Undefined if this changes with time: for a date and a day relative to today, and for two units. */
function compareDays(from: string, to: string): number | undefined {
  if (isRelative(from) !== isRelative(to)) return undefined;
  const units = [from, to].flatMap((bound) => /\d([dmy])$/.exec(bound)?.[1] ?? []);
  if (new Set(units).size > 1) return undefined;
  const [old, now] = [dayOf(from, ANY_DAY) ?? '', dayOf(to, ANY_DAY) ?? ''];
  return now < old ? -1 : Number(now > old);
}

/** Far enough from both ends of the calendar for most distances that a rule can have. */
const ANY_DAY = '2500-01-01';

export const isRelative = (bound: string) => bound.startsWith('today');

export const usesToday = ({ kind, value }: DefinedRule) =>
  kind.endsWith('_date') && value !== undefined && isRelative(value);

/** Whether each file that `before` accepts is accepted by `after` (U5). Undefined: any type. */
export function acceptsAll(before: string | undefined, after: string | undefined): boolean {
  if (after === undefined) return true;
  if (before === undefined) return false;
  const accepted = new Set(typesIn(after));
  return typesIn(before).every((type) => accepted.has(type) || accepted.has(type.replace(/\/.*$/, '/*')));
}

const typesIn = (accept: string) => accept.split(',').map((type) => type.trim());
