import { counted } from '../../cli/output.js';
import { requireOneServer } from '../../database/distribution.js';
import type { Purge, PurgeReport } from '../../server/hooks.js';
import { countDue, type DueOfForm, forgetDue } from './forget-due.js';
import { forgetOldErasures } from './erasures.js';
import type { RetentionSettings } from './settings.js';
import { waitForTurn } from './turns.js';

export const PURGE_DUE: Purge = {
  option: 'due',
  async run(dataSource, { environment, formId, dryRun, show, record }) {
    await requireOneServer(dataSource, 'Periods', 'Purge drafts with --drafts-older-than instead.');
    if (dryRun) return reportOf(await countDue(dataSource, formId), dryRun, formId !== undefined);
    let total = 0;
    const done = await forgetDue(dataSource, {
      formId,
      takeTurn: waitForTurn,
      record: (manager, { slug: form }, { completed, drafts, personal }) =>
        personal > 0
          ? record(manager, { submissions: personal }, { form, action: 'submissions.anonymized' })
          : record(manager, { due: true, completed, drafts }, { form }),
      onDeleted: ({ completed, drafts, personal }) => show((total += completed + drafts + personal)),
    });
    await forgetOldErasures(dataSource, environment.of<RetentionSettings>().keepErasuresDays);
    return reportOf(done, dryRun, formId !== undefined);
  },
};

function reportOf(due: readonly DueOfForm[], dryRun: boolean, isOfForm: boolean): PurgeReport {
  const json = { forms: due.map(({ form, counts }) => ({ form: form.slug, ...counts })) };
  if (due.length === 0)
    return {
      json,
      lines: [
        `${isOfForm ? 'The form has no' : 'No form has a'} period. Set keep_completed_days, keep_drafts_days or keep_personal_days of forms.`,
      ],
    };
  return { json, lines: due.map(({ form, counts }) => lineOf({ form, counts }, dryRun)) };
}

/** For example: `contact: deleted 2 submissions completed over 30 days ago, and 1 draft last written to over 7 days ago.` */
function lineOf({ form, counts }: DueOfForm, dryRun: boolean): string {
  const parts: string[] = [];
  const period = (days: number) => `over ${counted(days, 'day')} ago`;
  if (form.completedDays !== null)
    parts.push(`${counted(counts.completed, 'submission')} completed ${period(form.completedDays)}`);
  if (form.draftsDays !== null)
    parts.push(`${counted(counts.drafts, 'draft')} last written to ${period(form.draftsDays)}`);
  if (form.personalDays !== null)
    parts.push(
      `the personal answers of ${counted(counts.personal, 'submission')} completed ${period(form.personalDays)}`,
    );
  return `${form.slug}: ${dryRun ? 'would delete' : 'deleted'} ${new Intl.ListFormat('en').format(parts)}.`;
}
