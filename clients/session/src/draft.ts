import {
  ChangedError,
  FormtrailError,
  InvalidError,
  type Mistake,
  NetworkError,
  NotFoundError,
  type ResumeCode,
  UnauthenticatedError,
} from 'formtrail-client';
import { type AnswerKey, groupKey, type Place } from './answer-key.js';
import { Answers } from './answers.js';
import { Autosave, mayPass } from './autosave.js';
import type { NamedFile } from './file-mistakes.js';
import type { KnownFiles } from './known-files.js';
import { mistakesOf } from './mistakes.js';
import { Observable } from './observable.js';
import { discardDraft, type DraftOptions, openSubmission, unsavedAnswers } from './opening.js';
import type { Respondent } from './respondent.js';
import { SerialQueue } from './serial-queue.js';
import {
  BEGINNING,
  type Obstacle,
  obstacleOn,
  shownDraft,
  type Situation,
  withMistakes,
} from './situation.js';
import type { DraftSnapshot, ShownDraft } from './snapshot.js';
import { failToLoad, type StoredSubmission } from './stored-submission.js';
import type { Uploads } from './uploads.js';
import { isQuestion, placesOf } from './view.js';

/** Milliseconds. */
const PAUSE_IN_TYPING = 600;
/** With fewer requests left in the minute, save less often, because exceeding the rate limit costs up to a minute's wait. */
const FEW_REQUESTS = 10;
const PAUSE_WHEN_FEW = 5_000;
/** Maximum number of attempts of a write, if another write comes first each time. */
const MAX_ATTEMPTS = 10;

/** Components whose answers are chosen, not typed. */
const CHOSEN = /^(select|checkbox|radio|file)-input$/;

/**
 * Result of an action.
 *
 * - `done`: it succeeded.
 * - `last`: the step is valid, and no step follows it.
 * - `mistakes`: the user has to correct answers first; see `mistakes` of the snapshot.
 * - `changed`: another window has changed answers. The user has to review them, or resolve the `conflicts`, first.
 * - `failed`: see `failure` of the snapshot. The action can be repeated.
 * - `busy`: another action is running, so this one was ignored.
 * - `ended`: the draft is not open, or no longer open.
 */
export type Outcome = 'done' | 'last' | 'mistakes' | 'changed' | 'failed' | 'busy' | 'ended';

/** Aborts an action because the submission is no longer a draft. */
const ENDED = new Error();

/**
 * A submission that is being filled in: a store with snapshots for display, and the user's actions. It opens with its first
 * listener, or by {@link Draft.open}. When the last listener is removed, it sends unsaved answers and then stops retrying.
 */
export class Draft extends Observable<DraftSnapshot> {
  private readonly queue = new SerialQueue();
  private readonly autosave = new Autosave(() => this.retryAutomatically());
  private opening: Promise<Outcome> | undefined;
  private respondent: Respondent | undefined;
  /** The resume code to open the draft with; `''` to begin again. Kept while errors are temporary. */
  private code: string | undefined;
  private answers: Answers | undefined;
  private uploads: Uploads | undefined;
  private files: KnownFiles | undefined;
  private situation = BEGINNING;
  /** The stored state may differ from the last one read. */
  private isStale = false;
  /** The request to complete may have been executed, but its response was lost. */
  private mayBeCompleted = false;
  /** Idempotency key, so that a repeated request does not create a second draft. */
  private beginKey = randomKey();
  /** Idempotency keys by entity, kept until the entry is added, so that a repeated request does not add a second one. */
  private readonly entryKeys = new Map<string, string>();

  constructor(readonly options: DraftOptions) {
    super({ status: 'loading' });
  }

  /** Resolves once the draft is open or opening has failed; see the `status` of the snapshot. Never rejects. */
  async open(): Promise<void> {
    await (this.opening ??= this.queue.run(() => this.load()));
  }

  /**
   * Returns a code with which a respondent continues on another device, once and within 7 days. Saves first. Resolves to undefined if it
   * failed; the snapshot has the reason.
   */
  async resumeCode(): Promise<ResumeCode | undefined> {
    let code: ResumeCode | undefined;
    await this.act('moving', async (answers) => {
      await this.flush(answers);
      code = (await answers.submission.client.createResumeCode()).data;
      return 'done';
    });
    return code;
  }

