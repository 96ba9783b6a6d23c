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
import type * as Actions from './actions.js';
import type { AnswerKey, Place } from './answer-key.js';
import { Answers } from './answers.js';
import { Autosave, mayPass } from './autosave.js';
import { isComputed } from './components.js';
import type { NamedFile } from './file-mistakes.js';
import type { KnownFiles } from './known-files.js';
import { Observable } from './observable.js';
import {
  canonicalTag,
  discardDraft,
  type DraftOptions,
  earlyOwner,
  isLimited,
  isMultilingual,
  openSubmission,
  unsavedAnswers,
} from './opening.js';
import type { Respondent } from './respondent.js';
import { randomKey } from './random-key.js';
import { SerialQueue } from './serial-queue.js';
import { BEGINNING, shownDraft, type Situation, withMistakes } from './situation.js';
import type { DraftSnapshot, ShownDraft } from './snapshot.js';
import { failToLoad, type StoredSubmission } from './stored-submission.js';
import type { Uploads } from './uploads.js';
import { UnsavedAnswers } from './unsaved-answers.js';
import { isQuestion, placesOf, positionOf } from './view.js';

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
 * - `ended`: the draft is not open, or no longer open, or can only be read; see `unavailable` of the snapshot.
 */
export type Outcome = 'done' | 'last' | 'mistakes' | 'changed' | 'failed' | 'busy' | 'ended';

/** Aborts an action because the submission is no longer a draft. */
const ENDED = new Error();

/**
 * A submission that is being filled in: a store with snapshots for display, and the user's actions. It opens with its first
 * listener, or by {@link Draft.open}. When the last listener is removed, it sends unsaved answers and then stops retrying.
 */
export class Draft extends Observable<DraftSnapshot> {
  private readonly serialQueue = new SerialQueue();
  private readonly autosave = new Autosave(() => this.retryAutomatically());
  private opening: Promise<Outcome> | undefined;
  private respondent: Respondent | undefined;
  /** The resume code to open the draft with; `''` to begin again. Kept while errors are temporary. */
  private code: string | undefined;
  private answers: Answers | undefined;
  private uploads: Uploads | undefined;
  private files: KnownFiles | undefined;
  private shownSituation = BEGINNING;
  /** The stored state may differ from the last one read. */
  private isStale = false;
  /** The request to complete may have been executed, but its response was lost. */
  private mayBeCompleted = false;
  /** Idempotency key, so that a repeated request does not create a second draft. The one on the device comes first. */
  private beginKey = randomKey();
  /** The language that the page asks for. */
  private locale: string | undefined;

  constructor(readonly options: DraftOptions) {
    super({ status: 'loading' });
    this.locale = options.locale;
  }

  /** Resolves once the draft is open or opening has failed; see the `status` of the snapshot. Never rejects. */
  async open(): Promise<void> {
    await (this.opening ??= this.serialQueue.run(() => this.load()));
  }

