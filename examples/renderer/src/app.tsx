import { FormPage, VisitorFormPage } from './pages/form-page';
import { FormListPage } from './pages/form-list-page';
import { SignedInPage } from './pages/signed-in-page';
import { TokenPage } from './pages/token-page';
import { route } from './route';
import { signedIn } from './service';
import { useStore } from './store';
import { arrivedCode } from './visitor';

export function App() {
  const { token, hasExpired } = useStore(signedIn);
  const code = useStore(arrivedCode);
  const shown = useStore(route);
  if (token === undefined) {
    if (shown.name === 'forms' || hasExpired) return <TokenPage />;
    return <VisitorFormPage key={shown.uuid} {...shown} />;
  }
  if (code !== undefined) return <SignedInPage />;
  // The keys reset the page's state when the form, draft, list page or token changes.
  return shown.name === 'form' ? (
    <FormPage key={`${shown.uuid} ${shown.draftUuid} ${token}`} {...shown} />
  ) : (
    <FormListPage key={`${shown.page} ${token}`} page={shown.page} />
  );
}
