import { takeTokenFromAddress } from './service';
import { Store } from './store';

/** A page of a draft: a step by its position, with the id of what is to have the focus; or all answers, to be checked. */
export type DraftPlace =
  | { readonly kind: 'step'; readonly position: number; readonly focus: string | undefined }
  | { readonly kind: 'review' };

/** What the address shows. It is kept behind the `#`, so that any server of static files will do. */
export type Route =
  | { readonly name: 'forms'; readonly page: number }
  | {
      readonly name: 'form';
      readonly uuid: string;
      /** Undefined: the newest draft of the form, or a new one. */
      readonly draftUuid: string | undefined;
      /** Undefined: where the draft is. */
      readonly place: DraftPlace | undefined;
    };

export const formsAddress = (page: number) => (page === 1 ? '#/' : `#/page/${page}`);
export const formAddress = (uuid: string) => `#/forms/${uuid}`;
export const draftAddress = (uuid: string, draftUuid: string) => `${formAddress(uuid)}/${draftUuid}`;
export const stepAddress = (draft: string, position: number, focus?: string) =>
  `${draft}/${position}${focus === undefined ? '' : `/${focus}`}`;
export const reviewAddress = (draft: string) => `${draft}/review`;

takeTokenFromAddress();
export const route = new Store<Route>(read());

/** Also when the browser goes back. */
addEventListener('hashchange', () => {
  takeTokenFromAddress();
  route.set(read());
});

/** `replace`: in the place of the address that it is now, to which nobody wants to go back. */
export function goTo(address: string, how: 'push' | 'replace' = 'push'): void {
  if (address === location.hash) return;
  if (how === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  route.set(read());
}

function read(): Route {
  const [, uuid, draftUuid, place, focus] =
    /^#\/forms\/([\w-]+)(?:\/([\w-]+)(?:\/(review|[1-9]\d{0,8})(?:\/([^/]+))?)?)?$/.exec(location.hash) ?? [];
  if (uuid !== undefined) return { name: 'form', uuid, draftUuid, place: placeOf(place, focus) };
  const [, page = '1'] = /^#\/page\/(\d{1,9})$/.exec(location.hash) ?? [];
  return { name: 'forms', page: Math.max(1, Number(page)) };
}

function placeOf(place: string | undefined, focus: string | undefined): DraftPlace | undefined {
  if (place === undefined) return undefined;
  if (place === 'review') return { kind: 'review' };
  return { kind: 'step', position: Number(place), focus };
}
