import type { Mistake } from 'formtrail-client';
import type { AnswerKey } from './answer-key.js';
import { isComputed } from './components.js';
import { isTooLarge, mistakesOf } from './mistakes.js';
import { failToLoad, type SentAnswer, type StoredSubmission } from './stored-submission.js';
import type { UnsavedAnswers } from './unsaved-answers.js';

/** Maximum number of values in one request (V9). */
const MAX_VALUES = 500;

/** The stored answers, overlaid with those that are not saved yet. */
export class Answers {
  /** Field errors of answers that the service rejected. Such an answer is not sent again until it changes. */
  readonly refused = new Map<AnswerKey, Mistake>();
  /** Values that another window or device stored meanwhile. The user's own answer is not sent until they choose between the two. */
  readonly conflicts = new Map<AnswerKey, string>();
  /** The user has entered something. From then on, the default values that they see count as answers. */
  isTouched = false;
  /** Default values that the user sees, until then. */
  defaults: ReadonlyMap<AnswerKey, string> = new Map();
  /** Values that the page gives in place of default values. */
  prefill: ReadonlyMap<AnswerKey, string> | undefined;

  constructor(
    readonly submission: StoredSubmission,
    private unsaved: UnsavedAnswers,
  ) {
    this.merge();
  }

  get values(): ReadonlyMap<AnswerKey, string> {
    const own = this.unsaved.keys.map((key) => [key, this.unsaved.get(key)?.value ?? ''] as const);
    return new Map([...this.defaults, ...this.submission.values, ...own]);
  }

  /** Unsaved answers that are neither rejected nor in conflict. */
  get sendable(): AnswerKey[] {
    return this.unsaved.keys.filter((key) => !this.refused.has(key) && !this.conflicts.has(key));
  }

  /** The form no longer has a question that was answered, or computes its answer. */
  get areOutdated(): boolean {
    return [...this.refused.values()].some(({ code }) => /^(unknown_field|computed)$/.test(code));
  }

  change(key: AnswerKey, value: string): void {
    this.unsaved.change(key, value, this.stored(key));
    this.refused.delete(key);
    // The answer equals the stored value, so there is nothing to send, unless a sent request may have stored another value.
    const isAsStored = value === this.submission.values.get(key);
    const isSent = this.unsaved.get(key)?.over.some((one) => one !== value);
    if (isAsStored && !isSent && !this.conflicts.has(key)) this.unsaved.drop(key);
  }

  resolve(key: AnswerKey, choice: 'mine' | 'theirs'): void {
    const theirs = this.conflicts.get(key);
    if (theirs === undefined) return;
    this.conflicts.delete(key);
    if (choice === 'mine') this.unsaved.settle(key, theirs);
    else this.unsaved.drop(key);
  }

  /** Sends all sendable answers in as few requests as possible. A rejected answer does not block the others. */
  async store(): Promise<void> {
    const keys = this.sendable;
    for (let at = 0; at < keys.length; at += MAX_VALUES) {
      await this.storeTogether(keys.slice(at, at + MAX_VALUES));
    }
  }

  /** Reads the stored answers. Returns true if the user now sees something that they did not enter, or a conflict. */
  async refresh(): Promise<boolean> {
    const before = this.fingerprint();
    await this.submission.refresh();
    this.merge();
    return this.conflicts.size > 0 || this.fingerprint() !== before;
  }

  /** The draft was begun: `unsaved` keeps the answers from now on. */
  begun(unsaved: UnsavedAnswers): void {
    unsaved.take(this.unsaved);
    this.unsaved = unsaved;
  }

  /** Drops all unsaved answers, rejections and conflicts. */
  clear(): void {
    this.unsaved.clear();
    this.refused.clear();
    this.conflicts.clear();
  }

  /**
   * Compares each unsaved answer with the stored value. If they are equal, the answer counts as saved. If the answer may overwrite
   * the stored value, it stays unsaved. Otherwise there is a conflict.
   */
  private merge(): void {
    const records = new Set(this.submission.records.map(({ id }) => id));
    this.conflicts.clear();
    for (const key of this.unsaved.keys) {
      const place = this.submission.places.of(key);
      // The form may have got a formula for an answered question.
      if (!place || isComputed(place.field) || (place.recordId !== null && !records.has(place.recordId))) {
        this.unsaved.drop(key);
        this.refused.delete(key);
        continue;
      }
      const stored = this.stored(key);
      const { value, over = [] } = this.unsaved.get(key) ?? {};
      if (value === stored || over.includes(stored)) this.unsaved.settle(key, stored);
      else this.conflicts.set(key, stored);
    }
  }

  private async storeTogether(keys: readonly AnswerKey[]): Promise<void> {
    // Answers may have been dropped meanwhile, together with their entry.
    const sent = keys.flatMap((key) => {
      const value = this.unsaved.get(key)?.value;
      return value === undefined ? [] : [{ key, value }];
    });
    if (sent.length === 0) return;
    for (const { key } of sent) this.unsaved.send(key);
    try {
      await this.submission.store(sent);
    } catch (error) {
      if (isTooLarge(error) && sent.length > 1) {
        const half = Math.ceil(keys.length / 2);
        await this.storeTogether(keys.slice(0, half));
        return this.storeTogether(keys.slice(half));
      }
      if (!isTooLarge(error) && mistakesOf(error).length === 0) throw error;
      const { refusedAnswers } = await import('./refused-answers.js').catch(failToLoad);
      const refused = refusedAnswers(error, sent);
      if (refused.size === 0) throw error;
      this.refuse(refused, sent);
      // A request stores all values or none (V3): send the others again.
      return this.storeTogether(keys.filter((key) => !refused.has(key)));
    }
    for (const { key, value } of sent) this.unsaved.settle(key, value);
  }

  /** Skips answers that have changed since they were sent, because the new value may be valid. */
  private refuse(refused: ReadonlyMap<AnswerKey, Mistake>, sent: readonly SentAnswer[]): void {
    for (const { key, value } of sent) {
      const mistake = refused.get(key);
      if (mistake && this.unsaved.get(key)?.value === value) this.refused.set(key, mistake);
    }
  }

  private stored(key: AnswerKey): string {
    return this.submission.values.get(key) ?? '';
  }

  /** A text that represents the current state, for comparison. An empty answer counts as none. */
  private fingerprint(): string {
    const values = [...this.values].filter(([, value]) => value !== '').sort();
    return JSON.stringify([values, this.submission.records.map(({ id }) => id)]);
  }
}
