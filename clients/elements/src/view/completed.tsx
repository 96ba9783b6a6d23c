import { HEADING } from '../ids.js';
import type { PageProps } from './props.js';

export function Completed({ shown: { submission }, words: { text } }: PageProps) {
  return (
    <div id={HEADING} part="completed" tabIndex={-1}>
      <slot name="completed">
        <h2 part="title">{text.completed}</h2>
        <p>{text.completedText}</p>
        <p part="reference">
          {text.reference} <strong>{referenceOf(submission ?? '')}</strong>
        </p>
      </slot>
    </div>
  );
}

/** The last eight digits of the UUID. They are random: enough to find the submission, and short enough to read out. */
function referenceOf(submission: string): string {
  const digits = submission.slice(-8).toUpperCase();
  return `${digits.slice(0, 4)}-${digits.slice(4)}`;
}
