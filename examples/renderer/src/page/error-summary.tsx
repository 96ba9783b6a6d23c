import { useEffect } from 'preact/hooks';
import { PROBLEMS_ID, useFocus } from '../focus';

export interface Problem {
  /** Id of the input to link to. Undefined if no step shows it. */
  readonly inputId: string | undefined;
  readonly text: string;
}

interface ErrorSummaryProps {
  readonly problems: readonly Problem[];
  /** Each new object moves the focus to the summary again. */
  readonly occasion: object | undefined;
}

export function ErrorSummary({ problems, occasion }: ErrorSummaryProps) {
  const focusOn = useFocus();
  useEffect(() => {
    if (occasion !== undefined) focusOn(PROBLEMS_ID);
  }, [occasion]);
  return (
    <div class="error-summary" role="alert" tabIndex={-1} id={PROBLEMS_ID}>
      <h2>There is a problem</h2>
      <ul>
        {problems.map(({ inputId, text }) => (
          <li key={text}>{inputId === undefined ? text : <ProblemLink inputId={inputId} text={text} />}</li>
        ))}
      </ul>
    </div>
  );
}

function ProblemLink({ inputId, text }: { inputId: string; text: string }) {
  return (
    <a
      href={`#${inputId}`}
      onClick={(event) => {
        // The fragment is the app's route, so do not follow the link.
        event.preventDefault();
        document.getElementById(inputId)?.focus();
      }}
    >
      {text}
    </a>
  );
}
