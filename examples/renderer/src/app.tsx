import { FormPage } from './pages/form-page';
import { FormListPage } from './pages/form-list-page';
import { TokenPage } from './pages/token-page';
import { route } from './route';
import { signedIn } from './service';
import { useStore } from './store';

export function App() {
  const { token } = useStore(signedIn);
  const shown = useStore(route);
  if (token === undefined) return <TokenPage />;
  // The keys reset the page's state when the form, draft, list page or token changes.
  return shown.name === 'form' ? (
    <FormPage key={`${shown.uuid} ${shown.draftUuid} ${token}`} {...shown} />
  ) : (
    <FormListPage key={`${shown.page} ${token}`} page={shown.page} />
  );
}
