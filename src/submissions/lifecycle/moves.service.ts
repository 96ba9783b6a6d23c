import { Injectable } from '@nestjs/common';
import { RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import { stepStates } from '../../conditions/states/step-states.js';
import {
  alreadyCompleted,
  alreadyOnFirstStep,
  alreadyOnLastStep,
  type Problem,
} from '../../http/errors/problems.js';
import { inSlices } from '../../http/slices.js';
import { CompletionService } from '../completion/completion.service.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { SubmissionReference } from '../submission-reference.decorator.js';
import {
  ADVANCE_SUBMISSION,
  MOVE_SUBMISSION,
  RETREAT_SUBMISSION,
  SETTLE_SUBMISSION,
} from '../lifecycle/move.statements.js';
import type {
  FoundSubmission,
  MovedSubmission,
  SubmissionRow,
  ValuesAndRecordsRow,
} from '../submission.rows.js';
import { versionOf } from '../submission.columns.js';
import { SubmissionFormsService } from './submission-forms.service.js';
import { SubmissionWriter, throwIfInvalid, update } from './submission-writer.service.js';
import { type Found, SubmissionsService } from './submissions.service.js';

export interface SubmissionMove {
  readonly moved: Pick<SubmissionRow, 'uuid' | 'current_step' | 'updated_at'>;
  /** The position among the visible steps. Omitted if all steps count: then it is `current_step`. */
  readonly position?: number;
  /** The number of steps that count. */
  readonly stepCount: number;
  readonly formVersion: number;
}

type Direction = 'advance' | 'retreat';

interface MoveOptions {
  readonly key: string | undefined;
  /** Checks the current step first (S12). */
  readonly validates?: boolean;
  /** Moves to a visible step with a visible field (C13). */
  readonly skipsHidden: boolean;
}

const STATEMENTS = { advance: ADVANCE_SUBMISSION, retreat: RETREAT_SUBMISSION };

/** Moves drafts between the steps of their form. */
@Injectable()
export class MovesService {
  constructor(
    private readonly forms: SubmissionFormsService,
    private readonly idempotency: IdempotencyService,
    private readonly writer: SubmissionWriter,
    private readonly submissions: SubmissionsService,
    private readonly completion: CompletionService,
  ) {}

  /** Moves by one step (S7, S8, S9). */
  move(
    direction: Direction,
    reference: SubmissionReference,
    { key, validates = false, skipsHidden }: MoveOptions,
  ): Promise<SubmissionMove> {
    const { userId, uuid } = reference;
    const name = [direction, ...(validates ? ['validated'] : []), ...(skipsHidden ? ['visible'] : [])];
    const request = { userId, key, operation: [name.join(' '), uuid], row: uuid };
    if (!validates && !skipsHidden)
      return this.idempotency.once(request, (executor) => this.moveByOne(executor, direction, reference));
    return this.idempotency.onceInTransaction(request, (executor) =>
      this.moveChecked(executor, direction, reference, { validates, skipsHidden }),
    );
  }

  private async moveByOne(
    executor: Executor,
    direction: Direction,
    reference: SubmissionReference,
  ): Promise<SubmissionMove> {
    const statement = STATEMENTS[direction];
    const moved = await this.writer.write(
      executor,
      reference,
      async (executor) => {
        const moved = await executor.batch(statement, versionOf(reference));
        if (moved !== undefined) return moved;
        const settled = await update(executor, SETTLE_SUBMISSION, reference);
        return settled && executor.batch(statement, versionOf(reference));
      },
      (draft) => (isAtEnd(direction, draft) ? atEnd(direction) : undefined),
    );
    const form = await this.forms.withId(executor, moved.form_id);
    const placed = await this.writer.place(executor, reference, form, moved);
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
    { validates, skipsHidden }: Required<Pick<MoveOptions, 'validates' | 'skipsHidden'>>,
  ): Promise<SubmissionMove> {
    const draft = await this.writer.lockUnchanged(executor, reference);
    if (draft.status === 'completed') throw alreadyCompleted();
    const found = await this.submissions.findLocked(executor, reference, draft);
    const { steps, version } = found.form;
    const positions = skipsHidden ? await visiblePositions(found) : steps.map((_, index) => index + 1);
    const index =
      direction === 'advance'
        ? positions.findIndex((position) => position > draft.current_step)
        : positions.findLastIndex((position) => position < draft.current_step);
    const target = positions[index];
    const step = steps[(target ?? 0) - 1];
    if (target === undefined || step === undefined) throw atEnd(direction);
    if (validates) await this.checkStep(executor, reference, draft, found);
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
    found: Found<ValuesAndRecordsRow>,
  ): Promise<void> {
    const stepNumber = found.form.steps[current_step - 1]?.stepNumber;
    throwIfInvalid(await this.completion.fieldErrors(executor, reference, found, stepNumber));
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
  direction === 'advance' ? alreadyOnLastStep() : alreadyOnFirstStep();

/** The positions of the steps that are visible and have a visible field, from 1. */
async function visiblePositions({ form, submission }: Found<ValuesAndRecordsRow>): Promise<number[]> {
  const searching = form.rules.search(submission.values);
  const searches = searching && (await inSlices(searching));
  const { steps } = await inSlices(stepStates(form, submission, searches));
  return steps.flatMap(({ isVisible, hasVisibleFields }, index) =>
    isVisible && hasVisibleFields ? [index + 1] : [],
  );
}
