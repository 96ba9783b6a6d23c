import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller.decorator.js';
import { Database } from '../database/database.js';
import { isForeignKeyViolation, RowLockedError } from '../database/database-errors.js';
import type { Executor } from '../database/statement.js';
import type { PublishedForm } from '../forms/published-form.js';
import { PublishedFormsService } from '../forms/published-forms.service.js';
import { unauthenticatedProblem } from '../http/errors/problems.js';
import { DEFAULT_PER_PAGE } from '../http/pagination.js';
import { inactiveFormProblem, unknownFormProblem } from './drafts/form-errors.js';
import { SubmissionFormsService } from './drafts/submission-forms.service.js';
import type { IncludeQuery } from './dto/include-query.dto.js';
import type { CreateSubmissionDto } from './dto/create-submission.dto.js';
import { STATUSES, type SubmissionExtension } from './entities/submission.js';
import { type Beginning, SubmissionGuards } from './guards-submissions.js';
import { IdempotencyService } from './idempotency/idempotency.service.js';
import { IncludedConditionsService } from './included-conditions.service.js';
import { BEGINNING, readCursor, writeCursor } from './list/list-cursor.js';
import type { ListQuery } from './list/list-query.dto.js';
import { LIST_SUBMISSIONS, LIST_SUBMISSIONS_OF_FORM, type ListedSubmission } from './list/list.statements.js';
import { SubmissionExtenders } from './submission-extenders.js';
import type { SubmissionState } from './submission-state.js';
import { presentCreated } from './submission.presenter.js';
import type { ShownSubmission } from './submission.rows.js';
import { CREATE_SUBMISSION, FIND_FORM_AND_USER, newExtension } from './submission.statements.js';

export interface SubmissionPage {
  readonly submissions: readonly ListedSubmission[];
  readonly perPage: number;
  /** The URL of the next page, with the parameters that the client sent (F3). Null on the last page. */
  readonly next: string | null;
}

/** A draft that a user may begin, unless a guard decides otherwise in the transaction. */
interface NewDraft {
  readonly form: PublishedForm;
  readonly userId: number;
  readonly extension: Partial<SubmissionExtension> | undefined;
  readonly isTest: boolean;
  readonly guarded: readonly Beginning[];
}

/** Lists a user's submissions, and creates drafts. */
@Injectable()
export class OwnSubmissionsService {
  constructor(
    private readonly database: Database,
    private readonly published: PublishedFormsService,
    private readonly forms: SubmissionFormsService,
    private readonly guards: SubmissionGuards,
    private readonly extenders: SubmissionExtenders,
    private readonly idempotency: IdempotencyService,
    private readonly conditions: IncludedConditionsService,
  ) {}

  /** Creates a draft of an active form (S1, S2). */
  async create(caller: Caller, body: CreateSubmissionDto, query: IncludeQuery): Promise<SubmissionState> {
    const extension = this.extenders.columnsIn(body);
    const formUuid = body.form_uuid;
    const operation = ['create', formUuid.toLowerCase()];
    if (extension !== undefined) operation.push(JSON.stringify(extension));
    const request = { caller, operation, row: this.guards.rowOf(caller) };
    const created = await this.idempotency.once(request, (executor) =>
      this.begin(executor, caller, formUuid, extension),
    );
    return this.conditions.include(presentCreated(created), { ...caller, uuid: created.uuid }, query);
  }

  private async begin(
    executor: Executor,
    caller: Caller,
    formUuid: string,
    extension: Partial<SubmissionExtension> | undefined,
  ): Promise<ShownSubmission> {
    const { userId, scope } = caller;
    const form = await this.published.byUuid(formUuid, executor);
    if (form === undefined) throw unknownFormProblem();
    const guarded = this.guards.beforeBeginning(form, caller);
    const isTest = scope?.beginsTests === true;
    if (!form.isActive && !isTest) throw inactiveFormProblem();
    const draft = { form, userId, extension, isTest, guarded };
    const created = await executor.retryWhileLocked(this.guards.rowOf(caller), (executor) => {
      for (const beginning of guarded) beginning.beforeAttempt?.();
      return this.attempt(executor, draft);
    });
    this.forms.remember({ uuid: created.uuid, userId }, form.id);
    return created;
  }

  private async attempt(executor: Executor, draft: NewDraft): Promise<ShownSubmission> {
    const created = await this.insert(executor, draft);
    if (created !== undefined) return created;
    const { form, userId, guarded } = draft;
    const [found] = await executor.query(FIND_FORM_AND_USER, [form.id, userId]);
    if (found?.hasUser !== true) throw unauthenticatedProblem();
    if (!found.hasForm) {
      // The form was deleted, but this instance has not received the notification yet.
      this.published.forget(form.id);
      throw unknownFormProblem();
    }
    for (const beginning of guarded) {
      const rejection = await beginning.rejection(executor);
      if (rejection !== undefined) throw rejection;
    }
    throw new RowLockedError();
  }

  /** Inserts a draft. Each attempt uses a new UUID. */
  private async insert(
    executor: Executor,
    { form: { id: formId, version, steps }, userId, extension, isTest, guarded }: NewDraft,
  ): Promise<ShownSubmission | undefined> {
    const uuid = this.database.newUuid();
    const columns = [uuid, formId, userId, version, steps[0]?.id ?? null, ...newExtension(extension)];
    try {
      return await (guarded.length === 0 && !isTest
        ? executor.batch(CREATE_SUBMISSION, columns)
        : executor.batch(this.guards.statementOf(guarded), [...columns, isTest]));
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      throw error.constraint?.startsWith('submissions_user_id_fkey') === true
        ? unauthenticatedProblem()
        : unknownFormProblem();
    }
  }

  /** Returns a page of the user's submissions, newest first (O1). `url` is the URL of the list. */
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
    if (form === undefined) throw unknownFormProblem();
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
