import type {
  Answer,
  CallOptions,
  ClientOptions,
  Include,
  IncludeOptions,
  Including,
  OnceOptions,
  Scope,
  Shape,
  Steps,
  WriteOptions,
} from './client.js';
import { errorOf, FormtrailError, NetworkError } from './errors.js';
import type { paths } from './schema.js';
import { waitingFetch } from './waiting-fetch.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<Lowercase<M>, object> ? P : never;
}[keyof paths];

/** Type of the operation in the OpenAPI document. */
type Operation<M extends Method, P extends PathWith<M>> =
  paths[P] extends Record<Lowercase<M>, infer Described> ? Described : never;

interface RequestParameters {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: object;
  readonly body?: object;
  /** Sent as the request body instead of JSON. */
  readonly content?: Blob;
}

type ParametersOf<O> = RequestParameters &
  (O extends { parameters: { path: infer Names } } ? { readonly path: Names } : unknown) &
  (O extends { parameters: { query?: infer Query } }
    ? { readonly query?: { readonly [Name in keyof Query]?: Query[Name] | undefined } }
    : unknown) &
  (O extends { requestBody: { content: { 'application/json': infer Body } } }
    ? { readonly body: Body }
    : unknown);

/** The JSON of a successful response, or an empty object if it has none. */
type BodyOf<O> = O extends { responses: { 200: infer Success } | { 201: infer Success } }
  ? Success extends { content: { 'application/json': infer Body extends object } }
    ? Body
    : object
  : object;

type Options<I extends Include, Sh extends Shape, Sc extends Scope, St extends Steps> = WriteOptions &
  OnceOptions &
  IncludeOptions<I, Sh, Sc, St>;
type AnyOptions = Options<Include, Shape, Scope, Steps>;

export interface Handling {
  /** Replaces `fetch`. */
  readonly send?: (request: Request) => Promise<Response>;
  /** Returns the body of a successful response. By default, it is JSON. */
  readonly read?: (response: Response) => Promise<object>;
}

export type Connection = ReturnType<typeof connect>;

/** Sends requests to the service, and turns its responses into results and errors. */
export function connect({
  url = '',
  token,
  patience = 65,
  onWait = () => undefined,
  fetch = (request) => globalThis.fetch(request),
}: ClientOptions) {
  const base = url.replace(/\/$/, '');

  async function requestOf(method: string, path: string, parameters: RequestParameters, options: AnyOptions) {
    const { path: names = {}, query, body, content } = parameters;
    // Always send the shape, as `resolveConditions` does, because the service's default is configurable.
    const { include, shape = 'map', scope, steps, computed } = options;
    const { ifMatch, idempotencyKey, signal = null } = options;
    const needsToken = /\/(submissions|resume-codes|me)/.test(path);
    const plainToken = needsToken && (typeof token === 'function' ? await token() : token);
    const filledIn = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''));
    const included = include && { include, shape, scope, steps, computed };
    const search = new URLSearchParams(definedEntries({ ...query, ...included })).toString();
    return new Request(`${base}${filledIn}${search && `?${search}`}`, {
      method,
      headers: definedEntries({
        Accept: 'application/json, application/problem+json',
        'Content-Type': content ? 'application/octet-stream' : body && 'application/json',
        Authorization: plainToken ? `Bearer ${plainToken}` : undefined,
        'If-Match': ifMatch,
        'Idempotency-Key': idempotencyKey,
      }),
      body: content ?? (body ? JSON.stringify(body) : null),
      signal,
    });
  }

  async function exchange<Body>(
    request: Request | Promise<Request>,
    { signal }: CallOptions,
    { send = fetch, read = (response) => response.json() as Promise<object> }: Handling = {},
  ): Promise<Answer<Body>> {
    try {
      const response = await waitingFetch(await request, { patience, onWait, fetch: send });
      const { ok, status, headers } = response;
      if (!ok) throw errorOf(response, await response.text());
      const body = status === 204 ? {} : await read(response);
      const remaining = headers.get('X-RateLimit-Remaining');
      return {
        ...(body as Body),
        etag: headers.get('ETag') ?? undefined,
        remaining: remaining === null ? undefined : Number(remaining),
      };
    } catch (error) {
      // An aborted call rejects with the signal's reason, not with a NetworkError.
      const isKnown = error instanceof FormtrailError || error instanceof NetworkError || signal?.aborted;
      throw isKnown ? error : new NetworkError(error);
    }
  }

  return {
    /** Sends a request to an endpoint of the service. */
    call<
      M extends Method,
      P extends PathWith<M>,
      I extends Include = undefined,
      Sh extends Shape = 'map',
      Sc extends Scope = undefined,
      St extends Steps = undefined,
    >(
      method: M,
      path: P,
      parameters: ParametersOf<Operation<M, P>>,
      options: Options<I, Sh, Sc, St>,
      handling?: Handling,
    ) {
      type Body = BodyOf<Operation<M, P>>;
      const request = requestOf(method, path, parameters, options);
      return exchange<'conditions' extends keyof Body ? Including<Body, I, Sh, Sc, St> : Body>(
        request,
        options,
        handling,
      );
    },

    /** Sends a request, also to an external storage. */
    exchange,
  };
}

/** Entries whose value is not undefined. */
function definedEntries(values: object): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
}
