import type { Mistake } from 'formtrail-client';
import type { AnswerKey } from './answer-key.js';
import { isTooLarge, refusedAnswers, type SentAnswer } from './mistakes.js';
import type { StoredSubmission } from './stored-submission.js';
import type { UnsavedAnswers } from './unsaved-answers.js';

/** The service takes no more in one request (V9). */
const MOST_VALUES = 500;

/** What the service holds, and over it what it does not have yet. */
export class Answers {
  /** What the service did not take; it is not sent again before it has changed. */
  readonly refused = new Map<AnswerKey, Mistake>();
  /** What others stored meanwhile; the person's own answer is not sent before they have chosen. */
  readonly conflicts = new Map<AnswerKey, string>();

  constructor(
    readonly submission: StoredSubmission,
    private readonly unsaved: UnsavedAnswers,
  ) {
    this.merge();
  }

  get values(): ReadonlyMap<AnswerKey, string> {
    const own = this.unsaved.keys.map((key) => [key, this.unsaved.get(key)?.value ?? ''] as const);
    return new Map([...this.submission.values, ...own]);
  }

  /** Those that the service can be sent. */
  get sendable(): AnswerKey[] {
    return this.unsaved.keys.filter((key) => !this.refused.has(key) && !this.conflicts.has(key));
  }

  change(key: AnswerKey, value: string): void {
    this.unsaved.change(key, value, this.stored(key));
    this.refused.delete(key);
    // What was typed and taken back need not be sent, unless something else may be on its way.
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

  /** All that can be sent, in as few requests as possible; one answer that is refused does not hold up the others. */
  async store(): Promise<void> {
    const keys = this.sendable;
    for (let at = 0; at < keys.length; at += MOST_VALUES) {
      await this.storeTogether(keys.slice(at, at + MOST_VALUES));
    }
  }

  /** Reads what is stored; whether the person now sees something that they did not leave so. */
  async refresh(): Promise<boolean> {
    const before = this.seen();
    await this.submission.refresh();
    this.merge();
    return this.conflicts.size > 0 || this.seen() !== before;
  }

  /** Nothing is left that could be sent. */
  clear(): void {
    this.unsaved.clear();
    this.refused.clear();
    this.conflicts.clear();
  }

  /** For each answer that is not saved: is what is stored what the person began from, what they want, or something else? */
  private merge(): void {
    const records = new Set(this.submission.records.map(({ id }) => id));
    this.conflicts.clear();
    for (const key of this.unsaved.keys) {
      const place = this.submission.places.of(key);
      if (place === undefined || (place.recordId !== null && !records.has(place.recordId))) {
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
    // Some may have been dropped since, with the entry that they were in.
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
      const refused = refusedAnswers(error, sent);
      if (refused.size === 0) throw error;
      this.refuse(refused, sent);
      // One request is all or nothing (V3): the others go without them.
      return this.storeTogether(keys.filter((key) => !refused.has(key)));
    }
    for (const { key, value } of sent) this.unsaved.settle(key, value);
  }

  /** Those that have changed while they were under way may be taken now. */
  private refuse(refused: ReadonlyMap<AnswerKey, Mistake>, sent: readonly SentAnswer[]): void {
    for (const { key, value } of sent) {
      const mistake = refused.get(key);
      if (mistake && this.unsaved.get(key)?.value === value) this.refused.set(key, mistake);
    }
  }

  private stored(key: AnswerKey): string {
    return this.submission.values.get(key) ?? '';
  }

  /** As text to compare; no answer and an empty one look the same. */
  private seen(): string {
    const values = [...this.values].filter(([, value]) => value !== '').sort();
    return JSON.stringify([values, this.submission.records.map(({ id }) => id)]);
  }
}
