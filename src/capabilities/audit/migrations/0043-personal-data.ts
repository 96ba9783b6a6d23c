import type { MigrationInterface, QueryRunner } from 'typeorm';
import { hasTriggersOfSubmissions } from '../../../migrations/sql.js';

const ACTIONS = [
  ...['token.issued', 'token.revoked', 'token.changed', 'token.deleted'],
  ...['user.changed', 'user.deleted', 'user.erased'],
  ...[
    'webhook.added',
    'webhook.rotated',
    'webhook.disabled',
    'webhook.enabled',
    'webhook.changed',
    'webhook.removed',
  ],
  ...['form.imported', 'form.deleted', 'submissions.exported', 'submissions.deleted', 'audit.purged'],
  ...['respondents.revoked', 'respondents.purged', 'identity.deleted'],
];
const NEW_ACTIONS = ['user.exported', 'submissions.anonymized', 'submission.held', 'submission.released'];

const allowing = (actions: readonly string[]) => `
  alter table audit_log drop constraint audit_log_action_check,
    add constraint audit_log_action_check check (action in ('${actions.join(`', '`)}'))`;

/** Lets the audit log record that a person's data is exported, that answers are anonymised, and that submissions are held and released. */
export class PersonalDataActs1798000000043 implements MigrationInterface {
  name = 'PersonalDataActs1798000000043';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(allowing([...ACTIONS, ...NEW_ACTIONS]));
  }

  async down(runner: QueryRunner): Promise<void> {
    // Not validated, because nobody may delete the entries with the new actions.
    await runner.query(`${allowing(ACTIONS)} not valid`);
  }
}

const TRIGGERS = [
  {
    name: 'held',
    event: 'update of held',
    condition: 'not old.held and new.held',
    action: 'submission.held',
  },
  { name: 'held_at_once', event: 'insert', condition: 'new.held', action: 'submission.held' },
  {
    name: 'released',
    event: 'update of held',
    condition: 'old.held and not new.held',
    action: 'submission.released',
  },
];

/** Records which submissions are held and released, also by plain SQL. Storing values and moving between steps fire no trigger. */
export class HeldSubmissionActs1798000000044 implements MigrationInterface {
  name = 'HeldSubmissionActs1798000000044';

  async up(runner: QueryRunner): Promise<void> {
    if (!(await hasTriggersOfSubmissions(runner))) return;
    for (const { name, event, condition, action } of TRIGGERS)
      await runner.query(`
        create trigger submissions_audit_${name} after ${event} on submissions for each row when (${condition})
          execute function formtrail_audit_act('${action}', 'submission:', 'uuid')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    if (!(await hasTriggersOfSubmissions(runner))) return;
    for (const { name } of TRIGGERS)
      await runner.query(`drop trigger submissions_audit_${name} on submissions`);
  }
}
