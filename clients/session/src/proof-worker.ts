import type { Challenge } from 'formtrail-client';
import { Search } from './search.js';

/** Milliseconds between two messages about the progress. */
const SLICE = 100;

export type ProofMessage = { readonly progress: number } | { readonly number: number };

const worker = globalThis as unknown as {
  onmessage: (event: { readonly data: Challenge }) => void;
  postMessage: (message: ProofMessage) => void;
};

worker.onmessage = ({ data }) => {
  const search = new Search(data);
  for (;;) {
    const number = search.run(SLICE);
    worker.postMessage(number === undefined ? { progress: search.progress } : { number });
    if (number !== undefined) return;
  }
};
