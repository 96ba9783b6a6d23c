import { EMAIL, PASSWORD } from './panel-process.js';

let logins = 0;

/** Returns a header with a new client address, because an address may attempt ten logins a minute. */
export const fromNewAddress = () => ({ 'X-Forwarded-For': `198.51.100.${(logins += 1)}` });

export function logIn(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${url}/admin/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...fromNewAddress(), ...headers },
    body: new URLSearchParams({ email: EMAIL, password: PASSWORD }),
  });
}

/** The session cookie with its attributes, or undefined if the response sets none. */
export function sessionCookie({ headers }: Response): string | undefined {
  return headers.getSetCookie().find((cookie) => cookie.startsWith('formtrail-panel='));
}

export interface Asked {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export type Session = Awaited<ReturnType<typeof openSession>>;

/** Logs in without a browser, and returns a function that sends requests with the session cookie. */
export async function openSession(url: string) {
  const cookie = sessionCookie(await logIn(url))?.split(';')[0] ?? '';
  return async (path: string, { headers, ...options }: RequestInit = {}): Promise<Asked> => {
    const response = await fetch(`${url}${path}`, {
      redirect: 'manual',
      headers: { cookie, ...(headers as Record<string, string>) },
      ...options,
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
}
