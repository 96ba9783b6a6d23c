import { FormtrailError, NetworkError, type RateLimitedError } from 'formtrail-client';

/** Backoff after failures, in milliseconds. */
const FIRST_BACKOFF = 1_000;
const MAX_BACKOFF = 30_000;

const browser: Partial<Pick<typeof globalThis, 'addEventListener' | 'removeEventListener' | 'document'>> =
  globalThis;

/** Schedules sending: after a pause, when the browser is online again, when the page is hidden or shown, and after failures. */
export class Autosave {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;

  constructor(private readonly send: () => void) {}

  /** Sends after a pause in typing. Does nothing after a failure, so that typing does not shorten the backoff. */
  soon(milliseconds: number): void {
    if (this.failures === 0) this.sendIn(milliseconds);
  }

  now(): void {
    this.sendIn(0);
  }

  /** Retries with exponential backoff, or after `retryAfter` if the service asks for a longer wait. */
  againAfter(error: unknown): void {
    const { retryAfter = 0 } = (error ?? {}) as Partial<RateLimitedError>;
    this.sendIn(Math.max(retryAfter * 1000, Math.min(FIRST_BACKOFF * 2 ** this.failures, MAX_BACKOFF)));
    this.failures += 1;
  }

  succeeded(): void {
    this.failures = 0;
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** In a browser, also sends when the connection returns and when the page is hidden or shown. */
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

/** Whether the error is temporary, so that the same request may succeed later. */
export function mayPass(error: unknown): boolean {
  if (error instanceof NetworkError) return true;
  return (
    error instanceof FormtrailError && (error.status === 409 || error.status === 429 || error.status >= 500)
  );
}
