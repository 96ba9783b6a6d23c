import type { Question, ShownDraft } from 'formtrail-session';
import type { Words } from '../words.js';
import type { Visit } from '../visit.js';

/** Properties of the pages of an open or completed draft. */
export interface PageProps {
  readonly visit: Visit;
  readonly shown: ShownDraft;
  readonly words: Words;
}

/** Properties of every input. */
export interface InputProps {
  readonly question: Question;
  readonly visit: Visit;
  readonly words: Words;
  /** Id of the input, or of the first one of several. The error summary leads to it. */
  readonly id: string;
  /** Ids of the description and the error. */
  readonly describedBy: string | undefined;
}

/** Attributes of every input. */
export function commonAttributes({ question: { isRequired, mistake }, id, describedBy }: InputProps) {
  return {
    id,
    required: isRequired,
    'aria-invalid': mistake !== undefined,
    'aria-describedby': describedBy,
  };
}
