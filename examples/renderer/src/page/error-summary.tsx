import { PROBLEMS_ID } from '../focus';

export interface Problem {
  /** Key of the question or group, if any. */
  readonly key?: string | undefined;
  /** Id of the input to link to. Undefined if no step shows it. */
  readonly inputId: string | undefined;
  readonly text: string;
}

interface ErrorSummaryProps {
  readonly problems: readonly Problem[];
  /** Moves the focus to the input with this id. */
  readonly onFollow?: (inputId: string) => void;
}

/** It may appear while the user types, so the page moves the focus to it only after an action. */
export function ErrorSummary({ problems, onFollow = focusNow }: ErrorSummaryProps) {
  return (
    <div class="error-summary" role="alert" tabIndex={-1} id={PROBLEMS_ID}>
      <h2>There is a problem</h2>
      <ul>
        {problems.map(({ inputId, text }) => (
          <li key={text}>
            {inputId === undefined ? text : <ProblemLink {...{ inputId, text, onFollow }} />}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ProblemLinkProps {
  readonly inputId: string;
  readonly text: string;
  readonly onFollow: (inputId: string) => void;
}

function ProblemLink({ inputId, text, onFollow }: ProblemLinkProps) {
  return (
    <a
      href={`#${inputId}`}
      onClick={(event) => {
        // The fragment is the app's route, so do not follow the link.
        event.preventDefault();
        onFollow(inputId);
      }}
    >
      {text}
    </a>
  );
}

function focusNow(id: string): void {
  document.getElementById(id)?.focus();
}
