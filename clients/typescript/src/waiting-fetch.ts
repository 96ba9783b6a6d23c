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
    onWait({ status, seconds, method: request.method, url: request.url });
    await sleep(seconds, request.signal);
  }
}

function sleep(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, seconds * 1000);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
