import { UnauthenticatedError } from 'formtrail-client';
import { CodeForm } from '../page/code-form';
import { NewHeading, Page } from '../page/page';
import { Failure } from '../page/trouble';

interface ExpiredPageProps {
  /** The code that was entered last, `''` to begin again, or undefined before the first attempt. */
  readonly attempt: string | undefined;
  /** Error of the last attempt. */
  readonly error: unknown;
  readonly onAttempt: (code: string) => void;
}

/** Shown if this browser has no valid token for the draft of a respondent. */
export function ExpiredPage({ attempt, error, onAttempt }: ExpiredPageProps) {
  const problem = error instanceof UnauthenticatedError ? undefined : error;
  return (
    <Page title="Continue your draft">
      <NewHeading>Continue your draft</NewHeading>
      <p>
        This browser may no longer open the draft. Your answers on this page are kept. Enter a code from a
        device on which the draft is open, or begin again.
      </p>
      <CodeForm given={attempt} error={attempt ? problem : undefined} onCode={onAttempt} />
      <h2>Begin again</h2>
      <p>A new draft gets the answers that this device has kept, except files.</p>
      <p class="buttons">
        <button type="button" onClick={() => onAttempt('')}>
          Begin again
        </button>
      </p>
      <Failure error={attempt === '' ? problem : undefined} />
    </Page>
  );
}
