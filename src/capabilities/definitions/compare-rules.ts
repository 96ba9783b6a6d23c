import { compareDecimals, dayOf, type Today } from '../../conditions/engine/index.js';
import { rulesOfDay } from '../../forms/field-rules/compile-field-rules.js';
import { quote } from './definition-error.js';
import { pairs, type ReportChange, reportTranslations } from './form-changes.js';
import { type DefinedField, type DefinedRule } from './form-definition.js';

/** Reports changed rules of a field. A rule that is not applied (J5) counts as absent. */
export function compareRules(before: DefinedField, after: DefinedField, today: Today, report: ReportChange) {
  const [wasApplied, isApplied] = [appliedKinds(before, today), appliedKinds(after, today)];
  for (const { old, now, row } of pairs(before.rules, after.rules, ({ kind }) => kind)) {
    const { kind } = row;
    const path = `fields.${after.code}.rules.${kind}`;
    const rule = `The rule "${kind}" of the field ${quote(after.code)}`;
    const value = quote(now?.value);
    if (now === undefined) report(false, path, `${rule} was removed.`);
    else if (!isApplied.has(kind)) {
      if (old === undefined) report(false, path, `${rule} was added, but is never applied.`);
      else if (wasApplied.has(kind)) report(false, path, `${rule} is no longer applied.`);
      else if (old.value !== now.value)
        report(false, path, `${rule} changed to ${value}, but is never applied.`);
    } else if (old === undefined) report(true, path, `${rule} was added with the value ${value}.`);
    else if (!wasApplied.has(kind))
      report(true, path, `${rule} now applies with the value ${value}, which it did not before.`);
    else if (old.value !== now.value) {
      const isTightened = rejectsMore(old, now);
      const effect = isTightened
        ? 'so it can reject values that were accepted before'
        : 'which rejects no more values';
      report(isTightened, path, `${rule} changed from ${quote(old.value)} to ${value}, ${effect}.`);
    }
    if (old !== undefined && now !== undefined && old.message !== now.message)
      report(
        false,
        `${path}.message`,
        `The error message of the rule "${kind}" of the field ${quote(after.code)} changed.`,
      );
    if (old !== undefined && now !== undefined) {
      const owner = `the rule "${kind}" of the field ${quote(after.code)}`;
      reportTranslations(owner, path, old.translations, now.translations, report);
    }
  }
}

function appliedKinds({ field_type, rules }: DefinedField, today: Today): Set<string> {
  return new Set(rulesOfDay(field_type.component, rules, today).applied.map(({ kind }) => kind));
}

/** Whether the rule rejects values that it accepted before. True if this is not certain. */
function rejectsMore({ value: from = '' }: DefinedRule, { kind, value: to = '' }: DefinedRule): boolean {
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
      // The order of a date and a day relative to today changes with time.
      if (isRelative(from) !== isRelative(to)) return true;
      const [old, now] = [dayOf(from, ANY_DAY) ?? '', dayOf(to, ANY_DAY) ?? ''];
      return kind === 'min_date' ? now > old : now < old;
    }
    case 'pattern':
    case 'equal':
    case 'not_equal':
      return true;
  }
}

/** Far enough from both ends of the calendar for each number of days that a rule can add. */
const ANY_DAY = '2500-01-01';

const isRelative = (bound: string) => bound.startsWith('today');

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
