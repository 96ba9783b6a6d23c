import type { AnswerKey } from './answer-key.js';

/** Device storage for unsaved answers: `localStorage`, or an object with the same methods. */
export type DraftStorage = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>;

interface Unsaved {
  readonly value: string;
  /**
   * Stored values that this answer may overwrite without a conflict: the value when the user began to type, and all values sent since,
   * because a request whose response was lost may have been executed.
   */
  readonly over: readonly string[];
}

/**
 * Answers that the service does not have yet. Each has a storage item of its own, so that neither closing a tab nor typing in a
 * second tab loses any. If the device storage is missing or full, the answers last as long as this object.
 */
export class UnsavedAnswers {
  private readonly answers = new Map<AnswerKey, Unsaved>();
  private readonly prefix: string;

  constructor(
    /** UUID of the submission, or a name for a draft that has not begun. */
    owner: string,
    private readonly storage: () => DraftStorage | undefined,
  ) {
    this.prefix = `formtrail:${owner}:`;
    for (const name of this.attempt(namesIn)?.filter((one) => one.startsWith(this.prefix)) ?? []) {
      const stored = unsavedFrom(this.attempt((place) => place.getItem(name)));
      if (stored !== undefined) this.answers.set(name.slice(this.prefix.length), stored);
    }
  }

  get keys(): AnswerKey[] {
    return [...this.answers.keys()];
  }

  get(key: AnswerKey): Unsaved | undefined {
    return this.answers.get(key);
  }

  /** `stored` is the last known value on the service. */
  change(key: AnswerKey, value: string, stored: string): void {
    this.write(key, { value, over: this.answers.get(key)?.over ?? [stored] });
  }

  /** Call before sending: the service may store the value even if its response is lost. */
  send(key: AnswerKey): void {
    const answer = this.answers.get(key);
    if (answer === undefined || answer.over.includes(answer.value)) return;
    this.write(key, { ...answer, over: [...answer.over, answer.value] });
  }

  /** The service has stored `stored`. If the user has typed something else since, the answer stays unsaved. */
  settle(key: AnswerKey, stored: string): void {
    const answer = this.answers.get(key);
    if (answer === undefined) return;
    if (answer.value === stored) this.drop(key);
    else this.write(key, { ...answer, over: [stored] });
  }

  drop(key: AnswerKey): void {
    const dropped = this.answers.get(key);
    this.answers.delete(key);
    const name = this.prefix + key;
    this.attempt((place) => {
      // Another tab may have stored a different answer in this item.
      if (unsavedFrom(place.getItem(name))?.value === dropped?.value) place.removeItem(name);
    });
  }

  clear(): void {
    for (const key of this.keys) this.drop(key);
  }

  /** Takes over the answers that were entered before the draft was begun. */
  take(others: UnsavedAnswers): void {
    for (const [key, answer] of others.answers) this.write(key, answer);
    others.clear();
  }

  private write(key: AnswerKey, answer: Unsaved): void {
    this.answers.set(key, answer);
    this.attempt((place) => place.setItem(this.prefix + key, JSON.stringify(answer)));
  }

  private attempt<Result>(use: (storage: DraftStorage) => Result): Result | undefined {
    return tryStorage(this.storage, use);
  }
}

/** Returns undefined if there is no storage, the browser denies access to it, or it is full. */
export function tryStorage<Result>(
  storageOf: () => DraftStorage | undefined,
  use: (storage: DraftStorage) => Result,
): Result | undefined {
  try {
    const storage = storageOf();
    return storage && use(storage);
  } catch {
    return undefined;
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
