import type { ResumeCode } from 'formtrail-client';
import type { Draft, DraftSnapshot, Entry, Group, Outcome, Question, ShownDraft } from 'formtrail-session';
import {
  readNumber,
  takeDate,
  unreadableDates,
  unreadableNumbers,
  withUnreadable,
} from 'formtrail-session/inputs';
import type { ComponentType } from 'preact';
import { CANCEL, CODE, entryId, HEADING, NOTICES, OTHER_DEVICE, placeId, PROBLEMS, removeId } from './ids.js';
import { plainText } from 'formtrail-session/markup';
import { problemsOn, questionsOn } from './questions.js';
import type * as Device from './parts/device.js';
import type { PageProps } from './view/props.js';
import type { Words } from './words.js';

/** A draft on the page: the parts of the display that the snapshot does not have, and the actions of the person. */
export class Visit {
  /** The answers are shown once more, before they are submitted. */
  isReviewing = false;
  /** The main button was pressed, and its action has not ended yet. */
  isSending = false;
  /** The code of a link, until the person confirms or rejects it: somebody else may have sent the link. */
  given: string | undefined;
  /** The person wants to enter a resume code. */
  asksForCode = false;
  resumeCode: ResumeCode | undefined;
  /** The draft to which the display belongs. Undefined until it is begun. A resume code may lead to another one. */
  submission: string | undefined;
  /** The resume code that was entered last, if it was the last action. The error of the last action then belongs to it. */
  code: string | undefined;
  /** The entry to remove, until the person confirms or cancels. */
  removing: number | undefined;
  /** Questions that were checked when the person left them. Only the question shows the error, until the main button is pressed. */
  readonly checked = new Set<string>();
  /** Questions whose input shows something else than a date, or a number with signs between groups of digits. */
  unreadable: ReadonlySet<string> = new Set();
  /** Groups that have been on the page. */
  private readonly seen = new Set<string>();
  /** Ends when the first entry of a group is there. Until then the draft is busy, and would ignore a button. */
  private adding: Promise<void> | undefined;
  /** Text for screen readers. */
  announced = '';
  /** Furthest position that the person has reached; infinite after the review. */
  furthest = 0;
  /** The submission was completed before it was opened: the person reads it. */
  isRead = false;
  /** Names of files for which a group had no room, by the question on which they were dropped. */
  leftOut: { readonly key: string; readonly names: string } | undefined;
  /** Seconds that the client waits, because the service has received too many requests. */
  waiting: number | undefined;

  constructor(
    readonly draft: Draft,
    readonly page: {
      readonly root: ShadowRoot;
      readonly words: () => Words;
      readonly render: () => void;
      /** Shows the draft, and opens it if that has not begun. */
      readonly start: () => void;
      /** Opens another draft: the newest one of the form, or a new one. */
      readonly reopen: () => void;
      /** The form in the fragment of a link with a code, if the page keeps the form there. */
      readonly place: () => string;
      /** Leads to the list of forms. Undefined if the page has none. */
      readonly leave: () => (() => void) | undefined;
      /** Undefined until it is loaded, or if the page has no outline. */
      readonly outline: () => ComponentType<PageProps> | undefined;
      /** The part for resume codes. Undefined until it is loaded; null if it could not be loaded. */
      readonly device: () => typeof Device | null | undefined;
      /** Waits for this part. */
      readonly deviceLoaded: () => Promise<unknown>;
      readonly loadDeviceAgain: () => void;
    },
  ) {}

  /** Adjusts to a new draft or step, and announces new questions. Call it before a snapshot is rendered. */
  notice(before: DraftSnapshot, now: DraftSnapshot): void {
    if (now.status === 'open' && now.submission !== this.submission) {
      // The first answer begins the draft that is shown.
      if (this.submission !== undefined)
        Object.assign(this, { isReviewing: false, resumeCode: undefined, furthest: 0 });
      this.submission = now.submission;
    }
    if (now.status === 'completed' && before.status !== 'open') this.isRead = true;
    if (now.status !== 'open') return;
    this.furthest = Math.max(this.furthest, now.step?.position ?? 0);
    if (now.busy === undefined) this.openGroup(now, before.status === 'open');
    if (before.status !== 'open') return;
    if (now.isReadOnly) {
      // The questions disappear, with the focus.
      if (!before.isReadOnly && this.page.root.activeElement) queueMicrotask(() => this.focusOn(HEADING));
      return;
    }
    if (before.step?.id !== now.step?.id) {
      Object.assign(this, { resumeCode: undefined, unreadable: new Set(), leftOut: undefined });
      return;
    }
    const known = before.isReadOnly ? [] : questionsOn(before.step);
    // An added entry has its own announcement.
    const more = questionsOn(now.step).filter(
      ({ question, entry }) =>
        !known.some((one) => one.question.key === question.key) &&
        (entry === undefined || known.some((one) => one.entry === entry)),
    ).length;
    if (more > 0) this.announce(this.text.moreQuestions(more));
  }

