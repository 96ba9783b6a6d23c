import { takeTokenFromAddress } from './service';
import { Store } from './store';
import { takeCodeFromAddress } from './visitor';

/**
 * A page of a draft: the step at a position, with the id of the element to focus; the review of all answers; or, once it is
 * submitted, the page to read it.
 */
export type DraftPlace =
  | { readonly kind: 'step'; readonly position: number; readonly focus: string | undefined }
  | { readonly kind: 'review' | 'submitted'; readonly position?: undefined };

/** The page that the address names. The route is in the fragment (`#`), so that any static file server can serve the app. */
export type Route =
  | { readonly name: 'forms'; readonly page: number }
  | {
      readonly name: 'form';
      readonly uuid: string;
      /** Undefined for the start page of the form, which redirects to the user's newest draft. */
      readonly draftUuid: string | undefined;
      /** Undefined for the current step of the draft. */
      readonly place: DraftPlace | undefined;
    };

export const formsAddress = (page: number) => (page === 1 ? '#/' : `#/page/${page}`);
export const formAddress = (uuid: string) => `#/forms/${uuid}`;
export const draftAddress = (uuid: string, draftUuid: string) => `${formAddress(uuid)}/${draftUuid}`;
export const stepAddress = (draft: string, position: number, focus?: string) =>
  `${draft}/${position}${focus === undefined ? '' : `/${focus}`}`;
export const reviewAddress = (draft: string) => `${draft}/review`;
export const submittedAddress = (draft: string) => `${draft}/submitted`;

takeTokenFromAddress();
takeCodeFromAddress();
export const route = new Store<Route>(read());

/** Fires for links, and for the browser's Back and Forward buttons. */
addEventListener('hashchange', () => {
  takeTokenFromAddress();
  takeCodeFromAddress();
  route.set(read());
});

/** `replace` replaces the current address, so that Back skips it. */
export function goTo(address: string, how: 'push' | 'replace' = 'push'): void {
  if (address === location.hash) return;
  if (how === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  route.set(read());
}

function read(): Route {
  const [, uuid, draftUuid, place, focus] =
    /^#\/forms\/([\w-]+)(?:\/([\w-]+)(?:\/(review|submitted|[1-9]\d{0,8})(?:\/([^/]+))?)?)?$/.exec(
      location.hash,
    ) ?? [];
  if (uuid !== undefined) return { name: 'form', uuid, draftUuid, place: placeOf(place, focus) };
  const [, page = '1'] = /^#\/page\/(\d{1,9})$/.exec(location.hash) ?? [];
  return { name: 'forms', page: Math.max(1, Number(page)) };
}

function placeOf(place: string | undefined, focus: string | undefined): DraftPlace | undefined {
  if (place === undefined) return undefined;
  if (place === 'review' || place === 'submitted') return { kind: place };
  return { kind: 'step', position: Number(place), focus };
}
