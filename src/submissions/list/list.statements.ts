import { statement, text } from '../../database/statement.js';
import { SHOWN_COLUMNS, SHOWN_SUBMISSION } from '../submission.columns.js';
import type { ShownSubmission } from '../submission.rows.js';

/** A submission in a list, with the name of its form. */
export interface ListedSubmission extends ShownSubmission {
  readonly form_uuid: string;
  readonly form_name: string;
  readonly form_slug: string;
}

const listOwn = (name: string, ofForm: string) =>
  statement<ListedSubmission>(
    name,
    `select ${SHOWN_COLUMNS}, form_uuid, form_name, form_slug
       from unnest($2::varchar[]) as wanted (wanted_status)
       cross join lateral (
         select * from submissions
          where status = wanted_status and user_id = $1 and (created_at, submissions.uuid) < ($3::timestamptz, $4::uuid) ${ofForm}
          order by created_at desc, uuid desc limit $5
       ) as submissions
       join (select id, uuid as form_uuid, name as form_name, slug as form_slug from forms) as forms
         on forms.id = submissions.form_id
      order by created_at desc, submissions.uuid desc limit $5`,
    { ...SHOWN_SUBMISSION, form_uuid: text, form_name: text, form_slug: text },
  );

/**
 * Reads a page of the user's submissions with these statuses after a position, newest first (O1). Submissions that
 * were created at the same moment are sorted by UUID. An index has the submissions of each of the two statuses in
 * this order, so a page reads at most twice as many rows as it returns, even far from the first page.
 */
export const LIST_SUBMISSIONS = listOwn('submissions.list', '');

/** Like {@link LIST_SUBMISSIONS}, but only for one form. The index includes the form. */
export const LIST_SUBMISSIONS_OF_FORM = listOwn('submissions.list_of_form', 'and form_id = $6');
