import { retryAfter } from './errors.js';

/** A request that is about to be sent again. */
export interface Wait {
  readonly status: 429 | 503;
  /** Length of the wait. */
  readonly seconds: number;
  readonly method: string;
  readonly url: string;
}

export interface WaitingOptions {
  /** Maximum total wait, in seconds. */
  readonly patience: number;
  readonly onWait: (wait: Wait) => void;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Repeats the request while the response is 429 or 503, after the seconds in `Retry-After`, until `patience` is used up. */
export async function waitingFetch(
  request: Request,
  { patience, onWait, fetch }: WaitingOptions,
): Promise<Response> {
  for (let remaining = patience; ;) {
    // Clone the request, because a body can be read only once.
    const response = await fetch(request.clone());
    const { status } = response;
    if (status !== 429 && status !== 503) return response;
    const seconds = retryAfter(response);
    if (seconds > remaining) return response;
    // At least 0.1 s, so that a `Retry-After` of 0 cannot cause an endless loop.
    remaining -= Math.max(seconds, 0.1);
    const waiting = sleep(seconds, request.signal);
    onWait({ status, seconds, method: request.method, url: request.url });
    await waiting;
    request.signal.throwIfAborted();
  }
}

/** Ends early if the signal is aborted. */
function sleep(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.onabort = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
