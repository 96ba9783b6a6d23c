import { takeTokenFromAddress } from './service';
import { Store } from './store';

/** What the address shows. It is kept behind the `#`, so that any server of static files will do. */
export type Route =
  | { readonly name: 'forms'; readonly page: number }
  /** With the newest draft of it, unless one is named. */
  | { readonly name: 'form'; readonly uuid: string; readonly draftUuid: string | undefined };

export const formsAddress = (page: number) => (page === 1 ? '#/' : `#/page/${page}`);
export const formAddress = (uuid: string) => `#/forms/${uuid}`;
export const draftAddress = (uuid: string, draftUuid: string) => `${formAddress(uuid)}/${draftUuid}`;

takeTokenFromAddress();
export const route = new Store<Route>(read());

addEventListener('hashchange', () => {
  takeTokenFromAddress();
  route.set(read());
});

/** A draft that is completed is none any more: whoever loads the page again comes to the form, not back to it. */
export function leaveDraft(uuid: string): void {
  if (location.hash.startsWith(`${formAddress(uuid)}/`)) history.replaceState(null, '', formAddress(uuid));
}

function read(): Route {
  const [, uuid, draftUuid] = /^#\/forms\/([\w-]+)(?:\/([\w-]+))?$/.exec(location.hash) ?? [];
  if (uuid !== undefined) return { name: 'form', uuid, draftUuid };
  const [, page = '1'] = /^#\/page\/(\d{1,9})$/.exec(location.hash) ?? [];
  return { name: 'forms', page: Math.max(1, Number(page)) };
}
