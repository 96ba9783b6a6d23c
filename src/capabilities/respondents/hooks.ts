import type { EntityManager } from 'typeorm';
import type { Deletions, Hooks, Purge } from '../../server/hooks.js';
import { purged } from '../../cli/output.js';
import { isoTimestampSql } from '../../database/iso-timestamp.js';
import { countTests, deleteTests } from './delete-tests.js';

const OF_FORM = 'in (select user_id from respondents where form_id = $1)';

/** Locks the users before their submissions, as every program does (docs/architecture.md). */
const LOCK_RESPONDENTS = `
  select count(*) from (select from users where id ${OF_FORM} order by id for update) locked`;

/** Foreign keys and a trigger delete the respondents and their users together with the form. */
const DELETE_TOKENS_OF_FORM = `delete from api_tokens where user_id ${OF_FORM}`;

const forForms =
  (sql: string): NonNullable<Deletions['lock']> =>
  async (manager: EntityManager, { column, key }) => {
    if (column === 'form_id') await manager.query(sql, [key]);
  };

const FIND_RESPONDENT = `
  select slug as form, is_preview, ${isoTimestampSql('respondents.created_at')} as created_at
    from respondents join forms on forms.id = form_id where user_id = $1`;

const FIND_CODES = `
  select id, ${isoTimestampSql('created_at')} as created_at, ${isoTimestampSql('expires_at')} as expires_at
    from resume_codes where user_id = $1 order by id`;

const purge: Purge = {
  async run(dataSource, { formId, dryRun, record }) {
    const tests = dryRun
      ? await countTests(dataSource, formId)
      : (
          await deleteTests(dataSource, formId, (manager, submissions) =>
            record(manager, { is_test: true, submissions }),
          )
        ).submissions;
    return { json: { tests }, lines: tests === 0 ? [] : [purged(tests, 'test submission', dryRun)] };
  },
};

export const HOOKS: Hooks = {
  deletions: { lock: forForms(LOCK_RESPONDENTS), deleteRest: forForms(DELETE_TOKENS_OF_FORM), purge },
  personalData: {
    async ofUser(manager, userId) {
      const [respondent] = await manager.query<object[]>(FIND_RESPONDENT, [userId]);
      if (respondent === undefined) return {};
      return { respondent, resume_codes: await manager.query<object[]>(FIND_CODES, [userId]) };
    },
  },
};
