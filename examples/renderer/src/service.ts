import { FormtrailClient } from 'formtrail-client';
import { serviceUrl } from './service-url';
import { Store } from './store';

export interface SignIn {
  readonly token: string | undefined;
  /** The service took the token no longer. */
  readonly hasExpired: boolean;
}

// With the service's address, so that another service's page on this origin sees no token of it.
const KEPT_AS = `formtrail:${serviceUrl}:token`;

/** Of all tabs of this browser: who signs in or out in one does so in the others. */
export const signedIn = new Store<SignIn>({ token: keptToken(), hasExpired: false });

addEventListener('storage', ({ key }) => {
  if (key === KEPT_AS || key === null) signedIn.set({ token: keptToken(), hasExpired: false });
});

/** When the client sends again what the service had too many requests for, in milliseconds since 1970. */
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
    const isRefused = response.status === 401 && sent === `Bearer ${signedIn.getSnapshot().token ?? ''}`;
    if (isRefused) endSession({ hasExpired: true });
    return response;
  },
});

export function signIn(token: string): void {
  keepToken(token);
  signedIn.set({ token, hasExpired: false });
}

/** Answers that are still to be saved stay on the device. */
export function signOut(): void {
  endSession({ hasExpired: false });
}

function endSession({ hasExpired }: Pick<SignIn, 'hasExpired'>): void {
  keepToken(undefined);
  signedIn.set({ token: undefined, hasExpired });
}

/** The token of a link such as `/#token=...`; it does not stay in the address, nor in the history. */
export function takeTokenFromAddress(): void {
  const token = /^#token=([!-~]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  signIn(token);
}

function keptToken(): string | undefined {
  try {
    return localStorage.getItem(KEPT_AS) ?? undefined;
  } catch {
    // A browser that keeps nothing asks again in each tab.
    return undefined;
  }
}

function keepToken(token: string | undefined): void {
  try {
    if (token === undefined) localStorage.removeItem(KEPT_AS);
    else localStorage.setItem(KEPT_AS, token);
  } catch {
    // As above.
  }
}
