import { HEADING } from '../ids.js';
import type { PageProps } from './props.js';
import { Answers } from './review.js';

export function Completed({ visit, shown: { submission, steps }, words }: PageProps) {
  const { text } = words;
  const content = (
    <>
      <h2 part="title">{text.completed}</h2>
      <p>{text.completedText}</p>
      <p part="reference">
        {text.reference} <strong>{referenceOf(submission ?? '')}</strong>
      </p>
      {steps.map((step) => (
        <Answers key={step.id} {...{ step, words }} />
      ))}
    </>
  );
  return (
    <div id={HEADING} part="completed" tabIndex={-1}>
      {/* The page's thanks would be wrong for a submission that somebody reads later. */}
      {visit.isRead ? content : <slot name="completed">{content}</slot>}
    </div>
  );
}

/** The last eight digits of the UUID. They are random: enough to find the submission, and short enough to read out. */
export function referenceOf(submission: string): string {
  const digits = submission.slice(-8).toUpperCase();
  return `${digits.slice(0, 4)}-${digits.slice(4)}`;
}
