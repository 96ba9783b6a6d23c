import { useEffect, useRef, useState } from 'preact/hooks';
import { PROBLEMS_ID, useFocus } from '../focus';
import { ErrorSummary } from '../page/error-summary';
import { Heading, Page } from '../page/page';
import type { SignInProps } from '../service';
import { serviceUrl } from '../service-url';
import { PublicForms } from './public-forms';

const INPUT_ID = 'token';
const EMPTY = 'Enter the access token that you were given.';

/** Asks for an access token. To replace it, pass your own screen to `App` as `signIn`. */
export function TokenPage({ hasExpired, onSignedIn }: SignInProps) {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<string>();
  const focusOn = useFocus();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  const submit = (event: Event) => {
    event.preventDefault();
    // The token is sent in a header: visible ASCII characters only.
    if (/^[!-~]+$/.test(token.trim())) {
      onSignedIn(token.trim());
      return;
    }
    setProblem(token.trim() === '' ? EMPTY : 'An access token has no spaces and no special characters.');
    focusOn(PROBLEMS_ID);
  };

  return (
    <Page title={problem ? 'Error: Access token' : 'Access token'}>
      {problem && <ErrorSummary problems={[{ inputId: INPUT_ID, text: problem }]} />}
      <Heading>{hasExpired ? 'Please sign in again' : 'Welcome'}</Heading>
      <p>
        {hasExpired
          ? 'Your access token is invalid or has expired. Enter another one to continue where you were. Your answers are kept.'
          : `To fill in forms, enter your access token for the service at ${serviceUrl}.`}
      </p>
      <form noValidate onSubmit={submit}>
        <div class={problem ? 'field has-error' : 'field'}>
          <label for={INPUT_ID}>Access token</label>
          {problem && (
            <p class="error" id="token-error">
              {problem}
            </p>
          )}
          <input
            id={INPUT_ID}
            ref={input}
            autoComplete="off"
            spellcheck={false}
            aria-invalid={problem !== undefined}
            aria-describedby={problem && 'token-error'}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </div>
        <p class="buttons">
          <button class="primary">Continue</button>
        </p>
      </form>
      <PublicForms />
    </Page>
  );
}
