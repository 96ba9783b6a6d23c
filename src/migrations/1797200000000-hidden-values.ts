import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keeps which values were hidden when a submission was completed (X1). A full body of a webhook marks them. Null, the default, also
 * stands for a submission that the previous version or another program completes.
 */
export class HiddenValues1797200000000 implements MigrationInterface {
  name = 'HiddenValues1797200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table submissions add hidden_values text[]');
    await runner.query(`comment on column submissions.hidden_values is
      'The values of fields that were hidden at completion: field_id, or field_id.record_key in a record; null: none, or not known.'`);
    await replaceInTell(runner, PLAIN, MARKED);
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceInTell(runner, MARKED, PLAIN);
    await runner.query('alter table submissions drop hidden_values');
  }
}

const COLUMNS = 'field_id, code as field_code, value, entity_record_id';
const PLAIN = `select ${COLUMNS}\n`;
/** An object has the key `hidden` only if the value was hidden. */
const MARKED = `select case when field_id || case record_key when 0 then '' else '.' || record_key end
                      in (select unnest(submission.hidden_values))
                    then (select row_to_json(marked) from (select ${COLUMNS}, true as hidden) marked)
                    else (select row_to_json(plain) from (select ${COLUMNS}) plain) end as v\n`;

/** Edits the function as it is in the database, because several migrations have changed other parts of it. */
async function replaceInTell(runner: QueryRunner, part: string, replacement: string): Promise<void> {
  const [{ text }] = (await runner.query(
    `select pg_get_functiondef('formtrail_webhooks_tell(submissions, text)'::regprocedure) as text`,
  )) as [{ text: string }];
  const parts = text.split(part);
  if (parts.length !== 2) throw new Error(`formtrail_webhooks_tell does not contain this once: ${part}`);
  await runner.query(parts.join(replacement));
}
