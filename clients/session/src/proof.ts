// A chunk of its own, loaded only if a form asks for a proof of work.
import type { Challenge } from 'formtrail-client';
import type { ProofMessage } from './proof-worker.js';

/** Milliseconds of work on the main thread at a time, so that the page stays responsive. */
const SLICE = 8;

/**
 * Solves a challenge in a worker, or on the main thread if the browser allows no worker, for example because of the page's content
 * security policy. Resolves to the `proof` of a new respondent. `onProgress` gets the part of the numbers that have been tried, from 0
 * to 1; the work is usually done earlier.
 */
export async function solve(challenge: Challenge, onProgress: (progress: number) => void): Promise<string> {
  onProgress(0);
  const number = await inWorker(challenge, onProgress).catch(() => onMainThread(challenge, onProgress));
  const { algorithm, salt, signature } = challenge;
  return btoa(JSON.stringify({ algorithm, challenge: challenge.challenge, number, salt, signature }));
}

function inWorker(challenge: Challenge, onProgress: (progress: number) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    // In this form, bundlers recognise the worker.
    const worker = new Worker(new URL('./proof-worker.js', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: { readonly data: ProofMessage }) => {
      if ('progress' in data) {
        onProgress(data.progress);
        return;
      }
      worker.terminate();
      resolve(data.number);
    };
    worker.onerror = (event) => {
      worker.terminate();
      reject(new Error(event.message));
    };
    worker.postMessage(challenge);
  });
}

async function onMainThread(challenge: Challenge, onProgress: (progress: number) => void): Promise<number> {
  const { Search } = await import('./search.js');
  const search = new Search(challenge);
  for (;;) {
    const number = search.run(SLICE);
    if (number !== undefined) return number;
    onProgress(search.progress);
    await new Promise((resolve) => setTimeout(resolve));
  }
}
