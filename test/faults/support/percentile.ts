import type { Outcome } from './load.js';

/** Milliseconds within which so many in a hundred were answered. */
export function percentile(outcomes: readonly Outcome[], percent: number): number {
  const sorted = outcomes.map(({ took }) => took).sort((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? NaN;
}
