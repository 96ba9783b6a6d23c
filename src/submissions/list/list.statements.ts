import { statement, text } from '../../database/statement.js';
import { COLUMNS, SUBMISSION, type SubmissionRow } from '../submission.statements.js';

/** A submission of a list, with the names of its form. */
export interface ListedSubmission extends SubmissionRow {
  readonly form_uuid: string;
  readonly form_name: string;
  readonly form_slug: string;
}

const listOwn = (name: string, ofForm: string) =>
  statement<ListedSubmission>(
    name,
    `select ${COLUMNS}, form_uuid, form_name, form_slug
       from unnest($2::varchar[]) as wanted (wanted_status)
       cross join lateral (
         select * from submissions
          where status = wanted_status and user_id = $1 and (created_at, submissions.uuid) < ($3::timestamptz, $4::uuid) ${ofForm}
          order by created_at desc, uuid desc limit $5
       ) as submissions
       join (select id, uuid as form_uuid, name as form_name, slug as form_slug from forms) as forms
         on forms.id = submissions.form_id
      order by created_at desc, submissions.uuid desc limit $5`,
    { ...SUBMISSION, form_uuid: text, form_name: text, form_slug: text },
  );

/**
 * A page of the user's submissions in these states, newest first: those created before a moment or, at the same moment, with a
 * smaller UUID (O1). An index has the submissions of each state in this order, so that no page reads more than twice its rows,
 * however far it is from the first.
 */
export const LIST_SUBMISSIONS = listOwn('submissions.list', '');

/** The same for one form, which is a column of the index. */
export const LIST_SUBMISSIONS_OF_FORM = listOwn('submissions.list_of_form', 'and form_id = $6');