  async retry(): Promise<void> {
    Object.assign(this, { code: undefined, given: undefined });
    this.draft.retry();
    this.page.start();
    await this.opened();
  }

  /** Moves the focus once the draft is open, or could not be opened. */
  async opened(): Promise<void> {
    // The draft of a link with a code opens when the person has confirmed.
    if (this.given === undefined) await this.draft.open();
    if (this.given !== undefined || this.draft.getSnapshot().respondent === 'expired')
      await this.page.deviceLoaded();
    this.focusOn(HEADING);
  }

  /** The main button of a step. */
  async goOn(): Promise<void> {
    if (!this.readInputs()) {
      this.checked.clear();
      this.arrive('mistakes');
      return;
    }
    const { steps } = this.draft.getSnapshot() as ShownDraft;
    // A form of one step shows all answers already, so it has no review.
    if (steps.length === 1) return this.submit();
    const outcome = await this.send(() => this.draft.next());
    if (outcome === 'last') this.review();
    this.arrive(outcome);
  }

  /** Leads to a step by its id, or to the review. On the way forward, errors of the answers stop it. */
  async lead(place: number | 'review'): Promise<void> {
    const { steps, step } = this.draft.getSnapshot() as ShownDraft;
    const target = place === 'review' ? steps.at(-1) : steps.find(({ id }) => id === place);
    if (target === undefined) return;
    const isHere = target.id === step?.id;
    const leavesLast = isHere && place === 'review' && !this.isReviewing;
    const isForward = leavesLast || target.position > (step?.position ?? 0);
    let outcome: Outcome = 'done';
    if (isForward && !this.readInputs()) outcome = 'mistakes';
    else if (leavesLast) outcome = await this.draft.next();
    else if (!isHere) outcome = await this.draft.goTo(target.position);
    this.checked.clear();
    if (outcome === 'done' || outcome === 'last') {
      this.isReviewing = false;
      if (place === 'review') this.review();
    }
    this.arrive(outcome);
  }

  async goBack(): Promise<void> {
    if (this.isReviewing) {
      this.isReviewing = false;
      this.focusOn(HEADING);
      return;
    }
    await this.adding;
    this.arrive(await this.draft.back());
  }

  async submit(): Promise<void> {
    const outcome = await this.send(() => this.draft.complete());
    if (outcome === 'mistakes') this.isReviewing = false;
    this.arrive(outcome);
  }

  /** Leads from the review to a question. */
  async change(position: number, key: string): Promise<void> {
    const outcome = await this.draft.goTo(position);
    if (outcome === 'failed' || outcome === 'busy') return;
    this.isReviewing = false;
    if (outcome === 'done') this.focusOn(placeId(key));
    else this.arrive(outcome);
  }

  async add({ entity, key, entries }: Group, movesFocus = true): Promise<void> {
    const id = await this.draft.addEntry(entity.name);
    if (id !== undefined) this.announce(this.text.added(`${plainText(entity.label)} ${entries.length + 1}`));
    if (movesFocus) this.focusOn(id === undefined ? placeId(key) : entryId(id));
    else this.page.render();
  }

  /** Removes an entry, but asks first if it has answers. */
  async remove({ entity, key }: Group, { id, number, blocks }: Entry): Promise<void> {
    const hasAnswers = blocks.some(
      (block) =>
        block.kind === 'question' && !block.isComputed && block.value !== (block.field.default_value ?? ''),
    );
    if (hasAnswers && this.removing !== id) {
      this.removing = id;
      this.focusOn(CANCEL);
    } else if ((await this.draft.removeEntry(id)) === 'done') {
      this.announce(this.text.removed(`${plainText(entity.label)} ${number}`));
      this.focusOn(placeId(key));
    }
  }

  /** The person does not want to remove the entry. */
  keep(id: number): void {
    this.removing = undefined;
    this.focusOn(removeId(id));
  }

  /** Checks the answer of an input that has lost the focus. */
  leave(key: string): void {
    const check = async () => {
      const { busy, mistakes } = this.draft.getSnapshot() as Partial<ShownDraft>;
      // The action checks the answers itself.
      if (busy) return;
      const isMarked = this.unreadable.has(key) || mistakes?.some((one) => one.key === key);
      if (!isMarked) this.checked.add(key);
      this.readInputs();
      if (isMarked) return;
      await this.draft.check(key);
      const now = this.draft.getSnapshot();
      if (now.status !== 'open') return;
      const shown = withUnreadable(now, this.unreadable, this.page.words().locale);
      const found = problemsOn(shown, this.page.words()).find((one) => one.key === key);
      if (found) this.announce(found.text);
      this.page.render();
    };
    // An error that appears between press and release would move the pressed button away.
    if (document.querySelector(':active'))
      addEventListener('mouseup', () => setTimeout(check), { once: true });
    // Not at once: an input also loses the focus when rendering removes it.
    else queueMicrotask(() => void check());
  }

  /** Call it on each `input` event of a date input. */
  takeDate(input: HTMLInputElement): void {
    takeDate(input, this.store);
    if (this.unreadable.size > 0) this.readInputs();
  }

