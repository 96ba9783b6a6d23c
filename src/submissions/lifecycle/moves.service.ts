import { Injectable } from '@nestjs/common';
import { RowLockedError } from '../../database/database-errors.js';
import type { BatchedStatement, Executor } from '../../database/statement.js';
import { stepStates } from '../../forms/states/step-states.js';
import {
  alreadyCompleted,
  alreadyOnFirstStep,
  alreadyOnLastStep,
  type Problem,
} from '../../http/errors/problems.js';
import { inSlices } from '../../http/slices.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import type { SubmissionReference } from '../submission-reference.decorator.js';
import {
  ADVANCE_SUBMISSION,
  FIND_VALUES_AND_RECORDS,
  type FoundSubmission,
  MOVE_SUBMISSION,
  type MovedSubmission,
  RETREAT_SUBMISSION,
  type ValuesAndRecordsRow,
} from '../submission.statements.js';
import { SubmissionFormsService } from './submission-forms.service.js';
import { SubmissionWriter, throwIfInvalid, update } from './submission-writer.service.js';
import { type Found, SubmissionsService } from './submissions.service.js';

export interface SubmissionMove {
  readonly moved: MovedSubmission;
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
    if (skipsHidden)
      return this.idempotency.onceInTransaction(request, (executor) =>
        this.moveToVisible(executor, direction, reference, validates),
      );
    const move = (executor: Executor) =>
      this.moveByOne(executor, reference, STATEMENTS[direction], (draft) =>
        isAtEnd(direction, draft) ? atEnd(direction) : undefined,
      );
    if (!validates) return this.idempotency.once(request, move);
    return this.idempotency.onceInTransaction(request, async (executor) => {
      await this.requireValidStep(executor, reference);
      return move(executor);
    });
  }

  private async moveByOne(
    executor: Executor,
    reference: SubmissionReference,
    statement: BatchedStatement<MovedSubmission>,
    rejection: (draft: FoundSubmission) => Problem | undefined,
  ): Promise<SubmissionMove> {
    const moved = await this.writer.write(
      executor,
      reference,
      (executor) => update(executor, statement, reference),
      rejection,
    );
    const { steps, version } = await this.forms.withId(executor, moved.form_id);
    return { moved, stepCount: steps.length, formVersion: version };
  }

  /** Throws 422 if the values of the current step are invalid (S12). The draft stays locked until the transaction ends. */
  private async requireValidStep(executor: Executor, reference: SubmissionReference): Promise<void> {
    const draft = await this.writer.lockUnchanged(executor, reference);
    // The move itself throws these errors, which take precedence.
    if (draft.status === 'completed' || isAtEnd('advance', draft)) return;
    const found = await this.readLocked(executor, reference, draft);
    await this.checkStep(executor, reference, draft, found);
  }

  /**
   * Moves to the nearest step in this direction that is visible and has a visible field (C13). The draft is locked first, so that the stored values stay
   * as they were evaluated.
   */
  private async moveToVisible(
    executor: Executor,
    direction: Direction,
    reference: SubmissionReference,
    validates: boolean,
  ): Promise<SubmissionMove> {
    const draft = await this.writer.lockUnchanged(executor, reference);
    if (draft.status === 'completed') throw alreadyCompleted();
    const found = await this.readLocked(executor, reference, draft);
    const positions = await visiblePositions(found);
    const index =
      direction === 'advance'
        ? positions.findIndex((position) => position > draft.current_step)
        : positions.findLastIndex((position) => position < draft.current_step);
    const target = positions[index];
    if (target === undefined) throw atEnd(direction);
    if (validates) await this.checkStep(executor, reference, draft, found);
    const moved = await update(executor, MOVE_SUBMISSION, reference, [draft.current_step, target]);
    if (moved === undefined) throw new RowLockedError();
    const { version } = found.form;
    return { moved, position: index + 1, stepCount: positions.length, formVersion: version };
  }

  private async readLocked(
    executor: Executor,
    reference: SubmissionReference,
    draft: FoundSubmission,
  ): Promise<Found<ValuesAndRecordsRow>> {
    const found = await this.submissions.find(executor, FIND_VALUES_AND_RECORDS, reference);
    if (found.form.steps.length === draft.step_count) return found;
    // Another program is changing the form. Retry with the current form.
    this.forms.forgetForm(found.form.id);
    throw new RowLockedError();
  }

  private async checkStep(
    executor: Executor,
    reference: SubmissionReference,
    { current_step }: FoundSubmission,
    found: Found<ValuesAndRecordsRow>,
  ): Promise<void> {
    const stepNumber = found.form.steps[current_step - 1]?.stepNumber;
    throwIfInvalid(await this.submissions.fieldErrors(executor, reference, found, stepNumber));
  }
}

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