  /**
   * Returns a code with which a respondent continues on another device, once and within 7 days. Begins and saves first. Resolves to
   * undefined if it failed; the snapshot has the reason.
   */
  async resumeCode(): Promise<ResumeCode | undefined> {
    let code: ResumeCode | undefined;
    await this.act('moving', async (answers) => {
      await this.begin(answers);
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
    if (this.respondent && this.openAnswers(true)) this.end('discarded', false);
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
    if (answers === undefined || this.shownSituation.busy === 'completing') return;
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
    if (answers === undefined || this.shownSituation.busy === 'completing') return;
    answers.isTouched = true;
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
    const { busy } = this.shownSituation;
    if (busy || !answers) return;
    await this.save();
    // After a failure nothing is shown, because moving validates the answers again.
    const mistakes = await import('./check.js')
      .then(({ mistakesIn }) => mistakesIn(key, answers))
      .catch(() => []);
    if (mistakes.length > 0 && !this.shownSituation.busy && answers === this.openAnswers())
      this.showMistakes(mistakes, answers);
  }

  /**
   * Shows the form in another language, and makes it the language of a submission that is not completed. All answers stay. With undefined,
   * the form is in the language of the submission. Rejects with a RangeError if the tag is malformed.
   */
  async setLocale(tag: string | undefined): Promise<Outcome> {
    return import('./language.js').then(
      ({ setLanguage }) => setLanguage(this, tag),
      () => 'failed',
    );
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
    return this.run('moving', ({ next }, answers) => next(this, answers));
  }

  /** Moves to the previous shown step, without validation. Resolves to `done` on the first step too. */
  back(): Promise<Outcome> {
    return this.run('moving', ({ back }, answers) => back(this, answers));
  }

  /** Moves to the shown step at `position`. On the way forward, stops at the first step with field errors. */
  goTo(position: number): Promise<Outcome> {
    const answers = this.openAnswers();
    const { steps = [] } = answers?.submission.form ?? {};
    // The user means the step that they see, even if the form changes meanwhile.
    const target = (steps[position - 1] ?? steps.at(-1))?.id;
    const isForward = answers !== undefined && position > this.position(answers);
    return this.run('moving', ({ goTo }, own) => goTo(this, own, target, isForward));
  }

  /** Adds an entry to the group of `entity`. Resolves to the id of the entry, or to undefined if it failed; the snapshot has the reason. */
  async addEntry(entity: string): Promise<number | undefined> {
    let id: number | undefined;
    await this.run('moving', async ({ addEntry }, answers) => {
      id = await addEntry(this, answers, entity);
      return 'done';
    });
    return id;
  }

  /** Removes the entry with this id and its answers, including unsaved ones. */
  removeEntry(id: number): Promise<Outcome> {
    return this.run('moving', ({ removeEntry }, answers) => removeEntry(this, answers, id));
  }

  /**
   * Completes the submission with the answers that the user sees, or moves to the first step with a conflict or a field error. Field
   * errors are shown even if the form's completion policy is lenient (S13).
   */
  complete(): Promise<Outcome> {
    return this.run('completing', ({ complete }, answers) => complete(this, answers));
  }

  /** Deletes the draft, and its unsaved answers on this device. */
  discard(): Promise<Outcome> {
    return this.act('discarding', async ({ submission }) => {
      if (submission.uuid)
        await this.serialQueue.run(() => discardDraft({ ...this.ownOptions, submission: submission.uuid }));
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
    this.watchLimits();
  }

  protected rest(): void {
    this.autosave.unwatch();
    this.autosave.stop();
    this.uploads?.unwatch();
    this.files?.stop();
    this.answers?.submission.limits?.unwatch();
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
      const { code } = this;
      const options = code === undefined ? this.ownOptions : this.options;
      const submission = await openSubmission(
        options,
        (this.locale = canonicalTag(this.locale)),
        async (schema) => {
          if (schema.access !== 'public' && code === undefined) return options;
          const own = await (await this.loadRespondent()).start(schema, code);
          this.code = undefined;
          return own;
        },
      );
      this.code = undefined;
      // A new respondent gets the answers of the last one. Only the service knows who may begin an inactive form.
      if (!submission.uuid && (code === '' || !submission.form.is_active)) await this.beginOn(submission);
      await this.loadLimits(submission);
      if (submission.isOutdated) await submission.refresh();
      if (isMultilingual(submission.form)) {
        const { openLanguage } = await import('./language.js').catch(failToLoad);
        await openLanguage(this, submission);
      }
      // If a respondent has got another token, keep everything that is not saved yet.
      if (this.answers?.submission.uuid === submission.uuid) this.isStale = true;
      else await this.adoptSubmission(submission);
    } catch (error) {
      return this.failToOpen(error);
    }
    this.autosave.succeeded();
    if (this.answers?.submission.status === 'completed') this.end('completed', false);
    else this.update({ trouble: undefined, failure: undefined });
    this.watchLimits();
    this.retry();
    return 'done';
  }

  private async adoptSubmission(submission: StoredSubmission): Promise<void> {
    const answers = new Answers(submission, await this.unsavedOf(submission));
    this.uploads?.close();
    this.files?.stop();
    this.answers?.submission.limits?.unwatch();
    if (submission.places.haveFiles) await this.loadFileSupport(submission, answers);
    const { prefill } = this.options;
    if (prefill) {
      const { allowedAnswers } = await import('./prefill.js').catch(failToLoad);
      answers.prefill = allowedAnswers(prefill, submission.form);
    }
    await this.respondent?.opened(answers, this.answers);
    this.answers = answers;
    this.shownSituation = { ...BEGINNING, stepId: submission.stepId };
  }

  /** The device's unsaved answers to the submission, with those that were entered before it was begun. */
  private async unsavedOf({ uuid, form }: StoredSubmission): Promise<UnsavedAnswers> {
    const { storage } = this.ownOptions;
    // The answers to a draft that has to be a new one must not appear in another one.
    if (this.options.submission === null && !uuid) return new UnsavedAnswers('', () => undefined);
    const early = unsavedAnswers(await earlyOwner(this.options, form), storage);
    if (!uuid) return early;
    const unsaved = unsavedAnswers(uuid, storage);
    if (this.options.submission === undefined) unsaved.take(early);
    return unsaved;
  }

  /**
   * Call before anything is written. From now on, the default values that the user sees are answers. Begins the submission, if it has not
   * begun: looking begins nothing (P11).
   */
  private async begin(answers: Answers): Promise<void> {
    const { submission } = answers;
    if (!answers.isTouched) {
      answers.isTouched = true;
      this.update();
    }
    if (submission.uuid) return;
    await this.serialQueue.run(async () => {
      if (submission.uuid) return;
      try {
        await this.beginOn(submission);
      } finally {
        this.update({ proof: undefined });
      }
      answers.begun(unsavedAnswers(submission.uuid, this.ownOptions.storage));
      this.respondent?.remember(submission.uuid);
      if (submission.isOutdated) await this.refreshShown(answers);
    });
  }

  /** Loads the chunk that only forms with limits need. */
  private async loadLimits(submission: StoredSubmission): Promise<void> {
    if (submission.limits || submission.status === 'completed' || !isLimited(submission.form)) return;
    const { openLimits } = await import('./limits.js').catch(failToLoad);
    await openLimits(this, submission);
  }

  private watchLimits(): void {
    if (this.hasListeners) this.openAnswers(true)?.submission.limits?.watch();
  }

  private async beginOn(submission: StoredSubmission): Promise<void> {
    const { beginSubmission } = await import('./begin.js').catch(failToLoad);
    await beginSubmission(submission, this.beginKey, async () =>
      this.respondent ? this.respondent.become(submission.form) : this.options,
    );
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
    if (this.shownSituation.busy !== undefined) return 'busy';
    this.autosave.stop();
    this.beginKey = randomKey();
    return (this.opening = this.serialQueue.run(() => {
      // Not before: an opening that has not ended yet would take the code for its own.
      this.code = code;
      return this.load();
    }));
  }

  /** Loads the chunk that only visitors of public forms need. */
  private async loadRespondent(): Promise<Respondent> {
    const { Respondent } = await import('./respondent.js').catch(failToLoad);
    this.respondent ??= new Respondent(this.options, (progress) => {
      if (this.openAnswers()) this.update({ proof: progress });
      else this.show({ status: 'loading', progress });
    });
    return this.respondent;
  }

  /** Loads the chunk that only forms with files need. */
  private async loadFileSupport(submission: StoredSubmission, answers: Answers): Promise<void> {
    const { KnownFiles, Uploads } = await import('./files.js').catch(failToLoad);
    this.files = new KnownFiles(submission, () => this.update());
    this.uploads = new Uploads(submission, {
      changed: () => this.uploads && this.update(this.uploads.shown),
      begin: () => this.begin(answers),
      stored: (key, value) => {
        this.adopt(key, value, answers);
        this.autosave.soon(0);
      },
    });
    if (this.hasListeners) this.uploads.watch();
  }

  /** Stores a new answer and drops the field error of the previous one. */
  private adopt(key: AnswerKey, value: string, answers: Answers): void {
    answers.isTouched = true;
    answers.change(key, value);
    this.forget([key], placeOf(key, answers));
  }

  /** Called by the timer and by browser events: saves, or repeats opening after a temporary error. */
  private retryAutomatically(): void {
    const snapshot = this.getSnapshot();
    if (snapshot.status !== 'failed') void this.save();
    else if (mayPass(snapshot.error)) this.retry();
  }

  /** Undefined if the draft is not open. If it can only be read, undefined unless `isForReading`. */
  private openAnswers(isForReading = false): Answers | undefined {
    const shown = this.getSnapshot();
    return shown.status === 'open' && (isForReading || !shown.isReadOnly) ? this.answers : undefined;
  }

  /** Runs an action of the chunk, unless another one is running. */
  private run(
    busy: NonNullable<ShownDraft['busy']>,
    action: (actions: typeof Actions, answers: Answers) => Promise<Outcome>,
  ): Promise<Outcome> {
    return this.act(busy, async (answers) => action(await import('./actions.js').catch(failToLoad), answers));
  }

  /** Runs an action, unless another one is running. */
  private async act(
    busy: NonNullable<ShownDraft['busy']>,
    action: (answers: Answers) => Promise<Outcome>,
  ): Promise<Outcome> {
    // A draft that can only be read can be deleted (D3).
    const answers = this.openAnswers(busy === 'discarding');
    if (answers === undefined) return 'ended';
    if (this.shownSituation.busy !== undefined) return 'busy';
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

  /**
   * Drops the field errors of these questions and groups. After a change, also those of rules that compare with the changed answer, of a
   * sum to which it belongs, and of computed answers.
   */
  private forget(keys: readonly string[], changed?: Place): ShownDraft {
    const code = changed?.field.code;
    const depends = (key: string, { field, params }: Mistake) =>
      field === code ||
      params['other_field_code'] === code ||
      isComputed(this.answers?.submission.places.of(key)?.field ?? {});
    const invalid = [...this.shownSituation.invalid].filter(
      ([key, mistake]) => !keys.includes(key) && !(code && depends(key, mistake)),
    );
    return this.update({ invalid: new Map(invalid) });
  }

  /** Sends all changes so far, after the requests in flight. */
  private async flush(answers: Answers): Promise<ShownDraft> {
    this.autosave.stop();
    const hasSaved = this.shownSituation.hasSaved || answers.sendable.length > 0;
    if (answers.sendable.length > 0) await this.begin(answers);
    await answers.submission.setLocale?.();
    await this.write(answers, () => answers.store());
    if (this.isStale || answers.areOutdated) await this.serialQueue.run(() => this.refreshShown(answers));
    this.autosave.succeeded();
    return this.update({ trouble: undefined, hasSaved });
  }

  /** Queues a write. If another write came first, reads the new state and repeats the write. */
  private write<Result>(answers: Answers, send: () => Promise<Result>): Promise<Result> {
    return this.serialQueue.run(async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const result = await send();
          if (answers.submission.isOutdated) await this.refreshShown(answers);
          return result;
        } catch (error) {
          if (!(error instanceof ChangedError) || attempt === MAX_ATTEMPTS) throw error;
          await this.refreshShown(answers);
        }
      }
    });
  }

  /** Reads the new state after another write, and sets `changedElsewhere` if the user can see a change. */
  private async refreshShown(answers: Answers): Promise<void> {
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
      await this.loadLimits(submission);
      this.watchLimits();
      this.update(submission.explain(values, this.shownSituation.stepId));
      submission.explain = undefined;
    }
    this.uploads?.cancelOutside(new Set([null, ...answers.submission.records.map(({ id }) => id)]));
    if (answers.submission.status === 'completed') {
      this.end('completed', !this.mayBeCompleted);
      throw ENDED;
    }
    return isChanged;
  }

