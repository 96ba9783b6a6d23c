import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { PublishedFormsService } from '../../forms/published-forms.service.js';
import { DEFAULT_PER_PAGE } from '../../http/pagination.js';
import { STATUSES } from '../entities/submission.js';
import { unknownForm } from '../lifecycle/form-errors.js';
import { BEGINNING, readCursor, writeCursor } from './list-cursor.js';
import type { ListQuery } from './list-query.dto.js';
import { LIST_SUBMISSIONS, LIST_SUBMISSIONS_OF_FORM, type ListedSubmission } from './list.statements.js';

export interface SubmissionPage {
  readonly submissions: readonly ListedSubmission[];
  readonly perPage: number;
  /** The URL of the next page, with the parameters that the client sent (F3). Null on the last page. */
  readonly next: string | null;
}

/** Lists a user's submissions, newest first (O1). */
@Injectable()
export class OwnSubmissionsService {
  constructor(
    private readonly database: Database,
    private readonly published: PublishedFormsService,
  ) {}

  /** Returns a page of the list. `url` is the URL of the list. */
  async list(userId: number, query: ListQuery, url: string): Promise<SubmissionPage> {
    const { status, form_uuid, per_page: perPage = DEFAULT_PER_PAGE, cursor } = query;
    const { createdAt, uuid } = (cursor === undefined ? undefined : readCursor(cursor)) ?? BEGINNING;
    // Read one row more, to find out whether there is another page.
    const place = [userId, status === undefined ? STATUSES : [status], createdAt, uuid, perPage + 1];
    const found =
      form_uuid === undefined
        ? await this.database.query(LIST_SUBMISSIONS, place)
        : await this.database.query(LIST_SUBMISSIONS_OF_FORM, [...place, await this.formId(form_uuid)]);
    const submissions = found.slice(0, perPage);
    const last = found.length > perPage ? submissions.at(-1) : undefined;
    return { submissions, perPage, next: last === undefined ? null : `${url}?${nextQuery(query, last)}` };
  }

  private async formId(formUuid: string): Promise<number> {
    const form = await this.published.byUuid(formUuid);
    if (form === undefined) throw unknownForm();
    return form.id;
  }
}

function nextQuery(
  { status, form_uuid, per_page }: ListQuery,
  { created_at, uuid }: ListedSubmission,
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ status, form_uuid, per_page })) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  parameters.set('cursor', writeCursor({ createdAt: created_at, uuid }));
  return parameters.toString();
}
