import { deviceTexts } from '../storage';
import type { AnswerKey } from './answer-key';

/**
 * Answers that the service does not have yet. They are kept on the device, each under a name of its own, so that neither
 * a closed tab nor a second one loses any.
 */
export class UnsavedAnswers {
  private readonly values = new Map<AnswerKey, string>();
  private readonly beginning: string;

  constructor(submissionUuid: string) {
    this.beginning = `unsaved:${submissionUuid}:`;
    for (const name of deviceTexts.names(this.beginning)) {
      this.values.set(name.slice(this.beginning.length) as AnswerKey, deviceTexts.get(name) ?? '');
    }
  }

  get(key: AnswerKey): string | undefined {
    return this.values.get(key);
  }

  keys(): AnswerKey[] {
    return [...this.values.keys()];
  }

  entries(): [AnswerKey, string][] {
    return [...this.values];
  }

  set(key: AnswerKey, value: string): void {
    this.values.set(key, value);
    deviceTexts.set(this.beginning + key, value);
  }

  /** The service has this value; a later one stays unsaved. */
  settle(key: AnswerKey, value: string): void {
    if (this.values.get(key) === value) this.values.delete(key);
    if (deviceTexts.get(this.beginning + key) === value) deviceTexts.delete(this.beginning + key);
  }

  /** Of those that nothing can be done with any more. */
  drop(isDropped: (key: AnswerKey) => boolean): void {
    for (const [key, value] of this.entries()) if (isDropped(key)) this.settle(key, value);
  }

  clear(): void {
    this.drop(() => true);
  }
}
