import { takeTokenFromAddress } from './service';
import { Store } from './store';
import { takeCodeFromAddress } from './visitor';

/**
 * A page of a draft: a step, with the id of the element to focus; the review of all answers; or, once it is submitted, the page to read
 * it. A step has its id, which stays when the form changes. Addresses of earlier versions of this page have its position.
 */
export type DraftPlace =
  | {
      readonly kind: 'step';
      readonly id?: number;
      readonly position?: number;
      readonly focus: string | undefined;
    }
  | { readonly kind: 'review' | 'submitted' };

/** The page that the address names. The route is in the fragment (`#`), so that any static file server can serve the app. */
export type Route =
  | { readonly name: 'forms'; readonly page: number }
  | {
      readonly name: 'form';
      readonly uuid: string;
      /** Undefined for the start page of the form, which redirects to the user's newest draft. `new` for a draft that begins with the first answer. */
      readonly draftUuid: string | undefined;
      /** Undefined for the current step of the draft. */
      readonly place: DraftPlace | undefined;
    };

export const formsAddress = (page: number) => (page === 1 ? '#/' : `#/page/${page}`);
export const formAddress = (uuid: string) => `#/forms/${uuid}`;
export const draftAddress = (uuid: string, draftUuid: string) => `${formAddress(uuid)}/${draftUuid}`;
export const stepAddress = (draft: string, { id }: { readonly id: number }, focus?: string) =>
  `${draft}/step-${id}${focus === undefined ? '' : `/${focus}`}`;
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
    /^#\/forms\/([\w-]+)(?:\/([\w-]+)(?:\/(review|submitted|(?:step-)?[1-9]\d{0,9})(?:\/([^/]+))?)?)?$/.exec(
      location.hash,
    ) ?? [];
  if (uuid !== undefined) return { name: 'form', uuid, draftUuid, place: placeOf(place, focus) };
  const [, page = '1'] = /^#\/page\/(\d{1,9})$/.exec(location.hash) ?? [];
  return { name: 'forms', page: Math.max(1, Number(page)) };
}

function placeOf(place: string | undefined, focus: string | undefined): DraftPlace | undefined {
  if (place === undefined) return undefined;
  if (place === 'review' || place === 'submitted') return { kind: place };
  const [, prefix, number] = /^(step-)?(\d+)$/.exec(place) ?? [];
  return { kind: 'step', [prefix === undefined ? 'position' : 'id']: Number(number), focus };
}
