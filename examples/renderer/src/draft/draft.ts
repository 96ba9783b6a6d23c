import {
  ChangedError,
  type FormSchema,
  FormtrailError,
  InvalidError,
  NetworkError,
  type NewValue,
  NotFoundError,
  type SubmissionRecord,
  type SubmissionWithValues,
  UnauthenticatedError,
} from 'formtrail-client';
import { leaveDraft } from '../route';
import { sentenceOfMistake, sentenceOfProblem } from '../sentences';
import { client } from '../service';
import { Store } from '../store';
import { type AnswerKey, groupKey, type PlaceKey, recordIdOf } from './answer-key';
import { AnswerQueue, mayPass } from './answer-queue';
import {
  announcementOf,
  type DraftView,
  type Focus,
  heardAgain,
  openedView,
  progressAt,
  type Saving,
} from './draft-view';
import { completionProblems, firstProblem, problemsOn, withoutThoseHere } from './problems';
import { type Entry, type Group, questionsOf, type States, walkedSteps } from './questions';
import type { Messages } from './refusals';
import { askedAnswers, storedAnswers } from './stored-answers';
import { UnsavedAnswers } from './unsaved-answers';

const PAUSE_IN_TYPING = 600;
/** Each change costs a request; near the limit fewer of them are better than a minute's wait. */
const FEW_REQUESTS = 10;
const PAUSE_WHEN_FEW = 5_000;

/** What a request changes is what the states depend on: they come with its answer. */
const WITH_STATES = { include: 'conditions', scope: 'records' } as const;

const CHANGED_ELSEWHERE =
  'These answers were changed in another window or on another device. This is how they are now: look them through, then go on.';

/** A submission that is being filled in: what is shown of it, and all that a person can do with it. */
export class Draft {
  readonly view: Store<DraftView>;
  private readonly uuid: string;
  /** Set while nobody knows whether the request to complete has arrived. */
  private mayBeCompleted = false;
  private readonly unsaved: UnsavedAnswers;
  private readonly queue: AnswerQueue;
  private remainingRequests = Number.POSITIVE_INFINITY;
  private moveKey = randomKey();

  static async open(formUuid: string, uuid: string): Promise<Draft> {
    const [form, submission] = await Promise.all([
      client.getFormSchema(formUuid),
      client.getSubmission(uuid, WITH_STATES),
    ]);
    return new Draft(form.data, submission.data, submission.conditions);
  }

  private constructor(form: FormSchema, submission: SubmissionWithValues, states: States) {
    this.uuid = submission.uuid;
    this.unsaved = new UnsavedAnswers(submission.uuid);
    this.view = new Store(openedView(form, submission, states));
    this.queue = new AnswerQueue({
      unsaved: this.unsaved,
      store: (values) => this.store(values),
      resolveStates: () => this.resolveStates(),
      onRefused: (messages) => this.show({ refusals: new Map([...this.view.state.refusals, ...messages]) }),
      onFailure: (error) => void this.recover(error),
      onProgress: () => this.show({ saving: this.saving() }),
    });
    this.adopt(submission);
  }

  /** Until `close`: sends what an earlier visit left unsaved, and goes on when the connection is back. */
  start(): void {
    addEventListener('online', this.queue.send);
    document.addEventListener('visibilitychange', this.sendBeforeHidden);
    if (this.view.state.outcome !== 'open') return;
    if (!this.queue.isSettled) this.queue.send();
    this.fillDefaults();
    void this.leaveUnwalkedStep();
  }

  close(): void {
    removeEventListener('online', this.queue.send);
    document.removeEventListener('visibilitychange', this.sendBeforeHidden);
    this.queue.close();
  }

  /** `typing` is saved when it pauses, a `choice` at once. */
  change(key: AnswerKey, value: string, by: 'typing' | 'choice'): void {
    const { values, refusals, problems } = this.view.state;
    this.show({
      values: new Map(values).set(key, value),
      refusals: without(refusals, key),
      problems: without(problems, key),
      notice: undefined,
    });
    const isNearLimit = this.remainingRequests < FEW_REQUESTS;
    const pause = isNearLimit ? PAUSE_WHEN_FEW : PAUSE_IN_TYPING;
    this.queue.change(key, value, by === 'typing' ? pause : isNearLimit ? PAUSE_IN_TYPING : 0);
  }

