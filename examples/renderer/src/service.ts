import { FormtrailClient } from 'formtrail-client';
import { serviceUrl } from './service-url';
import { tabTexts } from './storage';
import { Store } from './store';

export interface Session {
  readonly token: string | undefined;
  /** The service took the token no longer. */
  readonly hasExpired: boolean;
}

export const session = new Store<Session>({ token: tabTexts.get('token'), hasExpired: false });

/** When the client sends again what the service had too many requests for, in milliseconds since 1970. */
export const waitingUntil = new Store<number | undefined>(undefined);

export const client = new FormtrailClient({
  url: serviceUrl,
  token: () => session.state.token,
  onWait: ({ seconds }) => {
    const until = Date.now() + seconds * 1000;
    waitingUntil.set(until);
    setTimeout(() => {
      if (waitingUntil.state === until) waitingUntil.set(undefined);
    }, seconds * 1000);
  },
  fetch: async (request) => {
    const response = await fetch(request);
    const sent = request.headers.get('Authorization');
    if (response.status === 401 && sent === `Bearer ${session.state.token ?? ''}`) signOut();
    return response;
  },
});

export function signIn(token: string): void {
  tabTexts.set('token', token);
  session.set({ token, hasExpired: false });
}

/** Drafts and unsaved answers stay on the device. */
function signOut(): void {
  tabTexts.delete('token');
  session.set({ token: undefined, hasExpired: true });
}

/** The token of a link such as `/#token=...`; it does not stay in the address, nor in the history. */
export function takeTokenFromAddress(): void {
  const token = /^#token=([!-~]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  signIn(token);
}
