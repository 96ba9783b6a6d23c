import { FormtrailClient } from 'formtrail-client';
import { serviceUrl } from './service-url';
import { Store } from './store';

export interface SignIn {
  readonly token: string | undefined;
  /** The service has rejected the last token. */
  readonly hasExpired: boolean;
}

// Per service URL, so that a page for another service on this origin does not read the token.
const STORAGE_KEY = `formtrail:${serviceUrl}:token`;

/** Shared by all tabs of the browser: signing in or out in one tab affects the others. */
export const signedIn = new Store<SignIn>({ token: storedToken(), hasExpired: false });

addEventListener('storage', ({ key }) => {
  if (key === STORAGE_KEY || key === null) signedIn.set({ token: storedToken(), hasExpired: false });
});

/** Time of the next attempt while the client waits for the rate limit, in milliseconds since 1970. */
export const waitingUntil = new Store<number | undefined>(undefined);

export const client = new FormtrailClient({
  url: serviceUrl,
  token: () => signedIn.getSnapshot().token,
  onWait: ({ seconds }) => {
    const until = Date.now() + seconds * 1000;
    waitingUntil.set(until);
    setTimeout(() => {
      if (waitingUntil.getSnapshot() === until) waitingUntil.set(undefined);
    }, seconds * 1000);
  },
  fetch: async (request) => {
    const response = await fetch(request);
    const sent = request.headers.get('Authorization');
    const isRejected = response.status === 401 && sent === `Bearer ${signedIn.getSnapshot().token ?? ''}`;
    if (isRejected) endSession({ hasExpired: true });
    return response;
  },
});

export function signIn(token: string): void {
  storeToken(token);
  signedIn.set({ token, hasExpired: false });
}

/** Forgets the token. Unsaved answers stay on the device. */
export function signOut(): void {
  endSession({ hasExpired: false });
}

function endSession({ hasExpired }: Pick<SignIn, 'hasExpired'>): void {
  storeToken(undefined);
  signedIn.set({ token: undefined, hasExpired });
}

/**
 * Signs in with the token of a link such as `/#token=...` or `/#token=.../forms/UUID`, and removes it from the address and the
 * history.
 */
export function takeTokenFromAddress(): void {
  const [, token, form] = /^#token=([!-~]+?)(\/forms\/[\w-]+)?$/.exec(location.hash) ?? [];
  if (token === undefined) return;
  const address = location.pathname + location.search;
  history.replaceState(null, '', form === undefined ? address : `${address}#${form}`);
  signIn(token);
}

function storedToken(): string | undefined {
  try {
    return localStorage.getItem(STORAGE_KEY) ?? undefined;
  } catch {
    // Without storage, each tab asks for the token again.
    return undefined;
  }
}

function storeToken(token: string | undefined): void {
  try {
    if (token === undefined) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, token);
  } catch {
    // Without storage, only this tab knows the token.
  }
}