  /**
   * Continues as the respondent of a resume code: opens the open draft of that respondent. An answer that is not saved yet stays on the
   * device; in the same submission, it is saved then. Resolves to `failed` if the code is not valid: then nothing has changed.
   */
  resume(code: string): Promise<Outcome> {
    return this.restart(code);
  }

  /** After the token has expired: begins a new draft as a new respondent, with the answers that the user sees, except files. */
  beginAgain(): Promise<Outcome> {
    return this.restart('');
  }

  /**
   * Ends a respondent's token, and deletes it and all unsaved answers from the device. Cancels uploads. An open draft then is
   * `discarded` here; its saved answers stay on the service. Call it on shared devices.
   */
  async signOut(): Promise<void> {
    if (this.respondent && this.openAnswers()) this.end('discarded', false);
    await this.respondent?.signOut();
  }

  /**
   * Changes an answer. Typed text is sent after a pause of 0.6 s, and a choice at once; near the rate limit after 5 s and 0.6 s. Until
   * then the answer is stored on the device. Cancels an upload for the question; `""` removes its file. Does nothing if the draft is
   * not open, or is being completed.
   *
   * @throws Error if the form has no such question
   */
  change(key: AnswerKey, value: string): void {
    const answers = this.openAnswers();
    // Ignore changes while completing, because only answers that the user has seen are completed.
    if (answers === undefined || this.situation.busy === 'completing') return;
    const { field } = placeOf(key, answers);
    this.uploads?.cancel(key);
    this.adopt(key, value, answers);
    const isChosen = CHOSEN.test(field.field_type.component);
    const isNearLimit = answers.submission.remaining < FEW_REQUESTS;
    if (isNearLimit) this.autosave.soon(isChosen ? PAUSE_IN_TYPING : PAUSE_WHEN_FEW);
    else this.autosave.soon(isChosen ? 0 : PAUSE_IN_TYPING);
  }

  /**
   * Uploads a file. Once it is stored, the file replaces the answer; until then it is the `upload` of its question. If the service
   * does not store files, the answer is the name of the file. Does nothing if the draft is not open, or is being completed.
   *
   * @throws Error if the form has no such question
   */
  upload(key: AnswerKey, file: NamedFile): void {
    const answers = this.openAnswers();
    if (answers === undefined || this.situation.busy === 'completing') return;
    this.uploads?.add(key, placeOf(key, answers), file);
    this.forget([key]);
  }

  /** Cancels an upload, or dismisses a rejected file. The answer does not change. */
  cancelUpload(key: AnswerKey): void {
    this.uploads?.cancel(key);
  }

  /** Resolves a conflict: `mine` overwrites the value that another window stored, `theirs` drops the value of this window. */
  resolve(key: AnswerKey, choice: 'mine' | 'theirs'): void {
    const answers = this.openAnswers();
    if (answers === undefined) return;
    answers.resolve(key, choice);
    this.update();
    this.autosave.now();
  }

  /**
   * Shows the field errors of one answer, without those for a missing answer. Call it when the user leaves an input. Does nothing while
   * an action is running, which validates the answers itself.
   */
  async check(key: AnswerKey): Promise<void> {
    const answers = this.openAnswers();
    const { busy } = this.situation;
    if (busy || !answers) return;
    await this.save();
    // After a failure nothing is shown, because moving validates the answers again.
    const mistakes = await import('./check.js')
      .then(({ mistakesIn }) => mistakesIn(key, answers))
      .catch(() => []);
    if (mistakes.length > 0 && !this.situation.busy && answers === this.openAnswers())
      this.showMistakes(mistakes, answers);
  }

  /** Sends unsaved answers at once. */
  async save(): Promise<Outcome> {
    const answers = this.openAnswers();
    if (answers === undefined) return 'ended';
    try {
      await this.flush(answers);
    } catch (error) {
      return this.recover(error);
    }
    if (answers.refused.size > 0) return 'mistakes';
    return answers.conflicts.size > 0 ? 'changed' : 'done';
  }

  /** Repeats failed opening, saving and uploads at once. Call it after the user has signed in again, or asks for a retry. */
  retry(): void {
    if (this.getSnapshot().status === 'failed') {
      this.opening = undefined;
      void this.open();
      return;
    }
    this.autosave.now();
    this.uploads?.retry();
  }

