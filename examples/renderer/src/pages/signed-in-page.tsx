import { NewHeading, Page } from '../page/page';
import { signOut } from '../service';
import { arrivedCode } from '../visitor';

/** Shown if a user with a token opens a link with a resume code, which is for visitors without one. */
export function SignedInPage() {
  return (
    <Page title="You are signed in">
      <NewHeading>You are signed in</NewHeading>
      <p>The link continues a draft of somebody who is not signed in. To open it, sign out first.</p>
      <p class="buttons">
        <button type="button" class="primary" onClick={signOut}>
          Sign out and continue
        </button>
        <button type="button" onClick={() => arrivedCode.set(undefined)}>
          Ignore the link
        </button>
      </p>
    </Page>
  );
}
