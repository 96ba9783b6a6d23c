import type { Words } from '../words.js';

interface ProofBarProps {
  readonly words: Words;
  /** From 0 to 1. Undefined without a proof of work. */
  readonly progress: number | undefined;
}

/** Progress of a proof of work. */
export function ProofBar({ words: { text }, progress }: ProofBarProps) {
  if (progress === undefined) return null;
  return <progress part="bar" max={1} value={progress} aria-label={text.progress} />;
}