  /** Waits for the uploads of the current step, then moves to the next shown step, unless the current one has field errors. */
  next(): Promise<Outcome> {
    return this.act('moving', async (answers) => {
      const { steps, step } = await this.leave(answers);
      const obstacle = obstacleOn(step);
      if (obstacle !== undefined) return obstacle.outcome;
      const target = steps.find(({ position }) => position > this.situation.position);
      if (target !== undefined) return this.walkTo(target.position, answers);
      if (step === undefined) return 'last';
      // There is no next step to advance to, so validate the current step in a separate request.
      const { step_number } = answers.submission.form.steps[step.position - 1] ?? {};
      const validated = this.showMistakes(await answers.submission.validate(step_number), answers);
      return obstacleOn(validated.step)?.outcome ?? 'last';
    });
  }

  /** Moves to the previous shown step, without validation. Resolves to `done` on the first step too. */
  back(): Promise<Outcome> {
    return this.act('moving', async (answers) => {
      const { steps } = await this.flush(answers);
      const before = steps.filter(({ position }) => position < this.situation.position).at(-1);
      return before === undefined ? 'done' : this.walkTo(before.position, answers);
    });
  }

  /** Moves to the shown step at `position`. On the way forward, stops at the first step with field errors. */
  goTo(position: number): Promise<Outcome> {
    return this.act('moving', async (answers) => {
      const isForward = position > this.situation.position;
      const { step } = await this.leave(answers, isForward);
      const obstacle = isForward ? obstacleOn(step) : undefined;
      return obstacle?.outcome ?? this.walkTo(position, answers);
    });
  }

  /** Adds an entry to the group of `entity`. Resolves to the id of the entry, or to undefined if it failed; the snapshot has the reason. */
  async addEntry(entity: string): Promise<number | undefined> {
    let id: number | undefined;
    await this.act('moving', async (answers) => {
      const key = this.entryKeys.get(entity) ?? randomKey();
      this.entryKeys.set(entity, key);
      try {
        const added = await this.write(answers, () => answers.submission.addRecord(entity, key));
        await this.queue.run(() => this.reread(answers));
        id = added;
      } catch (error) {
        const [mistake] = mistakesOf(error);
        if (mistake === undefined) throw error;
        this.entryKeys.delete(entity);
        this.update({ invalid: new Map(this.situation.invalid).set(groupKey(entity), mistake) });
        return 'mistakes';
      }
      this.entryKeys.delete(entity);
      this.forget([groupKey(entity)]);
      return 'done';
    });
    return id;
  }

  /** Removes the entry with this id and its answers, including unsaved ones. */
  removeEntry(id: number): Promise<Outcome> {
    return this.act('moving', async (answers) => {
      const entity = answers.submission.records.find((record) => record.id === id)?.entity ?? '';
      try {
        await this.write(answers, () => answers.submission.removeRecord(id));
      } catch (error) {
        // Another window, or an earlier attempt whose response was lost, has removed it already.
        if ((error as Partial<FormtrailError>).code !== 'record_not_found') throw error;
      }
      await this.queue.run(() => this.reread(answers));
      this.forget([groupKey(entity)]);
      return 'done';
    });
  }

  /**
   * Completes the submission with the answers that the user sees, or moves to the first step with a conflict or a field error. Field
   * errors are shown even if the form's completion policy is lenient (S13).
   */
  complete(): Promise<Outcome> {
    return this.act('completing', async (answers) => {
      this.update({ invalid: new Map() });
      await this.uploads?.settle();
      const { steps, form, changedElsewhere, formChanged } = await this.flush(answers);
      const obstacle = obstacleOn(...steps);
      if (obstacle !== undefined) return this.leadTo(obstacle, answers);
      if (changedElsewhere || formChanged) return 'changed';
      // Strict completion validates the answers itself.
      const mistakes = form.completion === 'strict' ? [] : await answers.submission.validate();
      const found = obstacleOn(...this.showMistakes(mistakes, answers).steps);
      if (found !== undefined) return this.leadTo(found, answers);
      // Field errors that no step shows do not stop a lenient completion: let the service decide.
      this.update({ unplaced: [] });
      const outcome = await this.queue.run(() => this.completeSeen(answers));
      const refused =
        outcome === 'mistakes' ? obstacleOn(...shownDraft(answers, this.situation).steps) : undefined;
      return refused ? this.leadTo(refused, answers) : outcome;
    });
  }

  /** Deletes the draft, and its unsaved answers on this device. */
  discard(): Promise<Outcome> {
    return this.act('discarding', async ({ submission }) => {
      await this.queue.run(() => discardDraft({ ...this.ownOptions, submission: submission.uuid }));
      this.end('discarded', false);
      return 'done';
    });
  }

