import { Page } from './page';
import { Skeleton } from './skeleton';
import { Trouble } from './trouble';

const PROGRESS_ID = 'proof';

/** `progress` is that of a proof of work, from 0 to 1, or undefined without one. */
export function Loading({ progress }: { progress?: number | undefined }) {
  return (
    <Page title="Loading">
      <h1 class="visually-hidden">Loading…</h1>
      {progress === undefined ? (
        <Skeleton />
      ) : (
        <div class="field">
          <label for={PROGRESS_ID}>
            Preparing the form. This takes a few seconds, and keeps programs out.
          </label>
          <progress id={PROGRESS_ID} max={1} value={progress} />
        </div>
      )}
    </Page>
  );
}

export function Failed(props: { error: unknown; onTryAgain: () => void }) {
  return (
    <Page title="Error">
      <Trouble {...props} />
    </Page>
  );
}
