import { FormtrailError, NetworkError, NotFoundError } from 'formtrail-client';
import { useEffect } from 'preact/hooks';
import { formsAddress } from '../route';
import { sentenceOfProblem } from '../sentences';
import { serviceUrl } from '../service-url';
import { Heading } from './page';

/** Instead of what could not be loaded. */
export function Trouble({ error, onTryAgain }: { error: unknown; onTryAgain: () => void }) {
  useEffect(() => {
    addEventListener('online', onTryAgain);
    return () => removeEventListener('online', onTryAgain);
  }, [onTryAgain]);
  return (
    <>
      <Heading focusOn={error}>
        {error instanceof NotFoundError ? 'Not found' : 'Something is in the way'}
      </Heading>
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

/** What to tell a person of a request that failed. */
export function sentenceFor(error: unknown): string {
  if (error instanceof NetworkError) {
    return `The service at ${serviceUrl} cannot be reached. Check your connection; your answers are kept on this device.`;
  }
  if (!(error instanceof FormtrailError)) throw error;
  const reference = error.requestId === undefined ? '' : ` (Reference for support: ${error.requestId})`;
  return sentenceOfProblem(error) + (error instanceof NotFoundError ? '' : reference);
}