  /** To a group: nothing is in it that nobody added. */
  addEntry({ entity, entries }: Group): Promise<void> {
    const key = groupKey(entity.name);
    const place = this.view.state.form.entities.indexOf(entity);
    return this.oneAtATime('moving', () =>
      this.queue.inTurn(async () => {
        // The same key until the answer has arrived, as for a move: nobody gets two entries for one.
        const options = { idempotencyKey: `add-${place}-${this.moveKey}` };
        try {
          const { data: record } = await client.createRecord(this.uuid, entity.name, options);
          this.moveKey = randomKey();
          const { records, problems } = this.view.state;
          this.show({
            records: [...records.filter(({ id }) => id !== record.id), record],
            problems: without(problems, key),
            announcement: heardAgain(`${entity.label} ${entries.length + 1} added`, this.view.state),
            focus: { on: 'entry', recordId: record.id },
          });
        } catch (error) {
          if (!(error instanceof InvalidError) || isAboutAnotherState(error)) throw error;
          const sentence = error.errors.map(sentenceOfMistake).join(' ');
          this.show({ problems: new Map(this.view.state.problems).set(key, sentence) });
          return;
        }
        await this.resolveStates();
      }),
    );
  }

  /** With the answers in it, those too that are still to be sent. */
  removeEntry({ record, name }: Entry): Promise<void> {
    const key = groupKey(record.entity);
    return this.oneAtATime('moving', () =>
      this.queue.inTurn(async () => {
        try {
          await client.deleteRecord(this.uuid, record.id);
        } catch (error) {
          // Another window was faster, or the answer to an earlier attempt was lost.
          if (!(error instanceof FormtrailError) || error.code !== 'record_not_found') throw error;
        }
        this.forgetEntries(({ id }) => id === record.id);
        this.show({
          problems: without(this.view.state.problems, key),
          announcement: heardAgain(`${name} removed`, this.view.state),
          focus: { on: 'place', key },
        });
        await this.resolveStates();
      }),
    );
  }

  next(): Promise<void> {
    return this.oneAtATime('moving', async () => {
      await this.queue.flush();
      const problems = problemsOn([this.view.state.position], this.view.state);
      if (problems.size > 0) {
        this.show({ problems, problemsElsewhere: [], focus: { on: 'problems' } });
        return;
      }
      this.show({ problems: withoutThoseHere(this.view.state), problemsElsewhere: [] });
      const next = this.walked().find((position) => position > this.view.state.position);
      if (next !== undefined) await this.walkTo(next, { on: 'heading' });
    });
  }

  back(): Promise<void> {
    return this.oneAtATime('moving', async () => {
      await this.queue.flush();
      const previous = this.walked().findLast((position) => position < this.view.state.position);
      if (previous !== undefined) await this.walkTo(previous, { on: 'heading' });
    });
  }

  submit(): Promise<void> {
    return this.oneAtATime('submitting', async () => {
      await this.queue.flush();
      const problems = problemsOn(this.walked(), this.view.state);
      if (problems.size > 0) return this.leadTo(problems);
      // What is completed is what was seen: compared here, and held by If-Match from here on.
      const stored = await client.getSubmission(this.uuid, WITH_STATES);
      const { data: submission, etag } = stored;
      if (submission.status === 'completed' || !this.shows(submission)) {
        this.adoptChanged(stored);
        return;
      }
      this.mayBeCompleted = true;
      try {
        await client.patchSubmission(this.uuid, { status: 'completed' }, { ifMatch: etag });
      } catch (error) {
        this.mayBeCompleted = mayPass(error);
        if (!(error instanceof InvalidError) || isAboutAnotherState(error)) throw error;
        const { problems, problemsElsewhere } = completionProblems(error.errors, this.view.state);
        return this.leadTo(problems, problemsElsewhere);
      }
      this.end('completed-here');
    });
  }

  private async store(values: NewValue[]): Promise<void> {
    const { conditions, remaining } = await client.storeValues(this.uuid, values, WITH_STATES);
    this.adoptStates(conditions, remaining);
  }

  private async resolveStates(): Promise<void> {
    const { data, records, remaining } = await client.resolveConditions(this.uuid, { scope: 'records' });
    this.adoptStates({ data, records }, remaining);
  }

