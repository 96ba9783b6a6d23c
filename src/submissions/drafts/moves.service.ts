import { Injectable } from '@nestjs/common';
import { RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import { stepStates } from '../../conditions/states/step-states.js';
import {
  alreadyOnFirstStepProblem,
  alreadyOnLastStepProblem,
  type Problem,
} from '../../http/errors/problems.js';
import { inSlices } from '../../http/slices.js';
import { CompletionService } from '../completion/completion.service.js';
import type { AdvanceQuery, RetreatQuery } from '../dto/include-query.dto.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { IncludedConditionsService } from '../included-conditions.service.js';
import type { SubmissionReference } from '../submission-reference.decorator.js';
import type { SubmissionState } from '../submission-state.js';
import { presentProgress, type SubmissionMove } from '../submission.presenter.js';
import type {
  FoundSubmission,
  MovedSubmission,
  ReadSubmission,
  ValuesAndRecordsRow,
} from '../submission.rows.js';
import { versionOf } from '../submission.columns.js';
import {
  DraftsService,
  ifCompleted,
  type SubmissionWithForm,
  throwIfInvalid,
  update,
} from './drafts.service.js';
import {
  ADVANCE_SUBMISSION,
  MOVE_SUBMISSION,
  RETREAT_SUBMISSION,
  SETTLE_SUBMISSION,
} from './move.statements.js';
import { SubmissionFormsService } from './submission-forms.service.js';

type Direction = 'advance' | 'retreat';

interface MoveOptions {
  /** If true, the current step is validated first (S12). */
  readonly validates: boolean;
  /** If true, hidden steps and steps without a visible field are skipped (C13). */
  readonly skipsHidden: boolean;
}

const STATEMENTS = { advance: ADVANCE_SUBMISSION, retreat: RETREAT_SUBMISSION };

/** Moves drafts between the steps of their form. */
@Injectable()
export class MovesService {
  constructor(
    private readonly drafts: DraftsService,
    private readonly forms: SubmissionFormsService,
    private readonly idempotency: IdempotencyService,
    private readonly completion: CompletionService,
    private readonly conditions: IncludedConditionsService,
  ) {}

  advance(reference: SubmissionReference, query: AdvanceQuery): Promise<SubmissionState> {
    return this.moveAndInclude('advance', reference, query, query.validate === 'true');
  }

  retreat(reference: SubmissionReference, query: RetreatQuery): Promise<SubmissionState> {
    return this.moveAndInclude('retreat', reference, query, false);
  }

  private async moveAndInclude(
    direction: Direction,
    reference: SubmissionReference,
    query: RetreatQuery,
    validates: boolean,
  ): Promise<SubmissionState> {
    const options = { validates, skipsHidden: query.skip === 'hidden' };
    const moved = await this.move(direction, reference, options);
    return this.conditions.include(presentProgress(moved), reference, query);
  }

  /** Moves by one step (S7, S8, S9). */
  private move(
    direction: Direction,
    reference: SubmissionReference,
    options: MoveOptions,
  ): Promise<SubmissionMove> {
    const { uuid } = reference;
    const { validates, skipsHidden } = options;
    const name = [direction, ...(validates ? ['validated'] : []), ...(skipsHidden ? ['visible'] : [])];
    const request = { caller: reference, operation: [name.join(' '), uuid], row: uuid };
    return validates || skipsHidden
      ? this.idempotency.onceInTransaction(request, (executor) =>
          this.moveChecked(executor, direction, reference, options),
        )
      : this.idempotency.once(request, (executor) => this.moveByOne(executor, direction, reference));
  }

  private async moveByOne(
    executor: Executor,
    direction: Direction,
    reference: SubmissionReference,
  ): Promise<SubmissionMove> {
    const statement = STATEMENTS[direction];
    await this.drafts.requireWritable(executor, reference);
    const moved = await this.drafts.write(
      executor,
      reference,
      async (executor) => {
        const moved = await executor.batch(statement, versionOf(reference));
        if (moved !== undefined) return moved;
        const settled = await update(executor, SETTLE_SUBMISSION, reference);
        return settled && executor.batch(statement, versionOf(reference));
      },
      (found) => ifCompleted(found) ?? (isAtEnd(direction, found) ? atEnd(direction) : undefined),
    );
    this.forms.remember(reference, moved.form_id);
    const form = await this.forms.withId(executor, moved.form_id);
    const placed = await this.drafts.positionOf(executor, reference, form, moved);
    return {
      moved: movedTo(placed.current_step, moved),
      stepCount: placed.step_count,
      formVersion: placed.form_version,
    };
  }

  /**
   * Moves after a look at the stored values: to the nearest step in this direction that is visible and has a visible field (C13),
   * only if the current step is valid (S12), or both. The draft is locked first, so that the values stay as they were evaluated.
   * The move itself fails unless the form still has the version that they were evaluated with.
   */
  private async moveChecked(
    executor: Executor,
    direction: Direction,
    reference: SubmissionReference,
    { validates, skipsHidden }: MoveOptions,
  ): Promise<SubmissionMove> {
    const draft = await this.drafts.lockDraft(executor, reference);
    const read = await this.drafts.readLocked(executor, reference, draft);
    const { steps, version } = read.form;
    const positions = skipsHidden ? await visiblePositions(read) : steps.map((_, index) => index + 1);
    const index =
      direction === 'advance'
        ? positions.findIndex((position) => position > draft.current_step)
        : positions.findLastIndex((position) => position < draft.current_step);
    const target = positions[index];
    const step = steps[(target ?? 0) - 1];
    if (target === undefined || step === undefined) throw atEnd(direction);
    if (validates) await this.checkStep(executor, reference, draft, read);
    const moved = await update(executor, MOVE_SUBMISSION, reference, [step.id, target, version]);
    if (moved === undefined) throw new RowLockedError();
    return {
      moved: movedTo(target, moved),
      ...(skipsHidden && { position: index + 1 }),
      stepCount: positions.length,
      formVersion: version,
    };
  }

  private async checkStep(
    executor: Executor,
    reference: SubmissionReference,
    { current_step }: FoundSubmission,
    read: SubmissionWithForm<ReadSubmission>,
  ): Promise<void> {
    const stepNumber = read.form.steps[current_step - 1]?.stepNumber;
    throwIfInvalid(await this.completion.fieldErrors(executor, reference.uuid, read, stepNumber));
  }
}

const movedTo = (current_step: number, { uuid, updated_at }: MovedSubmission): SubmissionMove['moved'] => ({
  uuid,
  current_step,
  updated_at,
});

const isAtEnd = (direction: Direction, { current_step, step_count }: FoundSubmission): boolean =>
  direction === 'advance' ? current_step >= step_count : current_step <= 1 || step_count === 0;

const atEnd = (direction: Direction): Problem =>
  direction === 'advance' ? alreadyOnLastStepProblem() : alreadyOnFirstStepProblem();

/** The positions of the steps that are visible and have a visible field, from 1. */
async function visiblePositions({
  form,
  submission,
}: SubmissionWithForm<ValuesAndRecordsRow>): Promise<number[]> {
  const searching = form.rules.search(submission.values);
  const searches = searching && (await inSlices(searching));
  const { steps } = await inSlices(stepStates(form, submission, searches));
  return steps.flatMap(({ isVisible, hasVisibleFields }, index) =>
    isVisible && hasVisibleFields ? [index + 1] : [],
  );
}
