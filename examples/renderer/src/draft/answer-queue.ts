import {
  FormtrailError,
  NetworkError,
  type NewValue,
  RateLimitedError,
  UnavailableError,
} from 'formtrail-client';
import { type AnswerKey, namedBy } from './answer-key';
import { type Messages, refusalsOf } from './refusals';
import type { UnsavedAnswers } from './unsaved-answers';

/** The service takes no more in one request. */
const MOST_VALUES = 500;
const LONGEST_BREAK = 30_000;

export interface AnswerQueueOptions {
  readonly unsaved: UnsavedAnswers;
  /** Also tells what is visible and required then. */
  readonly store: (values: NewValue[]) => Promise<void>;
  /** Asks what is visible and required now. */
  readonly resolveStates: () => Promise<void>;
  readonly onRefused: (messages: Messages) => void;
  /** Of what was sent in the background. */
  readonly onFailure: (error: unknown) => void;
  readonly onProgress: () => void;
}

/** Sends changed answers: all that have changed together, one request at a time, in order. */
export class AnswerQueue {
  private readonly refused = new Set<AnswerKey>();
  private lastTurn: Promise<void> = Promise.resolve();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private statesAreDue = false;
  private failures = 0;

  constructor(private readonly options: AnswerQueueOptions) {}

  /** Whether the service has everything that it takes. */
  get isSettled(): boolean {
    return this.sendable().length === 0 && !this.statesAreDue;
  }

  change(key: AnswerKey, value: string, delay: number): void {
    this.options.unsaved.set(key, value);
    this.refused.delete(key);
    // While nothing gets through, the pause between attempts counts, not the one between keystrokes.
    if (this.failures > 0) return;
    this.sendIn(delay);
    this.options.onProgress();
  }

  /** Sends what has changed until now, after what is under way; rejects where it cannot. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    return this.inTurn(() => this.takeTurn());
  }

  /** After what is under way and before what comes later, so that whichever answer is the last has the latest states. */
  inTurn<Result>(send: () => Promise<Result>): Promise<Result> {
    const turn = this.lastTurn.then(send);
    this.lastTurn = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  /** `flush` in the background. */
  send = (): void => {
    this.flush().catch(this.options.onFailure);
  };

  /** After a failure that may pass: waits twice as long as the last time, or as long as the service asks. */
  tryAgainAfter(error: unknown): void {
    // So that there is something to ask, and the first answer shows that the service is back.
    this.statesAreDue = true;
    this.failures += 1;
    const asked =
      error instanceof RateLimitedError || error instanceof UnavailableError ? error.retryAfter * 1000 : 0;
    this.sendIn(Math.max(asked, Math.min(1000 * 2 ** this.failures, LONGEST_BREAK)));
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private sendIn(delay: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.send, delay);
  }

  private sendable(): AnswerKey[] {
    return this.options.unsaved.keys().filter((key) => !this.refused.has(key));
  }

  private async takeTurn(): Promise<void> {
    const keys = this.sendable();
    for (let at = 0; at < keys.length; at += MOST_VALUES) {
      await this.storeTogether(keys.slice(at, at + MOST_VALUES));
    }
    if (this.statesAreDue) {
      await this.options.resolveStates();
      this.statesAreDue = false;
    }
    this.failures = 0;
    this.options.onProgress();
  }

  private async storeTogether(keys: AnswerKey[]): Promise<void> {
    const { unsaved } = this.options;
    // Some may have been dropped since, with the entry that they were in.
    const sent = keys.flatMap((key) => {
      const value = unsaved.get(key);
      return value === undefined ? [] : { key, value };
    });
    if (sent.length === 0) return;
    try {
      await this.options.store(sent.map(({ key, value }) => ({ ...namedBy(key), value })));
    } catch (error) {
      const refusals = refusalsOf(error, sent);
      if (refusals.size === 0) throw error;
      this.refuse(refusals, sent);
      // Whose entry was removed elsewhere, the states tell.
      this.statesAreDue = true;
      // One call is all or nothing: the others go without them.
      return this.storeTogether(keys.filter((key) => !refusals.has(key)));
    }
    this.statesAreDue = false;
    for (const { key, value } of sent) unsaved.settle(key, value);
  }

  /** What is refused is not sent again before it has changed; it may have while it was under way. */
  private refuse(refusals: ReadonlyMap<AnswerKey, string>, sent: { key: AnswerKey; value: string }[]): void {
    const unchanged = sent.filter(
      ({ key, value }) => refusals.has(key) && this.options.unsaved.get(key) === value,
    );
    for (const { key } of unchanged) this.refused.add(key);
    this.options.onRefused(new Map(unchanged.map(({ key }) => [key, refusals.get(key) ?? ''])));
  }
}

/** Whether the same request may succeed later. */
export function mayPass(error: unknown): boolean {
  if (error instanceof NetworkError) return true;
  return (
    error instanceof FormtrailError && (error.status === 409 || error.status === 429 || error.status >= 500)
  );
}