  private adoptStates(states: States, remaining = Number.POSITIVE_INFINITY): void {
    this.remainingRequests = remaining;
    this.showStates({ states, announcement: announcementOf(states, this.view.state) });
  }

  /** A record that has no states was removed elsewhere. */
  private showStates(change: Partial<DraftView> & Pick<DraftView, 'states'>): void {
    const isRemoved = ({ id }: SubmissionRecord) => !(id in change.states.records);
    const changedElsewhere = this.view.state.records.some(isRemoved) && {
      notice: CHANGED_ELSEWHERE,
      focus: { on: 'heading' } as const,
    };
    this.forgetEntries(isRemoved);
    this.show({ ...change, ...changedElsewhere });
    this.fillDefaults();
  }

  private forgetEntries(isForgotten: (record: SubmissionRecord) => boolean): void {
    const { records, values, refusals, problems } = this.view.state;
    const forgotten = new Set(records.filter(isForgotten).map(({ id }) => id));
    if (forgotten.size === 0) return;
    const isLeft = (key: PlaceKey) => {
      const recordId = recordIdOf(key);
      return recordId === undefined || !forgotten.has(recordId);
    };
    this.unsaved.drop((key) => !isLeft(key));
    this.show({
      records: records.filter(({ id }) => !forgotten.has(id)),
      values: new Map([...values].filter(([key]) => isLeft(key))),
      refusals: new Map([...refusals].filter(([key]) => isLeft(key))),
      problems: new Map([...problems].filter(([key]) => isLeft(key))),
    });
  }

  /** Where nothing is stored for a field that the person sees now, its default is: it can be seen, so it is an answer. */
  private fillDefaults(): void {
    const { steps, position, values, outcome } = this.view.state;
    const step = steps[position - 1]?.step;
    if (step === undefined || outcome !== 'open' || !this.walked().includes(position)) return;
    for (const { field, key } of questionsOf(step, this.view.state)) {
      if (field.default_value !== null && !values.has(key)) this.change(key, field.default_value, 'choice');
    }
  }

  private walked(): number[] {
    return walkedSteps(this.view.state.steps, this.view.state).map(({ position }) => position);
  }

  /** Shows the first step that has a problem. */
  private async leadTo(problems: Messages, problemsElsewhere: readonly string[] = []): Promise<void> {
    // Nothing is being submitted any more: the answers can be changed, and focused.
    this.show({ problems, problemsElsewhere, busy: 'moving' });
    const first = firstProblem(problems, this.view.state);
    if (first === undefined) this.show({ focus: { on: 'problems' } });
    else if (first.position !== this.view.state.position) {
      await this.walkTo(first.position, { on: 'place', key: first.key });
    } else this.show({ focus: { on: 'place', key: first.key } });
  }

  /** Step by step, as the service moves; the steps between are passed over. */
  private async walkTo(target: number, focus: Focus): Promise<void> {
    let { position, progress, states } = this.view.state;
    while (position !== target) {
      const direction = position < target ? 'advance' : 'retreat';
      // The same key until the answer has arrived: a move whose answer was lost is not made twice.
      const idempotencyKey = `${direction}-${this.moveKey}`;
      const options = { ...WITH_STATES, idempotencyKey };
      const { data, conditions } = await this.queue.inTurn(() =>
        direction === 'advance'
          ? client.advanceSubmission(this.uuid, options)
          : client.retreatSubmission(this.uuid, options),
      );
      this.moveKey = randomKey();
      // Not the neighbour necessarily: another window may have moved the submission too.
      position = data.current_step;
      progress = data.progress_percentage;
      states = conditions;
    }
    this.showStates({ position, progress, states, focus, notice: undefined, announcement: '' });
  }

  /** A draft may be opened on a step that is not to be shown. */
  private leaveUnwalkedStep(): Promise<void> {
    return this.oneAtATime('moving', async () => {
      const { position } = this.view.state;
      const walked = this.walked();
      if (walked.includes(position)) return;
      const target = walked.find((other) => other > position) ?? walked.at(-1);
      if (target !== undefined) await this.walkTo(target, { on: 'heading' });
    });
  }

  private async oneAtATime(busy: 'moving' | 'submitting', work: () => Promise<void>): Promise<void> {
    if (this.view.state.busy !== 'no') return;
    this.show({ busy });
    try {
      await work();
    } catch (error) {
      await this.recover(error);
    } finally {
      this.show({ busy: 'no' });
    }
  }

