import { serviceUrl } from './service-url';

// With the service's address, so that another service's page on this origin neither sees a token nor an answer of it.
const PREFIX = `formtrail:${serviceUrl}:`;

/** Texts by name that outlive the page; where the browser keeps none (or no more), until the page is left. */
export class KeptTexts {
  private readonly unkept = new Map<string, string>();

  constructor(private readonly browserStorage: () => Storage) {}

  get(name: string): string | undefined {
    return this.unkept.get(name) ?? this.attempt((storage) => storage.getItem(PREFIX + name)) ?? undefined;
  }

  set(name: string, text: string): void {
    this.unkept.delete(name);
    const isKept = this.attempt((storage) => (storage.setItem(PREFIX + name, text), true));
    if (!isKept) this.unkept.set(name, text);
  }

  delete(name: string): void {
    this.unkept.delete(name);
    this.attempt((storage) => storage.removeItem(PREFIX + name));
  }

  /** The names that begin like this. */
  names(beginning: string): string[] {
    const kept = this.attempt((storage) => Object.keys(storage)) ?? [];
    return kept
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => name.slice(PREFIX.length))
      .concat(...this.unkept.keys())
      .filter((name) => name.startsWith(beginning));
  }

  /** Browsers may refuse storage as a whole, or be out of room. */
  private attempt<Result>(use: (storage: Storage) => Result): Result | undefined {
    try {
      return use(this.browserStorage());
    } catch {
      return undefined;
    }
  }
}

/** For this tab, until it is closed. */
export const tabTexts = new KeptTexts(() => sessionStorage);
/** For this browser. */
export const deviceTexts = new KeptTexts(() => localStorage);