  private showMistakes(mistakes: readonly Mistake[], answers: Answers): ShownDraft {
    return this.update(withMistakes(mistakes, answers, this.shownSituation));
  }

  private recover(error: unknown): Outcome {
    if (error === ENDED) return this.shownSituation.endedElsewhere ? 'ended' : 'done';
    if (error instanceof NotFoundError) {
      this.end('discarded', true);
      return 'ended';
    }
    const kind = troubleOf(error);
    if (kind === undefined) throw error;
    void this.answers?.submission.limits?.rejected(error);
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
    this.answers?.submission.limits?.unwatch();
    this.answers?.clear();
    const { stepId, hasSaved } = this.shownSituation;
    this.update({ ...BEGINNING, status, endedElsewhere, stepId, hasSaved });
  }

  private update(change: Partial<Situation> = {}): ShownDraft {
    this.shownSituation = { ...this.shownSituation, ...change, respondent: this.respondent?.state };
    // Only a draft that was opened is updated.
    const answers = this.answers as Answers;
    let shown = shownDraft(answers, this.shownSituation);
    if (this.shownSituation.status === 'open' && this.adjustStep(shown, answers))
      shown = shownDraft(answers, this.shownSituation);
    this.show(shown);
    const answered = [...Object.values(shown.values), ...shown.conflicts.map(({ theirs }) => theirs)];
    this.files?.follow(answered, this.hasListeners);
    return shown;
  }

