import { takeTokenFromAddress } from './service';
import { Store } from './store';

/** What the address shows. It is kept behind the `#`, so that any server of static files will do. */
export type Route =
  { readonly name: 'forms'; readonly page: number } | { readonly name: 'form'; readonly uuid: string };

export const formsAddress = (page: number) => (page === 1 ? '#/' : `#/page/${page}`);
export const formAddress = (uuid: string) => `#/forms/${uuid}`;

takeTokenFromAddress();
export const route = new Store<Route>(read());

addEventListener('hashchange', () => {
  takeTokenFromAddress();
  route.set(read());
});

function read(): Route {
  const [, uuid] = /^#\/forms\/([\w-]+)$/.exec(location.hash) ?? [];
  if (uuid !== undefined) return { name: 'form', uuid };
  const [, page = '1'] = /^#\/page\/(\d{1,9})$/.exec(location.hash) ?? [];
  return { name: 'forms', page: Math.max(1, Number(page)) };
}
