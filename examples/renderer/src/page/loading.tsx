import type { DraftPlace } from '../route';
import { Page } from './page';
import { Skeleton, SkeletonRail } from './skeleton';
import { Trouble } from './trouble';

const PROGRESS_ID = 'proof';

interface LoadingProps {
  /** The page that follows. */
  readonly shape: 'start' | DraftPlace['kind'];
  /** Progress of a proof of work, from 0 to 1. Undefined without one. */
  readonly progress?: number | undefined;
}

export function Loading({ shape, progress }: LoadingProps) {
  const hasRail = shape === 'step' || shape === 'review';
  return (
    <Page title="Loading" aside={hasRail && <SkeletonRail />}>
      <h1 class="visually-hidden">Loading…</h1>
      <Skeleton shape={progress === undefined ? shape : 'proof'} />
      {progress !== undefined && (
        <div class="field">
          <label for={PROGRESS_ID}>The first save takes seconds, to keep programs out.</label>
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
