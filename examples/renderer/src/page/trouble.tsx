import { FormtrailError, NetworkError, NotFoundError } from 'formtrail-client';
import { useEffect } from 'preact/hooks';
import { formsAddress } from '../route';
import { say } from '../sentences';
import { serviceUrl } from '../service-url';
import { NewHeading } from './page';

/** Shown if a page could not be loaded. */
export function Trouble({ error, onTryAgain }: { error: unknown; onTryAgain: () => void }) {
  useEffect(() => {
    addEventListener('online', onTryAgain);
    return () => removeEventListener('online', onTryAgain);
  }, [onTryAgain]);
  return (
    <>
      <NewHeading>{error instanceof NotFoundError ? 'Not found' : 'Something went wrong'}</NewHeading>
      <p>{sentenceFor(error)}</p>
      <p class="buttons">
        <button type="button" class="primary" onClick={onTryAgain}>
          Try again
        </button>
        <a href={formsAddress(1)}>All forms</a>
      </p>
    </>
  );
}

interface FailureProps {
  readonly error: unknown;
  /** A file is not uploaded yet. Unlike answers, it is not kept on the device. */
  readonly isUploading?: boolean;
}

/** Error beside the button of an action. Always rendered, because screen readers announce only changes in an existing element. */
export function Failure({ error, isUploading = false }: FailureProps) {
  const sentence = () =>
    isUploading && error instanceof NetworkError
      ? 'A file is not uploaded yet. Stay on this page: the upload restarts when the connection is back.'
      : sentenceFor(error);
  return (
    <p class="error" role="alert">
      {error !== undefined && sentence()}
    </p>
  );
}

/** Message for a failed request. */
export function sentenceFor(error: unknown): string {
  if (error instanceof NetworkError) {
    return navigator.onLine
      ? `The service at ${serviceUrl} cannot be reached. Your answers are kept on this device; try again in a minute.`
      : 'You are offline. Your answers are kept on this device; try again when you are connected.';
  }
  const id = error instanceof FormtrailError && !(error instanceof NotFoundError) && error.requestId;
  return say.problem(error) + (id ? ` (Reference for support: ${id})` : '');
}
