import { Injectable } from '@nestjs/common';
import type { StoredValue } from '../../conditions/engine/index.js';
import { Database } from '../../database/database.js';
import { RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import { RULE_KINDS, type RuleKind } from '../../forms/entities/rule-kinds.js';
import { todayIn } from '../../forms/field-rules/today.js';
import { FormVersionsService } from '../../forms/form-versions.service.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { type FieldErrors, invalidDataProblem } from '../../http/errors/problems.js';
import {
  DraftsService,
  requireUnchanged,
  type SubmissionWithForm,
  throwIfInvalid,
  update,
} from '../drafts/drafts.service.js';
import { HeavyReadsService } from '../drafts/heavy-reads.service.js';
import { FIND_VALUES_AND_RECORDS } from '../drafts/read.statements.js';
import { SubmissionFormsService } from '../drafts/submission-forms.service.js';
import { unknownStepError } from '../dto/validation-query.dto.js';
import { type Admission, type Completion, SubmissionGuards } from '../guards-submissions.js';
import { SubmissionExtenders } from '../submission-extenders.js';
import type { SubmissionReference } from '../submission-reference.decorator.js';
import type { PatchedSubmission, ReadSubmission } from '../submission.rows.js';
import { PATCH_SUBMISSION, patchOf, type SubmissionChanges } from '../submission.statements.js';
import { CompletionChecks } from './checks-completion.js';
import { completionErrors } from './completion-errors.js';
import { findHiddenValueNames } from './hidden-values.js';
import { requireAdmitted } from './require-admitted.js';
import { storeComputedValues } from './store-computed.js';
import { transactionOrUndone } from './transaction-or-undone.js';

type CompletedSubmission = SubmissionWithForm<PatchedSubmission>;

/** A draft that may be completed, unless one of the admissions decides otherwise in the transaction. */
interface Checked {
  readonly completion: Completion;
  readonly admissions: readonly Admission[];
  readonly values: readonly StoredValue[];
}

const NEEDS_VALUES = 'needs values';

// A completed submission may be completed again (S3).
const mayBeRepeated = (): undefined => undefined;

/** Completes submissions, and checks values as strict completion does (S4, S13). */
@Injectable()
export class CompletionService {
  /** Counts how often a check skipped a rule that cannot be applied, by kind (J5). */
  readonly rulesLeftOut = Object.fromEntries(RULE_KINDS.map((kind) => [kind, 0])) as Record<RuleKind, number>;

  constructor(
    private readonly database: Database,
    private readonly drafts: DraftsService,
    private readonly forms: SubmissionFormsService,
    private readonly versions: FormVersionsService,
    private readonly heavyReads: HeavyReadsService,
    private readonly checks: CompletionChecks,
    private readonly guards: SubmissionGuards,
    private readonly extenders: SubmissionExtenders,
  ) {}

  /** Returns the errors of strict completion, for all steps or for one step (J3). Throws 422 if the form has no step with this number. */
  validate(
    reference: SubmissionReference,
    stepNumber: number | undefined,
  ): Promise<{ readonly form: PublishedForm; readonly errors: FieldErrors }> {
    return this.drafts.read(
      FIND_VALUES_AND_RECORDS,
      reference,
      async (read: SubmissionWithForm<ReadSubmission>) => {
        const { form } = read;
        if (stepNumber !== undefined && !form.steps.some((step) => step.stepNumber === stepNumber))
          throw invalidDataProblem({ step: [unknownStepError()] });
        const executor = this.database.forRequest(reference);
        return { form, errors: await this.fieldErrors(executor, reference.uuid, read, stepNumber) };
      },
    );
  }

  /** Returns the errors for which strict completion would reject these values now, in one step or in all steps. */
  async fieldErrors(
    executor: Executor,
    uuid: string,
    { form, submission }: SubmissionWithForm<ReadSubmission>,
    stepNumber?: number,
  ): Promise<FieldErrors> {
    const messageOf = await this.extenders.messagesFor(executor, form, submission);
    const checks = await this.checks.load(executor, uuid, form);
    return completionErrors(form, submission, {
      today: todayIn(form.timeZone),
      stepNumber,
      checks,
      messageOf,
      onLeftOut: (kind) => {
        this.rulesLeftOut[kind] += 1;
      },
    });
  }

  /**
   * Completes the submission. Reads its values only if completion is strict (S4, S13), the form can hide values (X1), or a guard decides
   * which submissions may be completed.
   */
  async complete(reference: SubmissionReference, changes: SubmissionChanges): Promise<CompletedSubmission> {
    await this.drafts.requireWritable(this.database.forRequest(reference), reference);
    const asIs = await this.completeAsIs(reference, changes);
    if (asIs !== NEEDS_VALUES) return asIs;
    const completed = await this.drafts.read(
      FIND_VALUES_AND_RECORDS,
      reference,
      (read: SubmissionWithForm<ReadSubmission>) => this.completeUnlocked(read, reference, changes),
    );
    return completed ?? this.heavyReads.run(reference, () => this.completeLocked(reference, changes));
  }

  /** Completes a submission whose form accepts all values and hides none. */
  private completeAsIs(
    reference: SubmissionReference,
    changes: SubmissionChanges,
  ): Promise<CompletedSubmission | typeof NEEDS_VALUES> {
    return this.drafts.write(
      this.database.forRequest(reference),
      reference,
      // Each attempt finds the form, because another program may have moved the draft to another form.
      async (executor) => {
        const form = await this.forms.formOf(executor, reference);
        const { canHide, computed } = form.rules;
        const readsValues = form.isCompletionStrict || canHide || computed !== undefined;
        const needsValues = readsValues || !this.versions.isKept(form);
        if (needsValues || this.guards.beforeCompleting(form).length > 0) return NEEDS_VALUES;
        const submission = await update(executor, PATCH_SUBMISSION, reference, patchOf(changes, form));
        return submission && { submission, form };
      },
      mayBeRepeated,
    );
  }

  /** Stores the meta of a submission that is completed already (S3). */
  private async completeAgain(
    executor: Executor,
    form: PublishedForm,
    reference: SubmissionReference,
    changes: SubmissionChanges,
  ): Promise<CompletedSubmission> {
    const patch = patchOf(changes, form);
    const submission = await this.drafts.write(
      executor,
      reference,
      (executor) => update(executor, PATCH_SUBMISSION, reference, patch),
      mayBeRepeated,
    );
    return { submission, form };
  }

  /**
   * Evaluates the values without a lock, and completes the draft only if it has not changed since they were read. Undefined: another
   * request has changed or locked it. Throws 422 if strict completion rejects the draft.
   */
  private async completeUnlocked(
    read: SubmissionWithForm<ReadSubmission>,
    reference: SubmissionReference,
    changes: SubmissionChanges,
  ): Promise<CompletedSubmission | undefined> {
    const executor = this.database.forRequest(reference);
    const { form, submission: draft } = read;
    const { status, updated_at } = requireUnchanged(draft, reference);
    if (status === 'completed') return this.completeAgain(executor, form, reference, changes);
    const asRead = { ...reference, ifMatch: [updated_at] };
    const checked = await this.check(executor, read, reference, changes);
    const complete = (executor: Executor) => this.completeChecked(executor, checked, asRead, changes);
    const { admissions } = checked;
    const isOneStatement =
      this.versions.isKept(form) && admissions.length === 0 && form.rules.computed === undefined;
    const submission = await (isOneStatement
      ? complete(executor)
      : transactionOrUndone(executor, complete, admissions[0]?.row));
    if (submission === undefined) return undefined;
    this.versions.remember(form);
    return { submission, form };
  }

  /** Locks the draft first, so that even writers that never pause cannot change it before it is completed. */
  private async completeLocked(
    reference: SubmissionReference,
    changes: SubmissionChanges,
  ): Promise<CompletedSubmission> {
    const attempt = async (executor: Executor): Promise<CompletedSubmission> => {
      const draft = await this.drafts.lock(executor, reference);
      const read = await this.drafts.readLocked(executor, reference, draft);
      const { form } = read;
      if (draft.status === 'completed') return this.completeAgain(executor, form, reference, changes);
      const checked = await this.check(executor, read, reference, changes);
      const submission = await this.completeChecked(executor, checked, reference, changes);
      if (submission === undefined) throw new RowLockedError();
      return { submission, form };
    };
    const completed = await this.database.forRequest(reference).transaction(attempt, reference.uuid);
    if (completed.submission.completed_version === completed.form.version)
      this.versions.remember(completed.form);
    return completed;
  }

  /** Evaluates the values. Throws 422 if strict completion or a guard rejects them. */
  private async check(
    executor: Executor,
    { form, submission: stored }: SubmissionWithForm<ReadSubmission>,
    reference: SubmissionReference,
    { extension }: SubmissionChanges,
  ): Promise<Checked> {
    const submission = extension === undefined ? stored : { ...stored, ...extension };
    const changed = { form, submission };
    const errors = form.isCompletionStrict ? await this.fieldErrors(executor, reference.uuid, changed) : {};
    const admissions = this.guards.beforeCompleting(form);
    if (admissions.length === 0) throwIfInvalid(errors);
    const { values, records } = submission;
    const hidden = await findHiddenValueNames(form, submission);
    const completion = { reference, form, records, hidden, isDone: false };
    await requireAdmitted(executor, completion, admissions, errors);
    return { completion, admissions, values };
  }

  /** Completes the draft, and keeps the schema of its version in the same transaction (N3). */
  private async completeChecked(
    executor: Executor,
    { completion, admissions, values }: Checked,
    reference: SubmissionReference,
    changes: SubmissionChanges,
  ): Promise<PatchedSubmission | undefined> {
    const { form, hidden } = completion;
    // A version is kept as it is now, so the form must still have it, and so must one whose formulas have computed values.
    const { computed } = form.rules;
    const isChecked = form.isCompletionStrict || computed !== undefined || !this.versions.isKept(form);
    await storeComputedValues(executor, reference.uuid, form, values);
    const patch = patchOf(changes, form, isChecked, hidden);
    const completed = await update(executor, PATCH_SUBMISSION, reference, patch);
    if (completed === undefined) return undefined;
    await requireAdmitted(executor, { ...completion, isDone: true }, admissions);
    await this.versions.keep(executor, form);
    return completed;
  }
}