  protected wake(): void {
    this.autosave.watch();
    this.uploads?.watch();
    if (this.getSnapshot().status === 'failed') this.retry();
    else void this.open();
    if (this.openAnswers()?.sendable.length) this.autosave.now();
    if ('form' in this.getSnapshot()) this.update();
  }

  protected rest(): void {
    this.autosave.unwatch();
    this.autosave.stop();
    this.uploads?.unwatch();
    this.files?.stop();
    if (this.openAnswers()?.sendable.length) void this.save();
  }

  /** The options, or those of the respondent. */
  private get ownOptions(): DraftOptions {
    return this.respondent?.options ?? this.options;
  }

  private async load(): Promise<Outcome> {
    this.show({ status: 'loading' });
    try {
      // With a code, the respondent needs another token.
      const options = this.code === undefined ? this.ownOptions : this.options;
      const submission = await openSubmission(options, this.beginKey, async (schema) => {
        if (schema.access !== 'public' && this.code === undefined) return options;
        const own = await (await this.loadRespondent()).start(schema, this.code);
        this.code = undefined;
        return own;
      });
      this.code = undefined;
      // If a respondent has got another token, keep everything that is not saved yet.
      if (this.answers?.submission.uuid === submission.uuid) this.isStale = true;
      else await this.adoptSubmission(submission);
    } catch (error) {
      return this.failToOpen(error);
    }
    this.autosave.succeeded();
    if (this.answers?.submission.status === 'completed') this.end('completed', false);
    else this.update({ trouble: undefined, failure: undefined });
    this.retry();
    return 'done';
  }

  private async adoptSubmission(submission: StoredSubmission): Promise<void> {
    const answers = new Answers(submission, unsavedAnswers(submission.uuid, this.ownOptions.storage));
    this.uploads?.close();
    this.files?.stop();
    if (submission.places.haveFiles) await this.loadFileSupport(submission, answers);
    await this.respondent?.opened(answers, this.answers);
    this.answers = answers;
    this.situation = { ...BEGINNING, position: submission.currentStep };
  }

  private failToOpen(error: unknown): Outcome {
    if (this.code !== undefined && this.answers) {
      // The user sees the draft again, and can repeat the action.
      this.code = undefined;
      this.update({ failure: error });
      return 'failed';
    }
    this.show({ status: 'failed', error, respondent: this.respondent?.state });
    if (!mayPass(error)) this.code = undefined;
    else if (this.hasListeners) this.autosave.againAfter(error);
    return 'failed';
  }

  /** Opens the draft as another respondent. */
  private async restart(code: string): Promise<Outcome> {
    if (this.situation.busy !== undefined) return 'busy';
    this.autosave.stop();
    this.code = code;
    this.beginKey = randomKey();
    return (this.opening = this.queue.run(() => this.load()));
  }

  /** Loads the chunk that only visitors of public forms need. */
  private async loadRespondent(): Promise<Respondent> {
    const { Respondent } = await import('./respondent.js').catch(failToLoad);
    this.respondent ??= new Respondent(this.options, (progress) =>
      this.show({ status: 'loading', progress }),
    );
    return this.respondent;
  }

  /** Loads the chunk that only forms with files need. */
  private async loadFileSupport(submission: StoredSubmission, answers: Answers): Promise<void> {
    const { KnownFiles, Uploads } = await import('./files.js').catch(failToLoad);
    this.files = new KnownFiles(submission, () => this.update());
    this.uploads = new Uploads(submission, {
      changed: () => this.uploads && this.update(this.uploads.shown),
      stored: (key, value) => {
        this.adopt(key, value, answers);
        this.autosave.soon(0);
      },
    });
    if (this.hasListeners) this.uploads.watch();
  }

  /** Stores a new answer and drops the field error of the previous one. */
  private adopt(key: AnswerKey, value: string, answers: Answers): void {
    answers.change(key, value);
    this.forget([key]);
  }

  /** Called by the timer and by browser events: saves, or repeats opening after a temporary error. */
  private retryAutomatically(): void {
    const snapshot = this.getSnapshot();
    if (snapshot.status !== 'failed') void this.save();
    else if (mayPass(snapshot.error)) this.retry();
  }

  private openAnswers(): Answers | undefined {
    return this.getSnapshot().status === 'open' ? this.answers : undefined;
  }

