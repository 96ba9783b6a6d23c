import { Injectable } from '@nestjs/common';
import type { AuthenticatedUser } from '../../auth/authenticated-user.js';
import { Database } from '../../database/database.js';
import { isForeignKeyViolation, RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { PublishedFormsService } from '../../forms/published-forms.service.js';
import { unauthenticated } from '../../http/errors/problems.js';
import { type Beginning, SubmissionGuards } from '../guards-submissions.js';
import { CREATE_SUBMISSION, FIND_FORM_AND_USER } from '../submission.statements.js';
import type { ShownSubmission } from '../submission.rows.js';
import { inactiveForm, unknownForm } from './form-errors.js';
import { SubmissionFormsService } from './submission-forms.service.js';

/** A draft that a user may begin, unless a guard finds otherwise in the transaction. */
interface NewDraft {
  readonly form: PublishedForm;
  readonly userId: number;
  readonly isTest: boolean;
  readonly guarded: readonly Beginning[];
}

/** Creates the drafts of active forms (S1, S2). */
@Injectable()
export class SubmissionCreator {
  constructor(
    private readonly database: Database,
    private readonly published: PublishedFormsService,
    private readonly forms: SubmissionFormsService,
    private readonly guards: SubmissionGuards,
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
    const guarded = this.guards.beforeBeginning(form, user, arrivedAt);
    const isTest = user.scope?.beginsTests === true;
    if (!form.isActive && !isTest) throw inactiveForm();
    const draft = { form, userId: user.id, isTest, guarded };
    const created = await executor.retryWhileLocked(this.guards.rowOf(user), (executor) => {
      for (const beginning of guarded) beginning.beforeAttempt?.();
      return this.attempt(executor, draft);
    });
    this.forms.remember(created.uuid, { userId: user.id, formId: form.id });
    return created;
  }

  private async attempt(executor: Executor, draft: NewDraft): Promise<ShownSubmission> {
    const created = await this.insert(executor, draft);
    if (created !== undefined) return created;
    const { form, userId, guarded } = draft;
    const [found] = await executor.query(FIND_FORM_AND_USER, [form.id, userId]);
    if (found?.hasUser !== true) throw unauthenticated();
    if (!found.hasForm) {
      // The form was deleted, but this instance has not received the notification yet.
      this.published.forget(form.id);
      throw unknownForm();
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
    { form: { id: formId, version, steps }, userId, isTest, guarded }: NewDraft,
  ): Promise<ShownSubmission | undefined> {
    const uuid = this.database.newUuid();
    const columns = [uuid, formId, userId, version, steps[0]?.id ?? null];
    try {
      return await (guarded.length === 0 && !isTest
        ? executor.batch(CREATE_SUBMISSION, columns)
        : executor.batch(this.guards.statementOf(guarded), [...columns, isTest]));
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      throw error.constraint?.startsWith('submissions_user_id_fkey') === true
        ? unauthenticated()
        : unknownForm();
    }
  }
}
