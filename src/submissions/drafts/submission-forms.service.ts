import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { PublishedFormsService } from '../../forms/published-forms.service.js';
import { notFoundProblem, Problem } from '../../http/errors/problems.js';
import type { StoredValue } from '../../conditions/engine/index.js';
import type { SubmissionReference } from '../submission-reference.decorator.js';
import { FIND_FORM_OF_SUBMISSION } from '../submission.statements.js';
import type { StoredRecord, SubmissionRow } from '../submission.rows.js';

const CACHED_SUBMISSIONS = 20_000;

type SubmissionKey = Pick<SubmissionReference, 'uuid' | 'userId'>;

interface Origin {
  readonly userId: number;
  readonly formId: number;
}

/** The field or entity that a request names, and the form in which it was found. */
export interface FormMatch<Found> {
  readonly form: PublishedForm;
  readonly found: Found;
}

/** Caches the user and the form of submissions. A cached entry does not prove that the submission still exists. */
@Injectable()
export class SubmissionFormsService {
  private readonly origins = new LRUCache<string, Origin>({ max: CACHED_SUBMISSIONS });

  constructor(private readonly published: PublishedFormsService) {}

  /** Call it whenever the database has shown the form of a submission. */
  remember({ uuid, userId }: SubmissionKey, formId: number): void {
    this.origins.set(uuid, { userId, formId });
  }

  forget(uuid: string): void {
    this.origins.delete(uuid);
  }

  /** Returns the form of a submission if both are cached. Either may have changed. */
  knownForm({ uuid }: Pick<SubmissionKey, 'uuid'>): PublishedForm | undefined {
    const known = this.origins.get(uuid);
    return known && this.published.cached(known.formId);
  }

  /** Throws, so that the attempt is repeated, if another program has moved the submission to another form than the cached one. */
  requireForm(form: PublishedForm, uuid: string, found: Pick<SubmissionRow, 'form_id'>): void {
    if (found.form_id === form.id) return;
    this.forget(uuid);
    throw new RowLockedError();
  }

  /**
   * Finds the fields or the entity that a request names, in the form of the submission. If they are not found, reads the
   * submission before it throws, because the cached entry may be stale. Throws 404 if the submission no longer exists (S1).
   */
  async resolve<Found>(
    executor: Executor,
    reference: SubmissionReference,
    find: (form: PublishedForm) => Found | Problem,
  ): Promise<FormMatch<Found>> {
    const cached = await this.formOf(executor, reference);
    const found = find(cached);
    if (!(found instanceof Problem)) return { form: cached, found };
    this.forget(reference.uuid);
    const form = await this.formOf(executor, reference);
    const foundNow = find(form);
    if (foundNow instanceof Problem) throw foundNow;
    return { form, found: foundNow };
  }

  /**
   * Returns the form of a submission. The submission may have been deleted if its form is cached. Use {@link resolve} for checks
   * that reject requests because of the form.
   */
  async formOf(executor: Executor, { userId, uuid }: SubmissionReference): Promise<PublishedForm> {
    const known = this.origins.get(uuid);
    // Look up another user's submission like an unknown one, so that the response time does not reveal that it exists.
    const cached = known?.userId === userId ? await this.published.byId(known.formId, executor) : undefined;
    if (cached !== undefined) return cached;
    const row = await executor.batch(FIND_FORM_OF_SUBMISSION, [uuid, userId]);
    if (row === undefined) throw notFoundProblem('Submission');
    this.remember({ uuid, userId }, row.form_id);
    return this.formWithId(executor, row.form_id);
  }

  /** Returns the form of these stored values and records. Reloads a cached form that lacks their fields or entities. */
  formHolding(
    executor: Executor,
    formId: number,
    values: readonly StoredValue[],
    records: readonly StoredRecord[] = NO_RECORDS,
  ): PublishedForm | Promise<PublishedForm> {
    const known = this.published.cached(formId);
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

  /** Returns the form of a submission that was just read. */
  withId(executor: Executor, formId: number): PublishedForm | Promise<PublishedForm> {
    return this.published.cached(formId) ?? this.formWithId(executor, formId);
  }

  private async formWithId(executor: Executor, formId: number): Promise<PublishedForm> {
    const form = await this.published.byId(formId, executor);
    // A foreign key protects the form of a submission, so both were deleted between two statements of this request.
    if (form === undefined) throw notFoundProblem('Submission');
    return form;
  }

  /** Evicts a form. Call it if the database has shown that the cached form is stale. */
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
    values.every(([fieldId]) => form.fieldsById.has(fieldId) || form.retiredCodes.has(fieldId)) &&
    records.every(([, entityId]) => form.entitiesById.has(entityId))
  );
}
