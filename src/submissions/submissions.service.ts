import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { databaseUnavailableProblem } from '../http/errors/problems.js';
import { CompletionService } from './completion/completion.service.js';
import { DraftsService, ifCompleted, update } from './drafts/drafts.service.js';
import { FIND_SUBMISSION_WITH_VALUES } from './drafts/read.statements.js';
import { SubmissionFormsService } from './drafts/submission-forms.service.js';
import type { IncludeQuery } from './dto/include-query.dto.js';
import type { PatchSubmissionDto } from './dto/patch-submission.dto.js';
import { IncludedConditionsService } from './included-conditions.service.js';
import type { SubmissionReference } from './submission-reference.decorator.js';
import { SubmissionExtenders } from './submission-extenders.js';
import type { SubmissionState } from './submission-state.js';
import { presentState, presentSubmissionWithValues } from './submission.presenter.js';
import {
  DELETE_SUBMISSION,
  PATCH_SUBMISSION,
  patchOf,
  type SubmissionChanges,
} from './submission.statements.js';

/** Maximum number of attempts to read a submission and its form as of one version. */
const ATTEMPTS = 20;

/** Reads, changes and deletes a submission. */
@Injectable()
export class SubmissionsService {
  constructor(
    private readonly database: Database,
    private readonly drafts: DraftsService,
    private readonly forms: SubmissionFormsService,
    private readonly completion: CompletionService,
    private readonly extenders: SubmissionExtenders,
    private readonly conditions: IncludedConditionsService,
  ) {}

  /** Returns the submission with its values, as it is in the version of the form (N1). */
  async get(reference: SubmissionReference, query: IncludeQuery): Promise<SubmissionState> {
    const executor = this.database.forRequest(reference);
    for (let attempts = 1; ; attempts += 1) {
      const state = await this.drafts.read(FIND_SUBMISSION_WITH_VALUES, reference, async (read) => {
        const { submission: stored, form } = read;
        const position = await this.drafts.positionOf(executor, reference, form, stored);
        if (position.form_version !== form.version) {
          // Another program is changing the form. Read both again.
          this.forms.forgetForm(form.id);
          return undefined;
        }
        const shown = presentSubmissionWithValues({ submission: Object.assign(stored, position), form });
        return this.conditions.include(shown, reference, query, read);
      });
      if (state !== undefined) return state;
      if (attempts === ATTEMPTS) throw databaseUnavailableProblem();
    }
  }

  /** Completes the submission, stores its meta and columns of capabilities, or all of it (S3, S5). */
  async patch(reference: SubmissionReference, body: PatchSubmissionDto): Promise<SubmissionState> {
    const executor = this.database.forRequest(reference);
    const extension = this.extenders.columnsIn(body);
    const { status, meta } = body;
    const changes: SubmissionChanges = { status, meta, extension };
    if (Object.values(changes).every((change) => change === undefined))
      return presentState(await this.drafts.find(executor, reference));
    const { submission, form } = await (changes.status === 'completed'
      ? this.completion.complete(reference, changes)
      : this.change(reference, changes));
    const position = await this.drafts.positionOf(executor, reference, form, submission);
    return presentState(Object.assign(submission, position));
  }

  private async change(reference: SubmissionReference, changes: SubmissionChanges) {
    const executor = this.database.forRequest(reference);
    await this.drafts.requireWritable(executor, reference);
    const submission = await this.drafts.write(
      executor,
      reference,
      (executor) => update(executor, PATCH_SUBMISSION, reference, patchOf(changes)),
      // The meta of a completed submission may change (S3).
      (found) => (changes.status === 'draft' ? ifCompleted(found) : undefined),
    );
    return { submission, form: await this.forms.withId(executor, submission.form_id) };
  }

  /** Deletes a draft with its values and records (O2, S3). */
  async delete(reference: SubmissionReference): Promise<void> {
    await this.drafts.write(this.database.forRequest(reference), reference, (executor) =>
      update(executor, DELETE_SUBMISSION, reference),
    );
    this.forms.forget(reference.uuid);
  }
}
