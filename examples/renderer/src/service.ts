import { FormtrailClient } from 'formtrail-client';
import { serviceUrl } from './service-url';
import { Store } from './store';

export interface SignIn {
  readonly token: string | undefined;
  /** The service has rejected the last token. */
  readonly hasExpired: boolean;
}

/** Properties of the sign-in screen. */
export interface SignInProps extends Pick<SignIn, 'hasExpired'> {
  readonly onSignedIn: (token: string) => void;
}

// Per service URL, so that a page for another service on this origin does not read the token.
const STORAGE_KEY = `formtrail:${serviceUrl}:token`;

/** Shared by all tabs of the browser: signing in or out in one tab affects the others. The token of a preview is only for its tab. */
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

export function signIn(token: string, isPreview = false): void {
  store(() => {
    sessionStorage.removeItem(STORAGE_KEY);
    (isPreview ? sessionStorage : localStorage).setItem(STORAGE_KEY, token);
  });
  signedIn.set({ token, hasExpired: false });
}

/** Forgets the token. Unsaved answers stay on the device. */
export function signOut(): void {
  endSession({ hasExpired: false });
}

/** The user goes on as a visitor of a public form, so that an expired token no longer matters. */
export function goOnWithoutToken(): void {
  signedIn.set({ token: undefined, hasExpired: false });
}

function endSession({ hasExpired }: Pick<SignIn, 'hasExpired'>): void {
  store(() => {
    const isPreview = sessionStorage.getItem(STORAGE_KEY) !== null;
    (isPreview ? sessionStorage : localStorage).removeItem(STORAGE_KEY);
  });
  signedIn.set({ token: undefined, hasExpired });
}

/**
 * Signs in with the token of a link such as `/#token=...`, or `/#token=.../forms/UUID` for a preview, and removes it from the address
 * and the history.
 */
export function takeTokenFromAddress(): void {
  const [, token, form] = /^#token=([!-~]+?)(\/forms\/[\w-]+)?$/.exec(location.hash) ?? [];
  if (token === undefined) return;
  const address = location.pathname + location.search;
  history.replaceState(null, '', form === undefined ? address : `${address}#${form}`);
  signIn(token, form !== undefined);
}

function storedToken(): string | undefined {
  try {
    return sessionStorage.getItem(STORAGE_KEY) ?? localStorage.getItem(STORAGE_KEY) ?? undefined;
  } catch {
    // Without storage, each tab asks for the token again.
    return undefined;
  }
}

function store(change: () => void): void {
  try {
    change();
  } catch {
    // Without storage, only this tab knows the token.
  }
}
