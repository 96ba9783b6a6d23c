import type { EntityManager } from 'typeorm';
import { CommandError } from '../../../cli/command-error.js';
import { isoTimestampSql } from '../../../database/iso-timestamp.js';
import { groupBy } from '../../../forms/group-by.js';
import type { Person, PersonalData, PersonalFile } from '../../../server/hooks.js';
import { EXTENSION_ONLY, recordsSql } from '../../../submissions/submission.columns.js';
import { presentRecords, presentValue } from '../../../submissions/submission.presenter.js';
import type {
  ExportedPerson,
  ExportedSubmission,
  ExportedToken,
  Item,
  SubmissionRow,
} from './exported-data.js';
import { type ExportedForm, ExportedForms } from './exported-forms.js';
import { countSubmissionsOf } from './submission-numbers.js';

/** The time, or `infinity`. */
const timeSql = (column: string) =>
  `case when isfinite(${column}) then ${isoTimestampSql(column)} else ${column}::text end as ${column}`;

const FIND_USER = `
  select id, email, ${isoTimestampSql('created_at')} as created_at, ${timeSql('tokens_valid_from')}
    from users where id = $1`;

const FIND_TOKENS = `
  select id, name, ${isoTimestampSql('created_at')} as created_at, ${timeSql('expires_at')},
         ${isoTimestampSql('revoked_at')} as revoked_at
    from api_tokens where user_id = $1 order by id`;

/** Submissions per page. Each may have megabytes. */
const PAGE = 20;

/** In the order of the index on the submissions of a user, so that each page reads only its own rows. */
const FIND_SUBMISSIONS = `
  select uuid, form_id, status, is_test, ${isoTimestampSql('submissions.created_at')} as created_at,
         ${isoTimestampSql('updated_at')} as updated_at, ${isoTimestampSql('completed_at')} as completed_at,
         begun_version, completed_version, ${EXTENSION_ONLY}, held, ${isoTimestampSql('anonymized_at')} as anonymized_at, meta,
         (select coalesce(json_agg(json_build_array(field_id, entity_record_id, value)
                                   order by field_id, entity_record_id nulls first), '[]')
            from submission_values where submission_uuid = uuid) as values,
         ${recordsSql('submission_uuid = uuid')} as records, submissions.created_at::text as position
    from submissions
   where user_id = $1 and ($2::varchar is null or (status, submissions.created_at, uuid) > ($2, $3::timestamptz, $4::uuid))
   order by status, submissions.created_at, uuid limit ${PAGE}`;

/** Reads all that is stored of some people. Needs memory for one page of submissions. */
export async function* readPeople(
  manager: EntityManager,
  people: readonly Person[],
  parts: readonly PersonalData[],
): AsyncGenerator<Item> {
  const forms = new ExportedForms(manager);
  for (const { id } of people) {
    yield { person: await readPerson(manager, id, parts) };
    for await (const page of submissionPages(manager, id)) {
      const files = await findFiles(manager, page, parts);
      for (const row of page) {
        const form = await forms.find(row.form_id);
        yield { submission: present(row, form, files.get(row.uuid) ?? []) };
      }
    }
  }
}

async function readPerson(
  manager: EntityManager,
  id: number,
  parts: readonly PersonalData[],
): Promise<ExportedPerson> {
  const [user] = await manager.query<ExportedPerson['user'][]>(FIND_USER, [id]);
  if (user === undefined)
    throw new CommandError(`User ${id} was deleted meanwhile. Delete the folder, and run the command again.`);
  const tokens = await manager.query<ExportedToken[]>(FIND_TOKENS, [id]);
  const submissions = await countSubmissionsOf(manager, id);
  const others = {};
  for (const { ofUser } of parts) Object.assign(others, await ofUser?.(manager, id));
  return { user, ...others, tokens, submissions };
}

async function* submissionPages(
  manager: EntityManager,
  userId: number,
): AsyncGenerator<readonly SubmissionRow[]> {
  let after: readonly [status?: string, position?: string, uuid?: string] = [];
  for (;;) {
    const [status, position, uuid] = after;
    const page = await manager.query<SubmissionRow[]>(FIND_SUBMISSIONS, [userId, status, position, uuid]);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = [last.status, last.position, last.uuid];
  }
}

async function findFiles(
  manager: EntityManager,
  page: readonly SubmissionRow[],
  parts: readonly PersonalData[],
): Promise<ReadonlyMap<string, readonly PersonalFile[]>> {
  const uuids = page.map(({ uuid }) => uuid);
  const files: PersonalFile[] = [];
  for (const { filesOf } of parts) files.push(...((await filesOf?.(manager, uuids)) ?? []));
  return groupBy(files, ({ submission_uuid }) => submission_uuid);
}

function present(row: SubmissionRow, form: ExportedForm, files: readonly PersonalFile[]): ExportedSubmission {
  const { uuid, form_id: _, values, records, position: __, ...rest } = row;
  return {
    uuid,
    form: form.form,
    ...rest,
    values: values.map(([fieldId, recordId, value]) => {
      const { code = '', label = '', show } = form.fieldsById.get(fieldId) ?? {};
      const shown = show?.(value);
      return Object.assign(presentValue(fieldId, code, value, recordId), {
        label,
        ...(shown !== undefined && { shown }),
      });
    }),
    records: presentRecords(form, records),
    files: files.map(({ submission_uuid: ___, ...file }) => ({
      ...file,
      field_code: form.fieldsById.get(file.field_id)?.code ?? '',
    })),
  };
}
