import { expectDocumented } from './documented.js';

export interface Answer<Body = any> {
  readonly status: number;
  readonly headers: Headers;
  // `any` by default, because tests read bodies of every shape.
  readonly body: Body;
}

type HeaderMap = Record<string, string>;

export interface Client {
  get(path: string, headers?: HeaderMap): Promise<Answer>;
  post(path: string, body?: unknown, headers?: HeaderMap): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: HeaderMap): Promise<Answer>;
  delete(path: string, headers?: HeaderMap): Promise<Answer>;
  /** Sends the body unchanged. */
  send(
    method: string,
    path: string,
    text: string | Uint8Array<ArrayBuffer>,
    headers?: HeaderMap,
  ): Promise<Answer>;
}

export function client(url: string, credentials: HeaderMap = {}): Client {
  const request = async (
    method: string,
    path: string,
    init: Omit<RequestInit, 'headers'> & { headers?: HeaderMap },
  ): Promise<Answer> => {
    const response = await fetch(url + path, {
      ...init,
      method,
      headers: { ...credentials, ...init.headers },
      redirect: 'manual',
    });
    const text = await response.text();
    const answer = { status: response.status, headers: response.headers, body: parse(text) };
    expectDocumented(method, path, answer);
    return answer;
  };
  const withJson =
    (method: string) =>
    (path: string, body?: unknown, headers: HeaderMap = {}) =>
      request(
        method,
        path,
        body === undefined
          ? { headers }
          : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } },
      );
  return {
    get: (path, headers = {}) => request('GET', path, { headers }),
    post: withJson('POST'),
    patch: withJson('PATCH'),
    delete: (path, headers = {}) => request('DELETE', path, { headers }),
    send: (method, path, text, headers = {}) =>
      request(method, path, { body: text, headers: { 'Content-Type': 'application/json', ...headers } }),
  };
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}
