import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Executor } from '../database/statement.js';
import type { PublishedForm } from '../forms/published-form.js';
import { PublishedFormsService } from '../forms/published-forms.service.js';
import { notFound } from '../http/problems.js';
import type { SubmissionReference } from './submission-reference.decorator.js';
import { FIND_SUBMISSION, type StoredRecord, type StoredValue } from './submission.statements.js';

const REMEMBERED_SUBMISSIONS = 20_000;

interface Origin {
  readonly userId: number;
  readonly formId: number;
}

/** Whose a submission is and which form it is for. Neither ever changes, so both can be remembered. */
@Injectable()
export class SubmissionFormsService {
  private readonly origins = new LRUCache<string, Origin>({ max: REMEMBERED_SUBMISSIONS });

  constructor(private readonly published: PublishedFormsService) {}

  remember(uuid: string, origin: Origin): void {
    this.origins.set(uuid, origin);
  }

  /** Of one that is gone, so that it does not take the room of others; who asks for it finds nothing either way. */
  forget(uuid: string): void {
    this.origins.delete(uuid);
  }

  /** The form of a submission; 404 where the user has no such submission (S1). */
  async formOf(executor: Executor, { userId, uuid }: SubmissionReference): Promise<PublishedForm> {
    const known = this.origins.get(uuid);
    // Somebody else's is looked for like one that is unknown, so that the time it takes does not tell them apart.
    if (known?.userId === userId) return this.formWithId(executor, known.formId);
    const [row] = await executor.query(FIND_SUBMISSION, [uuid, userId]);
    if (row === undefined) throw notFound('Submission');
    this.remember(uuid, { userId, formId: row.form_id });
    return this.formWithId(executor, row.form_id);
  }

  /** The form that this was stored for; never one from before the fields and entities that it is of. */
  formHolding(
    executor: Executor,
    formId: number,
    values: readonly StoredValue[],
    records: readonly StoredRecord[] = NO_RECORDS,
  ): PublishedForm | Promise<PublishedForm> {
    const known = this.published.inMemory(formId);
    return known !== undefined && holds(known, values, records)
      ? known
      : this.loadHolding(executor, formId, values, records);
  }

  private async loadHolding(
    executor: Executor,
    formId: number,
    values: readonly StoredValue[],
    records: readonly StoredRecord[],
  ) {
    const form = await this.formWithId(executor, formId);
    if (holds(form, values, records)) return form;
    this.forgetForm(formId);
    return this.formWithId(executor, formId);
  }

  stepCount(executor: Executor, formId: number): number | Promise<number> {
    const known = this.published.inMemory(formId);
    return (
      known?.stepNumbers.length ??
      this.formWithId(executor, formId).then(({ stepNumbers }) => stepNumbers.length)
    );
  }

  private async formWithId(executor: Executor, formId: number): Promise<PublishedForm> {
    const form = await this.published.byId(formId, executor);
    // A foreign key keeps a submission's form: both were deleted between two statements of this request.
    if (form === undefined) throw notFound('Submission');
    return form;
  }

  /** For when the database has shown that what is remembered of a form is out of date. */
  forgetForm(formId: number): void {
    this.published.forget(formId);
  }
}

const NO_RECORDS: readonly StoredRecord[] = [];

function holds(
  form: PublishedForm,
  values: readonly StoredValue[],
  records: readonly StoredRecord[],
): boolean {
  return (
    values.every(([fieldId]) => form.fieldsById.has(fieldId)) &&
    records.every(([, entityId]) => form.entitiesById.has(entityId))
  );
}
