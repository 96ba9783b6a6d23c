import { FormtrailError, NetworkError, RateLimitedError, UnavailableError } from 'formtrail-client';

/** Milliseconds. */
const FIRST_BREAK = 1_000;
const LONGEST_BREAK = 30_000;

const browser: Partial<Pick<typeof globalThis, 'addEventListener' | 'removeEventListener' | 'document'>> =
  globalThis;

/** When to send: after a pause, when the browser is online again or the page is left, and again after a failure. */
export class Autosave {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;

  constructor(private readonly send: () => void) {}

  /** While nothing gets through, the pause between attempts counts, not the one between keystrokes. */
  soon(milliseconds: number): void {
    if (this.failures === 0) this.sendIn(milliseconds);
  }

  now(): void {
    this.sendIn(0);
  }

  /** Twice as long as after the last failure, or as long as the service asks. */
  againAfter(error: unknown): void {
    const asked =
      error instanceof RateLimitedError || error instanceof UnavailableError ? error.retryAfter * 1000 : 0;
    this.sendIn(Math.max(asked, Math.min(FIRST_BREAK * 2 ** this.failures, LONGEST_BREAK)));
    this.failures += 1;
  }

  succeeded(): void {
    this.failures = 0;
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** The browser, where there is one: for the connection to come back, and for the page to be left or returned to. */
  watch(): void {
    browser.addEventListener?.('online', this.send);
    browser.document?.addEventListener('visibilitychange', this.send);
  }

  unwatch(): void {
    browser.removeEventListener?.('online', this.send);
    browser.document?.removeEventListener('visibilitychange', this.send);
  }

  private sendIn(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.send, milliseconds);
  }
}

/** Whether the same request may succeed later. */
export function mayPass(error: unknown): boolean {
  if (error instanceof NetworkError) return true;
  return (
    error instanceof FormtrailError && (error.status === 409 || error.status === 429 || error.status >= 500)
  );
}
