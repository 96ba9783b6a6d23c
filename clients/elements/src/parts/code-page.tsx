import { UnauthenticatedError } from 'formtrail-client';
import { HEADING } from '../ids.js';
import type { Words } from '../words.js';
import type { Visit } from '../visit.js';
import { CodeForm } from './code-form.js';
import { textOf } from './device-english.js';

export interface CodePageProps {
  readonly visit: Visit;
  readonly words: Words;
  /** Error of the last action. */
  readonly error: unknown;
  /** This browser has no valid token for the draft. Otherwise, a link with a code was opened. */
  readonly isExpired: boolean;
}

/** Asks a visitor for a resume code, before a draft is open. */
export function CodePage({ visit, words, error, isExpired }: CodePageProps) {
  const { problem } = words;
  const text = textOf(words);
  // The error of a code is beside its input, and a rejected token is the reason for this page.
  const hasFailed =
    visit.code === undefined && error !== undefined && !(error instanceof UnauthenticatedError);
  return (
    <div part="expired">
      <div role="alert">
        <h2 id={HEADING} part="title" tabIndex={-1}>
          {text.expired}
        </h2>
        {isExpired && <p>{text.expiredText}</p>}
      </div>
      <CodeForm {...{ visit, words, error }} />
      <p part="error" role="alert">
        {hasFailed && problem(error)}
      </p>
      <button
        type="button"
        part="button"
        onClick={() => void (isExpired ? visit.beginAgain() : visit.retry())}
      >
        {isExpired ? text.beginAgain : text.withoutCode}
      </button>
    </div>
  );
}
