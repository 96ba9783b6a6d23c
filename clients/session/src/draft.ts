import {
  ChangedError,
  FormtrailError,
  InvalidError,
  type Mistake,
  NetworkError,
  NotFoundError,
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
import { BEGINNING, judgedBy, type Obstacle, obstacleOn, shownDraft, type Situation } from './situation.js';
import type { DraftSnapshot, ShownDraft } from './snapshot.js';
import type { StoredSubmission } from './stored-submission.js';
import { Turns } from './turns.js';
import type { Uploads } from './uploads.js';
import { isQuestion, placesOf, sortedSteps } from './view.js';

/** Milliseconds. */
const PAUSE_IN_TYPING = 600;
/** Each change costs a request; near the limit fewer of them are better than a minute's wait. */
const FEW_REQUESTS = 10;
const PAUSE_WHEN_FEW = 5_000;
/** Of a write that always comes second. */
const MOST_ATTEMPTS = 10;

/** Components whose answers are chosen, and not typed. */
const CHOSEN = /^(select|checkbox|radio|file)-input$/;

/**
 * What became of an action. `last`: the step is in order, and there is none after it. `mistakes`: something has to be
 * corrected first; the snapshot says what. `changed`: another window has changed what the person has to see, or to choose,
 * first. `failed`: `failure` of the snapshot says why, and it may be asked for again. `busy`: another action is under way, and
 * this one was ignored. `ended`: the draft is not open (any more).
 */
export type Outcome = 'done' | 'last' | 'mistakes' | 'changed' | 'failed' | 'busy' | 'ended';

/** Thrown out of what is under way where the submission is no draft any more. */
class EndedError extends Error {}

/**
 * A submission that is being filled in: a store of all that is seen of it, and what a person can do with it. It opens with its
 * first listener, or by {@link Draft.open}. With the last listener it comes to rest: it sends what is unsaved, and does not
 * try again by itself what fails.
 */
export class Draft extends Observable<DraftSnapshot> {
  private readonly turns = new Turns();
  private readonly autosave = new Autosave(() => this.tryAgain());
  private opening: Promise<void> | undefined;
  private answers: Answers | undefined;
  private uploads: Uploads | undefined;
  private files: KnownFiles | undefined;
  private situation = BEGINNING;
  /** What is stored may not be what was read last. */
  private isStale = false;
  /** Set while nobody knows whether the request to complete has arrived. */
  private mayBeCompleted = false;
  /** The same until the draft is begun, so that no second one is. */
  private readonly beginKey = randomKey();
  /** By entity the same until the entry is there, so that nobody gets two for one. */
  private readonly entryKeys = new Map<string, string>();

  constructor(readonly options: DraftOptions) {
    super({ status: 'loading' });
  }

  /** Resolves when it is open or could not be opened, which the snapshot tells. */
  open(): Promise<void> {
    this.opening ??= this.load();
    return this.opening;
  }

  /**
   * Typing is sent when it pauses, a choice at once; until then the answer is on the device. A file that is on its way to be
   * the answer is given up; `""` removes one that is.
   *
   * @throws Error where the form asks for no such answer
   */
  change(key: AnswerKey, value: string): void {
    const answers = this.openAnswers();
    // What is being completed is what was seen.
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
   * Has the service keep a file, which is the answer then, in place of what is; until then it is the `upload` of its question.
   * Where the service keeps no files, the name is the answer.
   *
   * @throws Error where the form asks for no such answer
   */
  upload(key: AnswerKey, file: NamedFile): void {
    const answers = this.openAnswers();
    if (answers === undefined || this.situation.busy === 'completing') return;
    this.uploads?.add(key, placeOf(key, answers), file);
    this.forget([key]);
  }

  /** Gives up a file that is on its way, or was refused; the answer stays what it is. */
  cancelUpload(key: AnswerKey): void {
    this.uploads?.cancel(key);
  }

  /** Ends a conflict: `mine` replaces what another window stored, `theirs` drops what was typed here. */
  resolve(key: AnswerKey, choice: 'mine' | 'theirs'): void {
    const answers = this.openAnswers();
    if (answers === undefined) return;
    answers.resolve(key, choice);
    this.update();
    this.autosave.now();
  }

  /** Sends now what is unsaved. */
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

  /** Tries again now what failed: when the person has signed in again, or asks for it. */
  retry(): void {
    if (this.getSnapshot().status === 'failed') {
      this.opening = undefined;
      void this.open();
      return;
    }
    this.autosave.now();
    this.uploads?.retry();
  }

  /** To the next step that is shown, once its files have arrived, unless there are mistakes on this one. */
  next(): Promise<Outcome> {
    return this.act('moving', async (answers) => {
      const { steps, step } = await this.leave(answers);
      const obstacle = obstacleOn(step);
      if (obstacle !== undefined) return obstacle.outcome;
      const target = steps.find(({ position }) => position > this.situation.position);
      if (target !== undefined) return this.walkTo(target.position, answers);
      if (step === undefined) return 'last';
      // There is no next step for which the service would judge this one.
      const { step_number } = sortedSteps(answers.submission.form)[step.position - 1] ?? {};
      const judged = this.judge(await answers.submission.validate(step_number), answers);
      return obstacleOn(judged.step)?.outcome ?? 'last';
    });
  }

  /** To the step before; nothing is judged. */
  back(): Promise<Outcome> {
    return this.act('moving', async (answers) => {
      const { steps } = await this.flush(answers);
      const before = steps.filter(({ position }) => position < this.situation.position).at(-1);
      return before === undefined ? 'done' : this.walkTo(before.position, answers);
    });
  }

  /** To any step that is shown, by its position; the way forward ends at the first step with mistakes. */
  goTo(position: number): Promise<Outcome> {
    return this.act('moving', async (answers) => {
      const isForward = position > this.situation.position;
      const { step } = await this.leave(answers, isForward);
      const obstacle = isForward ? obstacleOn(step) : undefined;
      return obstacle?.outcome ?? this.walkTo(position, answers);
    });
  }

  /** Adds an entry to a group, by the name of its entity; its id, or undefined where the snapshot says why not. */
  async addEntry(entity: string): Promise<number | undefined> {
    let id: number | undefined;
    await this.act('moving', async (answers) => {
      const key = this.entryKeys.get(entity) ?? randomKey();
      this.entryKeys.set(entity, key);
      try {
        const added = await this.write(answers, () => answers.submission.addRecord(entity, key));
        await this.turns.take(() => this.reread(answers));
        id = added;
      } catch (error) {
        const [mistake] = mistakesOf(error);
        if (mistake === undefined) throw error;
        this.entryKeys.delete(entity);
        this.update({ judged: new Map(this.situation.judged).set(groupKey(entity), mistake) });
        return 'mistakes';
      }
      this.entryKeys.delete(entity);
      this.forget([groupKey(entity)]);
      return 'done';
    });
    return id;
  }

  /** With the answers in it, those too that are still to be sent. */
  removeEntry(id: number): Promise<Outcome> {
    return this.act('moving', async (answers) => {
      const entity = answers.submission.records.find((record) => record.id === id)?.entity ?? '';
      try {
        await this.write(answers, () => answers.submission.removeRecord(id));
      } catch (error) {
        // Another window was faster, or the answer to an earlier attempt got lost.
        if (!(error instanceof FormtrailError) || error.code !== 'record_not_found') throw error;
      }
      await this.turns.take(() => this.reread(answers));
      this.forget([groupKey(entity)]);
      return 'done';
    });
  }

  /**
   * Completes the submission with what the person sees, or goes to the first step on which there is something to do. What is
   * wrong is shown whatever the form's policy of completion (S13).
   */
  complete(): Promise<Outcome> {
    return this.act('completing', async (answers) => {
      this.update({ judged: new Map() });
      await this.uploads?.settle();
      const { steps, form, changedElsewhere } = await this.flush(answers);
      const obstacle = obstacleOn(...steps);
      if (obstacle !== undefined) return this.leadTo(obstacle, answers);
      if (changedElsewhere) return 'changed';
      // Strict completion judges by itself.
      const mistakes = form.completion === 'strict' ? [] : await answers.submission.validate();
      const found = obstacleOn(...this.judge(mistakes, answers).steps);
      if (found !== undefined) return this.leadTo(found, answers);
      // Whether what no step shows is in the way is the policy's affair.
      this.update({ unplaced: [] });
      const outcome = await this.turns.take(() => this.completeSeen(answers));
      const refused =
        outcome === 'mistakes' ? obstacleOn(...shownDraft(answers, this.situation).steps) : undefined;
      return refused ? this.leadTo(refused, answers) : outcome;
    });
  }

  /** Deletes the draft, and what this device keeps of it. */
  discard(): Promise<Outcome> {
    return this.act('discarding', async ({ submission }) => {
      await this.turns.take(() => discardDraft({ ...this.options, submission: submission.uuid }));
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
    if (this.answers !== undefined) this.update();
  }

  protected rest(): void {
    this.autosave.unwatch();
    this.autosave.stop();
    this.uploads?.unwatch();
    this.files?.stop();
    if (this.openAnswers()?.sendable.length) void this.save();
  }

  private async load(): Promise<void> {
    this.show({ status: 'loading' });
    try {
      const submission = await openSubmission(this.options, this.beginKey);
      const answers = new Answers(submission, unsavedAnswers(submission.uuid, this.options.storage));
      if (submission.places.haveFiles) await this.followFiles(submission, answers);
      this.answers = answers;
      this.situation = { ...BEGINNING, position: submission.currentStep };
    } catch (error) {
      this.show({ status: 'failed', error });
      if (mayPass(error) && this.isFollowed) this.autosave.againAfter(error);
      return;
    }
    this.autosave.succeeded();
    if (this.answers.submission.status === 'completed') this.end('completed', false);
    else this.update();
    if (this.answers.sendable.length > 0) this.autosave.now();
  }

  /** Loads what only forms with files need. */
  private async followFiles(submission: StoredSubmission, answers: Answers): Promise<void> {
    const { KnownFiles, Uploads } = await import('./files.js').catch((cause: unknown) => {
      throw new NetworkError(cause);
    });
    this.files = new KnownFiles(submission, () => this.update());
    this.uploads = new Uploads(submission, {
      changed: () => this.showUploads(),
      stored: (key, value) => {
        this.adopt(key, value, answers);
        this.autosave.soon(0);
      },
    });
    if (this.isFollowed) this.uploads.watch();
  }

  private showUploads(): void {
    if (this.uploads) this.update({ uploads: this.uploads.shown, refusals: this.uploads.mistakes });
  }

  /** What was found wrong with the answer before is not about this one. */
  private adopt(key: AnswerKey, value: string, answers: Answers): void {
    answers.change(key, value);
    this.forget([key]);
  }

  /** By itself: what could not be opened, where that may pass, or saved. */
  private tryAgain(): void {
    const snapshot = this.getSnapshot();
    if (snapshot.status !== 'failed') void this.save();
    else if (mayPass(snapshot.error)) this.retry();
  }

  private openAnswers(): Answers | undefined {
    return this.situation.status === 'open' ? this.answers : undefined;
  }

  /** One action at a time. */
  private async act(
    busy: NonNullable<ShownDraft['busy']>,
    work: (answers: Answers) => Promise<Outcome>,
  ): Promise<Outcome> {
    const answers = this.openAnswers();
    if (answers === undefined) return 'ended';
    if (this.situation.busy !== undefined) return 'busy';
    this.update({ busy, failure: undefined, changedElsewhere: false, unplaced: [] });
    try {
      return await work(answers);
    } catch (error) {
      const outcome = this.recover(error);
      if (outcome === 'failed') this.update({ failure: error });
      return outcome;
    } finally {
      this.update({ busy: undefined });
    }
  }

  /** What was found wrong with this step may be right by now. */
  private async leave(answers: Answers, isForward = true): Promise<ShownDraft> {
    if (isForward) await this.uploads?.settle(this.keysHere(answers));
    await this.flush(answers);
    return this.forget(this.keysHere(answers));
  }

  /** What was found wrong there before. */
  private forget(keys: readonly string[]): ShownDraft {
    const judged = [...this.situation.judged].filter(([key]) => !keys.includes(key));
    return this.update({ judged: new Map(judged) });
  }

  private keysHere(answers: Answers): string[] {
    const { step } = shownDraft(answers, this.situation);
    return step === undefined ? [] : placesOf(step).map(({ key }) => key);
  }

  /** Sends what has changed until now, after what is under way. */
  private async flush(answers: Answers): Promise<ShownDraft> {
    this.autosave.stop();
    const hasSaved = this.situation.hasSaved || answers.sendable.length > 0;
    await this.write(answers, () => answers.store());
    if (this.isStale) await this.turns.take(() => this.refresh(answers));
    this.autosave.succeeded();
    return this.update({ trouble: undefined, hasSaved });
  }

  /** In its turn; again where another write came first, when what that changed is known. */
  private write<Result>(answers: Answers, send: () => Promise<Result>): Promise<Result> {
    return this.turns.take(async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await send();
        } catch (error) {
          if (!(error instanceof ChangedError) || attempt === MOST_ATTEMPTS) throw error;
          await this.refresh(answers);
        }
      }
    });
  }

  /** Where another write came first. */
  private async refresh(answers: Answers): Promise<void> {
    const isChanged = await this.reread(answers);
    this.update(isChanged ? { changedElsewhere: true } : {});
  }

  /** Whether it shows something now that the person did not leave so. */
  private async reread(answers: Answers): Promise<boolean> {
    const isChanged = await answers.refresh();
    this.isStale = false;
    this.uploads?.cancelOutside(new Set([null, ...answers.submission.records.map(({ id }) => id)]));
    if (answers.submission.status === 'completed') {
      this.end('completed', !this.mayBeCompleted);
      throw new EndedError();
    }
    return isChanged;
  }

  /** Step by step, as the service moves; those between that are not shown are passed over. */
  private async walkTo(target: number, answers: Answers): Promise<Outcome> {
    const { submission } = answers;
    const walked = new Set(shownDraft(answers, this.situation).steps.map(({ position }) => position));
    while (submission.currentStep !== target) {
      const from = submission.currentStep;
      try {
        await this.write(answers, async () => {
          // Another window may have moved it, or an earlier request whose answer got lost.
          if (submission.currentStep !== from) return;
          if (from < target) await submission.advance(walked.has(from));
          else await submission.retreat();
        });
      } catch (error) {
        const mistakes = mistakesOf(error);
        if (mistakes.length === 0) throw error;
        this.update({ position: from });
        this.judge(mistakes, answers);
        return 'mistakes';
      }
    }
    this.update({ position: target });
    return 'done';
  }

  private async leadTo({ outcome, position }: Obstacle, answers: Answers): Promise<Outcome> {
    await this.walkTo(position, answers);
    return outcome;
  }

  /** What is completed is what was seen: nothing is read here and written over. */
  private async completeSeen(answers: Answers, attempt = 1): Promise<Outcome> {
    this.mayBeCompleted = true;
    try {
      await answers.submission.complete();
    } catch (error) {
      if (error instanceof ChangedError && attempt < MOST_ATTEMPTS) {
        await this.refresh(answers);
        this.mayBeCompleted = false;
        return this.situation.changedElsewhere ? 'changed' : this.completeSeen(answers, attempt + 1);
      }
      this.mayBeCompleted = mayPass(error);
      const mistakes = mistakesOf(error);
      if (mistakes.length === 0) throw error;
      this.judge(mistakes, answers);
      return 'mistakes';
    }
    this.end('completed', false);
    return 'done';
  }

  private judge(mistakes: readonly Mistake[], answers: Answers): ShownDraft {
    return this.update(judgedBy(mistakes, answers, this.situation));
  }

  private recover(error: unknown): Outcome {
    if (error instanceof EndedError) return this.situation.endedElsewhere ? 'ended' : 'done';
    if (error instanceof NotFoundError) {
      this.end('discarded', true);
      return 'ended';
    }
    const kind = troubleOf(error);
    if (kind === undefined) throw error;
    this.update({ trouble: { kind, error } });
    // What was asked for may have happened without an answer, or does not fit the state any more.
    this.isStale = true;
    const doesNotFit = error instanceof InvalidError && error.code !== 'invalid_data';
    if (this.isFollowed && (mayPass(error) || doesNotFit)) this.autosave.againAfter(error);
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
    this.situation = { ...this.situation, ...change };
    if (this.answers === undefined) throw new Error('The draft is not open.');
    let shown = shownDraft(this.answers, this.situation);
    if (this.situation.status === 'open' && this.settleIn(shown, this.answers))
      shown = shownDraft(this.answers, this.situation);
    this.show(shown);
    const answered = [...Object.values(shown.values), ...shown.conflicts.map(({ theirs }) => theirs)];
    this.files?.follow(answered, this.isFollowed);
    return shown;
  }

  /**
   * A draft may be opened on a step that is not to be shown, and an answer may hide the one that the person is on. Where
   * nothing is stored for a question that they see now, its default is: it can be seen, so it is an answer.
   */
  private settleIn({ steps, step }: ShownDraft, answers: Answers): boolean {
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
  if (place === undefined) throw new Error(`The form asks for no answer "${key}".`);
  return place;
}

function troubleOf(error: unknown) {
  if (error instanceof UnauthenticatedError) return 'signed-out';
  if (error instanceof NetworkError) return 'offline';
  return error instanceof FormtrailError ? 'failing' : undefined;
}

/** `crypto.randomUUID` is there for pages that came over HTTPS only. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
