import { definitionOf } from '../../forms/field-types.js';
import { quote } from './definition-error.js';
import type { ReportChange } from './form-changes.js';
import type { DefinedField, DefinedOption, FormDefinition } from './form-definition.js';
import type { Comparison } from './form-state.js';

/** The keys of a form that {@link compareLimits} judges. */
export const LIMIT_KEYS = ['opens_at', 'closes_at', 'closes_drafts', 'max_submissions', 'max_per_user'];

/** Reports a form that is open at other times, or lets in another number of submissions (D8). */
export function compareLimits({
  old: { definition: old },
  now: { definition: now },
  report,
}: Comparison): void {
  // Both times are in UTC with the same number of digits, so that their texts have the order of the times.
  const [begin, end] = [now.opens_at ?? '', now.closes_at ?? ''];
  reportTime('opens_at', 'beginning', begin > (old.opens_at ?? ''));
  reportTime('closes_at', 'end', end !== '' && (old.closes_at == null || end < old.closes_at));
  const closes = now.closes_drafts ?? false;
  if (closes !== (old.closes_drafts ?? false))
    report(
      closes,
      'closes_drafts',
      `Drafts ${closes ? 'no longer' : 'now'} continue after the end of the form.`,
    );
  reportLimit(report, 'max_submissions', 'number of submissions of the form', old, now);
  reportLimit(report, 'max_per_user', 'number of submissions of a user', old, now);

  function reportTime(key: 'opens_at' | 'closes_at', noun: string, isBreaking: boolean) {
    const [from, to] = [old[key] ?? undefined, now[key] ?? undefined];
    if (from !== to)
      report(isBreaking, key, `The ${noun} of the form changed from ${quote(from)} to ${quote(to)}.`);
  }
}

/** Reports other places of an option. Only choices have places (D6). */
export function comparePlaces(
  { field_type: { component } }: DefinedField,
  option: string,
  path: string,
  before: DefinedOption,
  after: DefinedOption,
  report: ReportChange,
): void {
  const isChoice = ['option', 'options'].includes(definitionOf(component).holds);
  const judge: ReportChange = (isBreaking, key, message) => {
    report(isBreaking && isChoice, `${path}.${key}`, message);
  };
  reportLimit(judge, 'places', `number of places of ${option}`, before, after);
}

type Limits = Partial<
  Pick<FormDefinition, 'max_submissions' | 'max_per_user'> & Pick<DefinedOption, 'places'>
>;

function reportLimit(report: ReportChange, key: keyof Limits, noun: string, old: Limits, now: Limits): void {
  const [from, to] = [old[key] ?? undefined, now[key] ?? undefined];
  if (from === to) return;
  const isBreaking = (to ?? Infinity) < (from ?? Infinity);
  report(isBreaking, key, `The maximum ${noun} changed from ${quote(from)} to ${quote(to)}.`);
}
