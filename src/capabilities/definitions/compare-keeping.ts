import { counted } from '../../cli/output.js';
import { quote } from './definition-error.js';
import type { ReportChange } from './form-changes.js';
import { type DefinedField, type Keeping, KEEPING_KEYS } from './form-definition.js';
import type { Comparison } from './form-state.js';

const KEPT: Readonly<Record<keyof Keeping, string>> = {
  keep_completed_days: 'Completed submissions',
  keep_drafts_days: 'Drafts',
  keep_personal_days: 'Personal answers',
};

const inWords = (days: number | null | undefined) =>
  days == null ? 'for ever' : `for ${counted(days, 'day')}`;

/** Reports other times for which submissions are kept (T1, T4). Clients do not see them, so nothing breaks. */
export function compareKeeping({
  old: { definition: old },
  now: { definition: now },
  report,
}: Comparison): void {
  for (const key of KEEPING_KEYS) {
    const [from, to] = [inWords(old[key]), inWords(now[key])];
    if (from !== to) report(false, key, `${KEPT[key]} are now kept ${to}, and were kept ${from} before.`);
  }
}

/** Reports that the answers of a field became personal data, or no longer are (T4). */
export function comparePersonal(before: DefinedField, after: DefinedField, report: ReportChange): void {
  const isPersonal = after.is_personal ?? false;
  if (isPersonal === (before.is_personal ?? false)) return;
  const whether = isPersonal ? 'now' : 'no longer';
  report(
    false,
    `fields.${after.code}.is_personal`,
    `The answers of the field ${quote(after.code)} are ${whether} personal data.`,
  );
}
