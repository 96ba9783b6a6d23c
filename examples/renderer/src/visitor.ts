import type { Draft } from 'formtrail-session';
import { NEW } from './new-draft';
import { Store } from './store';

/** A visitor has no access token. formtrail-session makes the visitor of a public form a respondent. */

interface ArrivedCode {
  readonly formUuid: string;
  readonly code: string;
}

/** The resume code of the link that was opened last. */
export const arrivedCode = new Store<ArrivedCode | undefined>(undefined);

/** The code is in the fragment, because browsers do not send fragments to servers. */
export const resumeLink = (formUuid: string, code: string) =>
  `${location.origin}${location.pathname}${location.search}#resume=${code}/forms/${formUuid}`;

/** Takes the code of a {@link resumeLink} from the address, and removes it from the address bar and the history. */
export function takeCodeFromAddress(): void {
  const [, code, formUuid] = /^#resume=([\w-]+)\/forms\/([\w-]+)$/.exec(location.hash) ?? [];
  if (code === undefined || formUuid === undefined) return;
  history.replaceState(null, '', `${location.pathname}${location.search}#/forms/${formUuid}`);
  arrivedCode.set({ formUuid, code });
}

let handedOver: Draft | undefined;

/** Keeps an open draft for the next page, because the address of a draft changes with its submission, and when it is begun. */
export function handOver(draft: Draft): void {
  handedOver = draft;
}

/** Returns the draft from {@link handOver} once, if it has this submission. */
export function takeOver(submission: string): Draft | undefined {
  const draft = handedOver;
  handedOver = undefined;
  return draft !== undefined && (submissionOf(draft) ?? NEW) === submission ? draft : undefined;
}

/** Undefined if the draft is not open, or not begun. */
export function submissionOf(draft: Draft): string | undefined {
  const snapshot = draft.getSnapshot();
  return 'submission' in snapshot ? snapshot.submission : undefined;
}
