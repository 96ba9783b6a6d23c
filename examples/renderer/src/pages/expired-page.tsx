import { UnauthenticatedError } from 'formtrail-client';
import type { Draft } from 'formtrail-session';
import { CodeForm } from '../page/code-form';
import { NewHeading, Page } from '../page/page';

/** Shown if this browser has no valid token for the draft of a respondent. */
export function ExpiredPage({ draft, error }: { draft: Draft; error: unknown }) {
  return (
    <Page title="Continue your draft">
      <NewHeading>Continue your draft</NewHeading>
      <p>
        This browser may no longer open the draft. Your answers on this page are kept. Enter a code from a
        device on which the draft is open, or begin again.
      </p>
      <CodeForm
        error={error instanceof UnauthenticatedError ? undefined : error}
        onCode={(code) => void draft.resume(code)}
      />
      <h2>Begin again</h2>
      <p>A new draft gets the answers that this device has kept, except files.</p>
      <p class="buttons">
        <button type="button" onClick={() => void draft.beginAgain()}>
          Begin again
        </button>
      </p>
    </Page>
  );
}
