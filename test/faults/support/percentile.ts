import type { Outcome } from './load.js';

/** The percentile of the response times, in milliseconds. */
export function percentile(outcomes: readonly Outcome[], percent: number): number {
  const sorted = outcomes.map(({ took }) => took).sort((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? NaN;
}
