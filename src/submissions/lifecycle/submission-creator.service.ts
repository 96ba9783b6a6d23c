import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { isForeignKeyViolation, RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import { PublishedFormsService } from '../../forms/published-forms.service.js';
import { invalid, fieldError, unauthenticated } from '../../http/errors/problems.js';
import { SubmissionFormsService } from './submission-forms.service.js';
import { CREATE_SUBMISSION, FIND_FORM_AND_USER, type ShownSubmission } from '../submission.statements.js';

/** Creates the drafts of active forms (S1, S2). */
@Injectable()
export class SubmissionCreator {
  constructor(
    private readonly database: Database,
    private readonly published: PublishedFormsService,
    private readonly forms: SubmissionFormsService,
  ) {}

  async create(executor: Executor, userId: number, formUuid: string): Promise<ShownSubmission> {
    const form = await this.published.byUuid(formUuid, executor);
    if (form === undefined) throw unknownForm();
    if (!form.isActive)
      throw invalid({
        form_uuid: [fieldError('inactive_form', 'The form is not active and accepts no new submissions.')],
      });
    const row = await executor.retryWhileLocked(undefined, async (executor) => {
      const created = await this.insert(executor, form.id, userId);
      if (created !== undefined) return created;
      const found = await executor.batch(FIND_FORM_AND_USER, [form.id, userId]);
      if (found?.hasUser !== true) throw unauthenticated();
      if (found.hasForm) throw new RowLockedError();
      // The form was deleted, but this instance has not received the notification yet.
      this.published.forget(form.id);
      throw unknownForm();
    });
    this.forms.remember(row.uuid, { userId, formId: form.id });
    return row;
  }

  /** Inserts a draft. Each attempt uses a new UUID. */
  private async insert(
    executor: Executor,
    formId: number,
    userId: number,
  ): Promise<ShownSubmission | undefined> {
    try {
      return await executor.batch(CREATE_SUBMISSION, [this.database.newUuid(), formId, userId]);
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      throw error.constraint?.startsWith('submissions_user_id_fkey') === true
        ? unauthenticated()
        : unknownForm();
    }
  }
}

/** The 422 for an unknown or malformed `form_uuid` (S2). */
export const unknownForm = () =>
  invalid({ form_uuid: [fieldError('unknown_form', 'There is no form with this form_uuid.')] });
