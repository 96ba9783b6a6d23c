import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type AuthenticatedUser, rowOf } from '../../auth/authenticated-user.js';
import { Database } from '../../database/database.js';
import { isForeignKeyViolation, RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { PublishedFormsService } from '../../forms/published-forms.service.js';
import { unauthenticated } from '../../http/errors/problems.js';
import { formNotPublic, inactiveForm, otherForm, tooManyDrafts, unknownForm } from './form-errors.js';
import { SubmissionFormsService } from './submission-forms.service.js';
import {
  COUNT_OPEN_DRAFTS,
  CREATE_SUBMISSION,
  CREATE_SUBMISSION_OF_RESPONDENT,
  FIND_FORM_AND_USER,
  MAX_DRAFTS,
  type ShownSubmission,
} from '../submission.statements.js';

const REMEMBERED_USERS = 1_000;

/** Creates the drafts of active forms (S1, S2). */
@Injectable()
export class SubmissionCreator {
  /**
   * By user, the time when the last count began that found the maximum of drafts. The count decides for all requests that waited then,
   * so a burst of requests needs few statements (P3). A later request counts again, because a draft may have been deleted.
   */
  private readonly fullAt = new LRUCache<number, number>({ max: REMEMBERED_USERS });

  constructor(
    private readonly database: Database,
    private readonly published: PublishedFormsService,
    private readonly forms: SubmissionFormsService,
  ) {}

  /** @param arrivedAt the time of the request, on the clock of `performance.now()` */
  async create(
    executor: Executor,
    user: AuthenticatedUser,
    formUuid: string,
    arrivedAt: number,
  ): Promise<ShownSubmission> {
    const form = await this.published.byUuid(formUuid, executor);
    if (form === undefined) throw unknownForm();
    requireAccess(form, user);
    const created = await executor.retryWhileLocked(rowOf(user), (executor) => {
      if (arrivedAt <= (this.fullAt.get(user.id) ?? -Infinity)) throw tooManyDrafts(MAX_DRAFTS);
      return this.attempt(executor, form, user);
    });
    this.forms.remember(created.uuid, { userId: user.id, formId: form.id });
    return created;
  }

  private async attempt(
    executor: Executor,
    form: PublishedForm,
    user: AuthenticatedUser,
  ): Promise<ShownSubmission> {
    const created = await this.insert(executor, form, user);
    if (created !== undefined) return created;
    const [found] = await executor.query(FIND_FORM_AND_USER, [form.id, user.id]);
    if (found?.hasUser !== true) throw unauthenticated();
    if (!found.hasForm) {
      // The form was deleted, but this instance has not received the notification yet.
      this.published.forget(form.id);
      throw unknownForm();
    }
    if (user.respondent !== undefined) {
      const countedAt = performance.now();
      const [drafts] = await executor.query(COUNT_OPEN_DRAFTS, [user.id]);
      if ((drafts?.count ?? 0) >= MAX_DRAFTS) {
        this.fullAt.set(user.id, countedAt);
        throw tooManyDrafts(MAX_DRAFTS);
      }
    }
    throw new RowLockedError();
  }

  /** Inserts a draft. Each attempt uses a new UUID. */
  private async insert(
    executor: Executor,
    { id: formId, version, steps }: PublishedForm,
    { id, respondent }: AuthenticatedUser,
  ): Promise<ShownSubmission | undefined> {
    const uuid = this.database.newUuid();
    const columns = [uuid, formId, id, version, steps[0]?.id ?? null];
    try {
      return await (respondent === undefined
        ? executor.batch(CREATE_SUBMISSION, columns)
        : executor.batch(CREATE_SUBMISSION_OF_RESPONDENT, [...columns, respondent.isPreview]));
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      throw error.constraint?.startsWith('submissions_user_id_fkey') === true
        ? unauthenticated()
        : unknownForm();
    }
  }
}

/** Throws 422 if the user may not begin this form (F4, P3, P8, P10). */
function requireAccess(form: PublishedForm, { respondent }: AuthenticatedUser): void {
  if (respondent !== undefined && respondent.formId !== form.id) throw otherForm();
  if (respondent?.isPreview === true) return;
  if (!form.isActive) throw inactiveForm();
  if (respondent !== undefined && !form.isPublic) throw formNotPublic();
}
