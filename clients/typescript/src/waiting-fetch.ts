import { NetworkError, retryAfter } from './errors.js';

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

/** `fetch` that waits as long as 429 and 503 say, and sends the same request again. */
export function waitingFetch({ patience, onWait, fetch }: WaitingOptions) {
  return async (request: Request): Promise<Response> => {
    let left = patience;
    for (;;) {
      const response = await send(fetch, request);
      if (response.status !== 429 && response.status !== 503) return response;
      const seconds = retryAfter(response);
      if (seconds > left) return response;
      left -= Math.max(seconds, 0.1);
      onWait({ status: response.status, seconds, method: request.method, url: request.url });
      await sleep(seconds, request.signal);
    }
  };
}

async function send(fetch: WaitingOptions['fetch'], request: Request): Promise<Response> {
  try {
    // A body can be read once.
    return await fetch(request.clone());
  } catch (error) {
    // Whoever gives up a request wants to see that it was given up.
    if (request.signal.aborted) throw error;
    throw new NetworkError(error);
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