  /** Runs an action, unless another one is running. */
  private async act(
    busy: NonNullable<ShownDraft['busy']>,
    action: (answers: Answers) => Promise<Outcome>,
  ): Promise<Outcome> {
    const answers = this.openAnswers();
    if (answers === undefined) return 'ended';
    if (this.situation.busy !== undefined) return 'busy';
    this.update({
      busy,
      failure: undefined,
      changedElsewhere: false,
      formChanged: undefined,
      unplaced: [],
    });
    try {
      return await action(answers);
    } catch (error) {
      const outcome = this.recover(error);
      if (outcome === 'failed') this.update({ failure: error });
      return outcome;
    } finally {
      this.update({ busy: undefined });
    }
  }

  /** Before the step is left: sends the answers, and drops the step's field errors, which may be outdated. */
  private async leave(answers: Answers, isForward = true): Promise<ShownDraft> {
    if (isForward) await this.uploads?.settle(this.keysHere(answers));
    await this.flush(answers);
    return this.forget(this.keysHere(answers));
  }

  /** Drops the field errors of these questions and groups. */
  private forget(keys: readonly string[]): ShownDraft {
    const invalid = [...this.situation.invalid].filter(([key]) => !keys.includes(key));
    return this.update({ invalid: new Map(invalid) });
  }

  private keysHere(answers: Answers): string[] {
    const { step } = shownDraft(answers, this.situation);
    return step === undefined ? [] : placesOf(step).map(({ key }) => key);
  }

  /** Sends all changes so far, after the requests in flight. */
  private async flush(answers: Answers): Promise<ShownDraft> {
    this.autosave.stop();
    const hasSaved = this.situation.hasSaved || answers.sendable.length > 0;
    await this.write(answers, () => answers.store());
    if (this.isStale || answers.areOutdated) await this.queue.run(() => this.refresh(answers));
    this.autosave.succeeded();
    return this.update({ trouble: undefined, hasSaved });
  }

