import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller.decorator.js';
import { ChangeListener } from '../../database/change-listener.js';
import { CoherentCache } from '../../database/coherent-cache.js';
import { Database } from '../../database/database.js';
import { RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import { oncePerVersion } from '../../forms/extends-form.js';
import type { PublishedField, PublishedForm } from '../../forms/published-form.js';
import type { FieldErrors, Problem } from '../../http/errors/problems.js';
import {
  type Admission,
  type Beginning,
  type Completion,
  GuardsSubmissions,
  type SubmissionGuard,
} from '../../submissions/guards-submissions.js';
import { numberList } from '../../submissions/submission.columns.js';
import {
  CLOSES_ANY_DRAFTS,
  FIND_FULL_OPTIONS,
  FIND_LIMITS,
  FIND_OBSTACLE,
  HAS_CLOSED_DRAFTS,
} from './availability.statements.js';
import {
  answeredProblem,
  AVAILABILITY_PROBLEMS,
  cannotBeginProblem,
  formClosedProblem,
  fullProblem,
  optionFullError,
} from './problems.js';

const DRAFTS = 'drafts';

/** Rejects submissions outside of the opening time of a form, and beyond its limits (D2 to D6). The clock is the database's. */
@GuardsSubmissions()
@Injectable()
export class AvailabilityGuard implements SubmissionGuard {
  /** Counts rejected requests, by code. */
  readonly rejected = {
    ...{ not_open_yet: 0, closed: 0, already_answered: 0, quota_reached: 0, option_full: 0, form_closed: 0 },
  };
  private readonly closing: CoherentCache<{ readonly closes: boolean }>;

  constructor(
    private readonly database: Database,
    listener: ChangeListener,
  ) {
    this.closing = new CoherentCache(listener, { maxSize: 1, sizeOf: () => 1, keysOf: () => [DRAFTS] });
    listener.on('form', () => {
      this.closing.forget(DRAFTS);
      // The next write then need not read it. If this fails, the write reads it.
      void this.rejectsWrites().catch(() => undefined);
    });
  }

  beforeBeginning({ id, extension }: PublishedForm, { userId, scope }: Caller): Beginning | undefined {
    const { opens_at, closes_at, max_submissions, max_per_user } = extension;
    const isLimited = [opens_at, closes_at, max_submissions, max_per_user].some((limit) => limit !== null);
    if (!isLimited || scope?.beginsTests === true) return undefined;
    return {
      name: 'available',
      condition: 'formtrail_obstacle(user_id, form_id) is null',
      rejection: async (executor) => {
        const [found] = await executor.query(FIND_OBSTACLE, [userId, id]);
        if (found === undefined || found.reason === null) return undefined;
        this.rejected[found.reason] += 1;
        return cannotBeginProblem({ ...found, reason: found.reason });
      },
    };
  }

  async rejectsWrites(): Promise<boolean> {
    const found = await this.closing.get(DRAFTS, async (onRead) => {
      const [row] = await this.database.query(CLOSES_ANY_DRAFTS);
      onRead();
      return row;
    });
    return found?.closes === true;
  }

  async rejectionOfWrite(
    executor: Executor,
    { id, extension }: PublishedForm,
    { scope }: Caller,
  ): Promise<Problem | undefined> {
    if (!extension.closes_drafts || extension.closes_at === null || scope?.beginsTests === true)
      return undefined;
    const [found] = await executor.query(HAS_CLOSED_DRAFTS, [id]);
    return found?.isClosed === true ? this.count(formClosedProblem()) : undefined;
  }

  beforeCompleting(form: PublishedForm): Admission | undefined {
    const { max_submissions, max_per_user } = form.extension;
    const limits = { ofForm: max_submissions !== null || max_per_user !== null, ofOptions: hasPlaces(form) };
    if (!limits.ofForm && !limits.ofOptions) return undefined;
    return {
      row: `counts of form ${form.id}`,
      fieldErrors: (executor, completion) =>
        limits.ofOptions ? this.fullOptions(executor, completion) : Promise.resolve({}),
      rejection: async (executor, { reference, isDone }) => {
        if (!limits.ofForm) return undefined;
        const [found] = await executor.query(FIND_LIMITS, [reference.uuid, isDone ? 0 : 1]);
        if (found?.isAnswered === true) return this.count(answeredProblem());
        return found?.isFull === true ? this.count(fullProblem()) : undefined;
      },
    };
  }

  private async fullOptions(executor: Executor, completion: Completion): Promise<FieldErrors> {
    const { reference, form, records, hidden, isDone } = completion;
    const [found] = await executor.query(FIND_FULL_OPTIONS, [
      reference.uuid,
      hidden.length === 0 ? null : numberList(hidden),
      isDone ? 0 : 1,
    ]);
    const errors: FieldErrors = {};
    for (const [fieldId, recordKey, value] of found?.options ?? []) {
      const field = form.fieldsById.get(fieldId);
      // The form has changed since it was read: repeat with the current form.
      if (field === undefined) throw new RowLockedError();
      this.rejected.option_full += 1;
      for (const key of keysOf(form, field, recordKey, records))
        errors[key] = [...(errors[key] ?? []), optionFullError(field.code, value)];
    }
    return errors;
  }

  private count(problem: Problem): Problem {
    if (problem.code in AVAILABILITY_PROBLEMS)
      this.rejected[problem.code as keyof typeof AVAILABILITY_PROBLEMS] += 1;
    return problem;
  }
}

const hasPlaces = oncePerVersion((form: PublishedForm) =>
  form.fields.some(({ optionExtensions }) => optionExtensions.some(({ places }) => places !== null)),
);

/** The keys that strict completion gives to errors of a value. */
function keysOf(
  form: PublishedForm,
  { code, entity, isRepeatable }: PublishedField,
  recordKey: number,
  records: Completion['records'],
): string[] {
  if (isRepeatable) return [recordKey === 0 ? code : `${code}.${recordKey}`];
  // The single value of a field of an entity counts for each record.
  const own = form.entitiesByName.get(entity ?? '')?.id;
  const ids = records.filter(([, entityId]) => entityId === own).map(([id]) => id);
  return ids.length === 0 ? [code] : ids.map((id) => `${code}.${id}`);
}