  private async recover(error: unknown): Promise<void> {
    // The page asks for another token by itself, and opens the draft again with it.
    if (error instanceof UnauthenticatedError) return;
    if (error instanceof NotFoundError) {
      this.show({ outcome: 'gone' });
      return;
    }
    if (mayPass(error)) {
      this.queue.tryAgainAfter(error);
      this.show({ saving: savingAfter(error) });
      return;
    }
    if (isAboutAnotherState(error)) {
      try {
        this.adoptChanged(await client.getSubmission(this.uuid, WITH_STATES));
        return;
      } catch (failure) {
        return this.recover(failure);
      }
    }
    if (!(error instanceof FormtrailError)) throw error;
    this.show({ saving: { kind: 'failing', reason: sentenceOfProblem(error) } });
  }

  private adoptChanged({
    data: submission,
    conditions: states,
  }: {
    data: SubmissionWithValues;
    conditions: States;
  }): void {
    const { current_step: position } = submission;
    const progress = progressAt(position, this.view.state.steps.length);
    this.show({ states, position, progress, notice: CHANGED_ELSEWHERE, focus: { on: 'heading' } });
    this.adopt(submission);
    this.fillDefaults();
  }

  /** Shows what is stored, and over it what is still to be. */
  private adopt(submission: SubmissionWithValues): void {
    const { form } = this.view.state;
    const { records } = submission;
    const values = storedAnswers(submission, form);
    const isCompleted = submission.status === 'completed';
    const ids = new Set(records.map(({ id }) => id));
    this.forgetEntries(({ id }) => !ids.has(id));
    // What an earlier visit left unsaved in an entry that is gone by now.
    const isAsked = askedAnswers(form);
    this.unsaved.drop((key) => {
      const recordId = recordIdOf(key);
      return !isAsked(key) || (recordId !== undefined && !ids.has(recordId));
    });
    const unsaved = isCompleted ? [] : this.unsaved.entries();
    this.show({ values: new Map([...values, ...unsaved]), records, saving: this.saving() });
    if (isCompleted) this.end(this.mayBeCompleted ? 'completed-here' : 'completed-elsewhere');
  }

  /** Whether this is what the person sees; what was refused is not expected to be stored. */
  private shows(submission: SubmissionWithValues): boolean {
    const { form, values, records, refusals } = this.view.state;
    const stored = storedAnswers(submission, form);
    return (
      idsOf(submission.records) === idsOf(records) &&
      [...stored.keys(), ...values.keys()].every(
        (key) => refusals.has(key) || (stored.get(key) ?? '') === (values.get(key) ?? ''),
      )
    );
  }

  private end(outcome: 'completed-here' | 'completed-elsewhere'): void {
    this.queue.close();
    this.unsaved.clear();
    leaveDraft(this.view.state.form.uuid);
    this.show({ outcome, focus: { on: 'heading' } });
  }

  private saving(): Saving {
    if (!this.queue.isSettled) return { kind: 'saving' };
    return { kind: this.view.state.refusals.size > 0 ? 'partly-refused' : 'saved' };
  }

  private show(change: Partial<DraftView>): void {
    this.view.set({ ...this.view.state, ...change });
  }

  private readonly sendBeforeHidden = (): void => {
    if (document.visibilityState === 'hidden' && !this.queue.isSettled) this.queue.send();
  };
}

/** A write that builds on what is no longer so: 412, or a 422 that finds no fault with what was sent. */
function isAboutAnotherState(error: unknown): boolean {
  return error instanceof ChangedError || (error instanceof InvalidError && error.code !== 'invalid_data');
}

function savingAfter(error: unknown): Saving {
  return error instanceof NetworkError
    ? { kind: 'offline' }
    : { kind: 'failing', reason: error instanceof FormtrailError ? sentenceOfProblem(error) : '' };
}

function without(messages: Messages, key: PlaceKey): Messages {
  return new Map([...messages].filter(([name]) => name !== key));
}

function idsOf(records: readonly SubmissionRecord[]): string {
  return records
    .map(({ id }) => id)
    .sort((one, other) => one - other)
    .join();
}

/** `crypto.randomUUID` is there for pages that came over HTTPS only. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