  /** Queues a write. If another write came first, reads the new state and repeats the write. */
  private write<Result>(answers: Answers, send: () => Promise<Result>): Promise<Result> {
    return this.queue.run(async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const result = await send();
          if (answers.submission.isOutdated) await this.refresh(answers);
          return result;
        } catch (error) {
          if (!(error instanceof ChangedError) || attempt === MAX_ATTEMPTS) throw error;
          await this.refresh(answers);
        }
      }
    });
  }

  /** Reads the new state after another write, and sets `changedElsewhere` if the user can see a change. */
  private async refresh(answers: Answers): Promise<void> {
    const isChanged = await this.reread(answers);
    this.update(isChanged ? { changedElsewhere: true } : {});
  }

  /** Returns true if the user now sees something that they did not enter. */
  private async reread(answers: Answers): Promise<boolean> {
    const { submission, values } = answers;
    const isChanged = await answers.refresh();
    this.isStale = false;
    if (submission.explain) {
      if (submission.places.haveFiles && !this.uploads) await this.loadFileSupport(submission, answers);
      this.update(submission.explain(values, this.situation.position));
      submission.explain = undefined;
    }
    this.uploads?.cancelOutside(new Set([null, ...answers.submission.records.map(({ id }) => id)]));
    if (answers.submission.status === 'completed') {
      this.end('completed', !this.mayBeCompleted);
      throw ENDED;
    }
    return isChanged;
  }

  /**
   * Moves from one shown step to the next, as the service does. Validates the shown steps on the way forward. If another window has
   * hidden the target, moves to the next shown step behind it, or stops if there is none.
   */
  private async walkTo(target: number, answers: Answers): Promise<Outcome> {
    const { submission } = answers;
    const isForward = submission.currentStep < target;
    while (isForward ? submission.currentStep < target : submission.currentStep > target) {
      const from = submission.currentStep;
      try {
        await this.write(answers, async () => {
          // Another window, or an earlier request whose response was lost, may have moved the submission.
          if (submission.currentStep !== from) return;
          const { steps } = shownDraft(answers, this.situation);
          if (isForward) await submission.advance(steps.some(({ position }) => position === from));
          else await submission.retreat();
        });
      } catch (error) {
        const mistakes = mistakesOf(error);
        if (isAtEnd(error)) break;
        if (mistakes.length === 0) throw error;
        this.update({ position: from });
        this.showMistakes(mistakes, answers);
        return 'mistakes';
      }
    }
    this.update({ position: submission.currentStep });
    return 'done';
  }

  private async leadTo({ outcome, position }: Obstacle, answers: Answers): Promise<Outcome> {
    await this.walkTo(position, answers);
    return outcome;
  }

  /** Completes only the state that the user has seen. If another write changed it visibly, resolves to `changed` instead. */
  private async completeSeen(answers: Answers, attempt = 1): Promise<Outcome> {
    this.mayBeCompleted = true;
    try {
      await answers.submission.complete();
    } catch (error) {
      if (error instanceof ChangedError && attempt < MAX_ATTEMPTS) {
        await this.refresh(answers);
        this.mayBeCompleted = false;
        return this.situation.changedElsewhere ? 'changed' : this.completeSeen(answers, attempt + 1);
      }
      this.mayBeCompleted = mayPass(error);
      const mistakes = mistakesOf(error);
      if (mistakes.length === 0) throw error;
      this.showMistakes(mistakes, answers);
      return 'mistakes';
    }
    this.end('completed', false);
    return 'done';
  }

  private showMistakes(mistakes: readonly Mistake[], answers: Answers): ShownDraft {
    return this.update(withMistakes(mistakes, answers, this.situation));
  }

  private recover(error: unknown): Outcome {
    if (error === ENDED) return this.situation.endedElsewhere ? 'ended' : 'done';
    if (error instanceof NotFoundError) {
      this.end('discarded', true);
      return 'ended';
    }
    const kind = troubleOf(error);
    if (kind === undefined) throw error;
    this.update({ trouble: { kind, error } });
    // The request may have been executed although its response was lost, or it may not fit the current state.
    this.isStale = true;
    const hasWrongState = error instanceof InvalidError && error.code !== 'invalid_data';
    if (this.hasListeners && (mayPass(error) || hasWrongState)) this.autosave.againAfter(error);
    return 'failed';
  }

  private end(status: 'completed' | 'discarded', endedElsewhere: boolean): void {
    this.autosave.stop();
    this.uploads?.cancelOutside();
    this.answers?.clear();
    const { position, hasSaved } = this.situation;
    this.update({ ...BEGINNING, status, endedElsewhere, position, hasSaved });
  }

  private update(change: Partial<Situation> = {}): ShownDraft {
    this.situation = { ...this.situation, ...change, respondent: this.respondent?.state };
    // Only a draft that was opened is updated.
    const answers = this.answers as Answers;
    let shown = shownDraft(answers, this.situation);
    if (this.situation.status === 'open' && this.adjustStep(shown, answers))
      shown = shownDraft(answers, this.situation);
    this.show(shown);
    const answered = [...Object.values(shown.values), ...shown.conflicts.map(({ theirs }) => theirs)];
    this.files?.follow(answered, this.hasListeners);
    return shown;
  }

  /**
   * Leaves a hidden step: a draft may be opened on one, and an answer may hide the current one. Then stores the default values of
   * unanswered questions on the step, because the user sees them as answers. Returns true if anything changed.
   */
  private adjustStep({ steps, step }: ShownDraft, answers: Answers): boolean {
    const { position } = this.situation;
    const here = step ?? steps.find((one) => one.position > position) ?? steps.at(-1);
    if (here === undefined) return false;
    this.situation = { ...this.situation, position: here.position };
    const { values } = answers;
    const unanswered = placesOf(here)
      .filter(isQuestion)
      .filter(({ key, field }) => field.default_value !== null && !values.has(key));
    for (const { key, field } of unanswered) answers.change(key, field.default_value ?? '');
    if (unanswered.length > 0) this.autosave.soon(0);
    return here !== step || unanswered.length > 0;
  }
}

function placeOf(key: AnswerKey, { submission }: Answers): Place {
  const place = submission.places.of(key);
  if (place === undefined) throw new Error(`The form has no question "${key}".`);
  return place;
}

/** No step is shown in this direction (S7). */
function isAtEnd(error: unknown): boolean {
  return error instanceof InvalidError && /^already_on/.test(error.code ?? '');
}

function troubleOf(error: unknown) {
  if (error instanceof UnauthenticatedError) return 'signed-out';
  if (error instanceof NetworkError) return 'offline';
  return error instanceof FormtrailError ? 'failing' : undefined;
}

/** Not `crypto.randomUUID`, which exists only in secure contexts, such as HTTPS pages. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
