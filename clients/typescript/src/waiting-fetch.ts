import { retryAfter } from './errors.js';

/** A request that is about to be sent again. */
export interface Wait {
  readonly status: 429 | 503;
  /** Until it is sent again. */
  readonly seconds: number;
  readonly method: string;
  readonly url: string;
}

export interface WaitingOptions {
  /** Seconds that a request may wait in all. */
  readonly patience: number;
  readonly onWait: (wait: Wait) => void;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** Waits as long as 429 and 503 say, and sends the same request again. */
export async function waitingFetch(
  request: Request,
  { patience, onWait, fetch }: WaitingOptions,
): Promise<Response> {
  for (let left = patience; ;) {
    // A body can be read once.
    const response = await fetch(request.clone());
    const { status } = response;
    if (status !== 429 && status !== 503) return response;
    const seconds = retryAfter(response);
    if (seconds > left) return response;
    left -= Math.max(seconds, 0.1);
    onWait({ status, seconds, method: request.method, url: request.url });
    await sleep(seconds, request.signal);
  }
}

function sleep(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    }, seconds * 1000);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}