  /** Call it on each `input` event of a number input. */
  takeNumber(key: string, typed: string): void {
    this.draft.change(key, readNumber(typed, this.page.words().locale));
    if (this.unreadable.size > 0) this.readInputs();
  }

  async makeCode(): Promise<void> {
    this.resumeCode = await this.draft.resumeCode();
    if (this.resumeCode) this.focusOn(OTHER_DEVICE);
  }

  async useCode(code: string): Promise<void> {
    this.code = code;
    let outcome: Outcome = 'mistakes';
    if (code !== '') {
      this.given = undefined;
      const resuming = this.draft.resume(code);
      this.page.start();
      outcome = await resuming;
    }
    if (outcome === 'done') Object.assign(this, { asksForCode: false, code: undefined });
    this.focusOn(outcome === 'done' ? HEADING : CODE);
  }

  /** The group of a question, if it has room for another entry. */
  groupWithRoom(key: string): Group | undefined {
    const { step } = this.draft.getSnapshot() as ShownDraft;
    return step?.blocks.find(
      (block): block is Group =>
        block.kind === 'group' &&
        block.hasRoom &&
        block.entries.some(({ blocks }) => blocks.some((one) => one.key === key)),
    );
  }

  /** Uploads a file for a question. In a group, each further file gets an entry of its own. */
  async attach({ key, field }: Question, [first, ...others]: readonly File[]): Promise<void> {
    this.leftOut = undefined;
    if (first) this.draft.upload(key, first);
    for (const [index, file] of others.entries()) {
      const group = this.groupWithRoom(key);
      const id = group && (await this.draft.addEntry(group.entity.name));
      if (id === undefined) {
        const names = others.slice(index).map(({ name }) => name);
        this.leftOut = { key, names: names.join(this.text.separator) };
        this.focusOn(placeId(key));
        return;
      }
      this.draft.upload(`${field.code}.${id}`, file);
    }
    this.page.render();
  }

  /** Call it when the client waits. */
  wait(seconds: number): void {
    this.waiting = seconds;
    this.page.render();
    setTimeout(() => {
      this.waiting = undefined;
      this.page.render();
    }, seconds * 1000);
  }

  askForCode(): void {
    this.asksForCode = true;
    this.focusOn(CODE);
  }

  async beginAgain(): Promise<void> {
    this.code = undefined;
    await this.draft.beginAgain();
    this.focusOn(HEADING);
  }

  resolve(key: string, choice: 'mine' | 'theirs'): void {
    this.draft.resolve(key, choice);
    // The buttons disappear.
    this.focusOn(placeId(key));
  }

  focusOn(id: string): void {
    this.page.render();
    const place = this.page.root.getElementById(id);
    const entry = place?.closest('details');
    if (entry) entry.open = true;
    place?.focus();
  }

  /**
   * Adds the first entry of a group with a minimum when the group appears, or with the first answer. A page that was only opened stays as
   * it is.
   */
  private openGroup({ step, submission }: ShownDraft, wasOpen: boolean): void {
    if (submission === undefined) return;
    for (const block of step?.blocks ?? []) {
      if (block.kind !== 'group' || this.seen.has(block.key)) continue;
      this.seen.add(block.key);
      const { entity, entries, mistake } = block;
      if (!wasOpen || !entity.min_records || entries.length > 0 || mistake) continue;
      this.adding = this.add(block, false);
      // Groups after it follow when it has its entry.
      return;
    }
  }

  private review(): void {
    Object.assign(this, { isReviewing: true, resumeCode: undefined, furthest: Number.POSITIVE_INFINITY });
  }

  private readonly store = (key: string, value: string): void => this.draft.change(key, value);

  /** Returns false if an input shows something that is no answer. */
  private readInputs(): boolean {
    const dates = unreadableDates(this.page.root, this.store);
    const numbers = unreadableNumbers(this.draft.getSnapshot() as ShownDraft);
    this.unreadable = new Set([...dates, ...numbers]);
    this.page.render();
    return this.unreadable.size === 0;
  }

  private async send(action: () => Promise<Outcome>): Promise<Outcome> {
    if (this.isSending) return 'busy';
    Object.assign(this, { isSending: true, code: undefined });
    this.checked.clear();
    try {
      await this.adding;
      return await action();
    } finally {
      this.isSending = false;
    }
  }

  /** Moves the focus to the result of an action. */
  private arrive(outcome: Outcome): void {
    if (outcome === 'mistakes') {
      this.focusOn(PROBLEMS);
      const entry = this.page.root.querySelector('details [part~=invalid]')?.closest('details');
      if (entry) entry.open = true;
    } else if (outcome === 'changed') this.focusOn(NOTICES);
    // After a failure, the button keeps the focus, and an alert says why.
    else if (outcome !== 'failed' && outcome !== 'busy') this.focusOn(HEADING);
  }

  /** Screen readers announce only changes, so a repeated text gets a space. */
  announce(text: string): void {
    this.announced = this.announced === text ? `${text}\u00a0` : text;
  }

  private get text() {
    return this.page.words().text;
  }
}
