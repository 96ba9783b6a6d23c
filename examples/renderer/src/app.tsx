import type { ComponentType } from 'preact';
import { Dialog } from './page/dialog';
import { FormPage, VisitorFormPage } from './pages/form-page';
import { FormListPage } from './pages/form-list-page';
import { SignedInPage } from './pages/signed-in-page';
import { TokenPage } from './pages/token-page';
import { route } from './route';
import { signedIn, signIn, type SignInProps } from './service';
import { useStore } from './store';
import { arrivedCode } from './visitor';

interface AppProps {
  /** The screen for users without a valid token. */
  readonly signIn?: ComponentType<SignInProps>;
}

export function App({ signIn: SignInScreen = TokenPage }: AppProps) {
  return (
    <>
      <ShownPage signIn={SignInScreen} />
      <Dialog />
    </>
  );
}

function ShownPage({ signIn: SignInScreen }: Required<AppProps>) {
  const { token, hasExpired } = useStore(signedIn);
  const code = useStore(arrivedCode);
  const shown = useStore(route);
  if (token === undefined) {
    const screen = <SignInScreen hasExpired={hasExpired} onSignedIn={signIn} />;
    // Without a draft, the user of an expired token is a visitor of a public form like any other.
    if (shown.name === 'forms' || (hasExpired && shown.draftUuid !== undefined)) return screen;
    return <VisitorFormPage key={shown.uuid} {...shown} signIn={screen} />;
  }
  if (code !== undefined) return <SignedInPage />;
  // The keys reset the page's state when the form, draft, list page or token changes.
  return shown.name === 'form' ? (
    <FormPage key={`${shown.uuid} ${shown.draftUuid} ${token}`} {...shown} />
  ) : (
    <FormListPage key={`${shown.page} ${token}`} page={shown.page} />
  );
}
