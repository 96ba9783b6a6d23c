import type { AnswerKey } from './answer-key.js';

/** Where answers are kept until the service has them: what `localStorage` is, or something that works like it. */
export type DraftStorage = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>;

interface Unsaved {
  readonly value: string;
  /**
   * What the service may hold without anybody being asked: what was there when the person began to type, and what was sent
   * since. A request whose answer got lost may have been carried out.
   */
  readonly over: readonly string[];
}

/**
 * Answers that the service does not have yet. Each is kept on the device under a name of its own, so that neither a closed
 * tab nor a second one loses any; where the device keeps nothing, or no more, they last as long as this object.
 */
export class UnsavedAnswers {
  private readonly answers = new Map<AnswerKey, Unsaved>();
  private readonly beginning: string;

  constructor(
    submissionUuid: string,
    private readonly storage: () => DraftStorage | undefined,
  ) {
    this.beginning = `formtrail:${submissionUuid}:`;
    for (const name of this.attempt(namesIn)?.filter((one) => one.startsWith(this.beginning)) ?? []) {
      const kept = unsavedFrom(this.attempt((place) => place.getItem(name)));
      if (kept !== undefined) this.answers.set(name.slice(this.beginning.length), kept);
    }
  }

  get keys(): AnswerKey[] {
    return [...this.answers.keys()];
  }

  get(key: AnswerKey): Unsaved | undefined {
    return this.answers.get(key);
  }

  /** `stored` is what the service holds, as far as is known. */
  change(key: AnswerKey, value: string, stored: string): void {
    this.keep(key, { value, over: this.answers.get(key)?.over ?? [stored] });
  }

  /** The answer is on its way, and may arrive even if nobody hears of it. */
  send(key: AnswerKey): void {
    const answer = this.answers.get(key);
    if (answer === undefined || answer.over.includes(answer.value)) return;
    this.keep(key, { ...answer, over: [...answer.over, answer.value] });
  }

  /** The service holds this, and the person has seen it; one that was typed since stays unsaved. */
  settle(key: AnswerKey, stored: string): void {
    const answer = this.answers.get(key);
    if (answer === undefined) return;
    if (answer.value === stored) this.drop(key);
    else this.keep(key, { ...answer, over: [stored] });
  }

  drop(key: AnswerKey): void {
    const dropped = this.answers.get(key);
    this.answers.delete(key);
    const name = this.beginning + key;
    this.attempt((place) => {
      // Another tab may have kept another answer there.
      if (unsavedFrom(place.getItem(name))?.value === dropped?.value) place.removeItem(name);
    });
  }

  clear(): void {
    for (const key of this.keys) this.drop(key);
  }

  private keep(key: AnswerKey, answer: Unsaved): void {
    this.answers.set(key, answer);
    this.attempt((place) => place.setItem(this.beginning + key, JSON.stringify(answer)));
  }

  /** Browsers may refuse storage as a whole, or be out of room. */
  private attempt<Result>(use: (storage: DraftStorage) => Result): Result | undefined {
    try {
      const storage = this.storage();
      return storage && use(storage);
    } catch {
      return undefined;
    }
  }
}

function namesIn(storage: DraftStorage): string[] {
  return Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
}

function unsavedFrom(text: string | null | undefined): Unsaved | undefined {
  try {
    const { value, over } = JSON.parse(text ?? '') as Partial<Unsaved>;
    return typeof value === 'string' && Array.isArray(over) ? { value, over } : undefined;
  } catch {
    return undefined;
  }
}