  /**
   * Leaves a hidden step: a draft may be opened on one, and an answer may hide the current one. Then shows the default values of
   * unanswered questions on the step. Once the user has entered something, they are answers too. Returns true if anything changed.
   */
  private adjustStep({ steps, step }: ShownDraft, answers: Answers): boolean {
    const position = this.position(answers);
    const here = step ?? steps.find((one) => one.position > position) ?? steps.at(-1);
    if (here === undefined) return false;
    this.shownSituation = { ...this.shownSituation, stepId: here.id };
    const before = answers.defaults.size;
    answers.defaults = new Map();
    const { values, prefill } = answers;
    const defaults = placesOf(here)
      .filter(isQuestion)
      .filter(({ key, isComputed }) => !values.has(key) && !isComputed)
      .map(({ key, field }) => [key, prefill?.get(key) ?? field.default_value ?? ''] as const)
      .filter(([, value]) => value);
    if (!answers.isTouched) answers.defaults = new Map(defaults);
    else if (defaults.length > 0) {
      for (const [key, value] of defaults) answers.change(key, value);
      this.autosave.soon(0);
    }
    return here !== step || defaults.length + before > 0;
  }

  private position({ submission: { form } }: Answers): number {
    return positionOf(this.shownSituation.stepId, form);
  }
}

function placeOf(key: AnswerKey, { submission }: Answers): Place {
  const place = submission.places.of(key);
  if (place === undefined) throw new Error(`The form has no question "${key}".`);
  return place;
}

function troubleOf(error: unknown) {
  if (error instanceof UnauthenticatedError) return 'signed-out';
  if (error instanceof NetworkError) return 'offline';
  return error instanceof FormtrailError ? 'failing' : undefined;
}
