import type { Command } from 'commander';
import { findCommand } from '../../../cli/find-command.js';

export function addDueOption(program: Command): void {
  const purge = findCommand(program, 'submissions purge');
  purge
    .description(`delete what is due by the periods of forms, or ${purge.description()}`)
    .option(
      '--due',
      'delete the submissions, drafts and personal answers whose period has ended: see keep_completed_days, keep_drafts_days and ' +
        'keep_personal_days of forms',
    )
    .addHelpText(
      'after',
      `  formtrail submissions purge --due --dry-run
  formtrail submissions purge --due`,
    );
}
