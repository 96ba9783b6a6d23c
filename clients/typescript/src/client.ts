import createFetchClient from 'openapi-fetch';
import { errorOf, NetworkError } from './errors.js';
import type { components, paths } from './schema.js';
import { type SendContent, sendByXmlHttpRequest } from './send-content.js';
import { type Wait, waitingFetch } from './waiting-fetch.js';

type Schemas = components['schemas'];
export type Form = Schemas['Form'];
export type FormPage = Schemas['FormPage'];
export type FormSchema = Schemas['FormSchema'];
export type Step = Schemas['Step'];
export type Field = Schemas['Field'];
export type FieldType = Schemas['FieldType'];
/** What to render; see {@link UnknownComponent} for those that are not listed. */
export type Component = FieldType['component'];
export type Option = Schemas['Option'];
export type Condition = Schemas['Condition'];
export type FieldRule = Schemas['FieldRule'];
export type Entity = Schemas['Entity'];
export type Submission = Schemas['Submission'];
export type ListedSubmission = Schemas['ListedSubmission'];
export type SubmissionPage = Schemas['SubmissionPage'];
export type SubmissionWithValues = Schemas['SubmissionWithValues'];
export type SubmissionValue = Schemas['SubmissionValue'];
export type SubmissionRecord = Schemas['Record'];
export type NewFile = Schemas['NewFile'];
export type SubmissionFile = Schemas['File'];
export type FileWithUpload = Schemas['FileWithUpload'];
export type StepProgress = Schemas['StepProgress'];
export type Validation = Schemas['Validation'];
export type SubmissionChange = Schemas['SubmissionChange'];
export type ConditionsMap = Schemas['ConditionsMap'];
export type ConditionsList = Schemas['ConditionsList'];
export type ConditionsByRecord = Schemas['ConditionsByRecord'];

/** A value to store, for a field by its id or by its code. */
export type NewValue = {
  readonly value: string;
  readonly entity_record_id?: number | null;
} & (
  | { readonly field_id: number; readonly field_code?: string }
  | { readonly field_code: string; readonly field_id?: number }
);

export interface ClientOptions {
  /** Where the service is, without `/api/v1`; by default where the page came from. */
  readonly url?: string | undefined;
  /** Of the user, or what gives it before each request; only submissions need one. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /**
   * Seconds that a request may wait in all for 429 and 503 to pass before they become errors; 0: not at all.
   * By default 65: a limit lasts a minute.
   */
  readonly patience?: number | undefined;
  /** Told before each wait, so that people can be told too. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
  /** Instead of the environment's own. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Uploads files; by default XMLHttpRequest, which can tell how far it is, where there is one, and otherwise `fetch`. */
  readonly sendContent?: SendContent | undefined;
}

export interface CallOptions {
  /** Gives the request up. */
  readonly signal?: AbortSignal | null | undefined;
}

export interface UploadOptions extends CallOptions {
  /** Told now and then how many bytes are sent; where `fetch` sends them, only that all are. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

export interface WriteOptions extends CallOptions {
  /** The `etag` of the state that the write builds on: {@link ChangedError} where another write came first. */
  readonly ifMatch?: string | undefined;
}

export interface OnceOptions {
  /**
   * Names what is to happen once, however often it is sent; by default a new one for each call. Give your own to call
   * again after a {@link NetworkError} without doing it twice.
   */
  readonly idempotencyKey?: string | undefined;
}

type Shape = keyof ConditionsShapes;

type Scope = 'records' | undefined;

/** What else the answer is to hold. */
export interface IncludeOptions<I extends Include, Sh extends Shape, Sc extends Scope> {
  /** `conditions`: what is visible and required then, without another request. */
  readonly include?: I;
  /** Of the conditions, as of {@link FormtrailClient.resolveConditions}. */
  readonly shape?: Sh;
  readonly scope?: Sc;
}

type Include = 'conditions' | undefined;

type Including<Body, I extends Include, Sh extends Shape, Sc extends Scope> = Omit<Body, 'conditions'> &
  (I extends 'conditions' ? { conditions: Conditions<Sh, Sc> } : unknown);

/** The body of an answer, and what its headers tell. */
export type Answer<Body> = Body & {
  /** The state of the submission that was written or read, for `ifMatch`; of a form, its content. */
  readonly etag: string | undefined;
  /** Requests that are left of the current minute; undefined where there is no limit. */
  readonly remaining: number | undefined;
};

interface ConditionsShapes {
  readonly map: ConditionsMap;
  readonly list: ConditionsList;
}

/** What is visible and required, in the shape that was asked for; by record id for each record, where that was asked for. */
export type Conditions<Sh extends Shape = 'map', Sc extends Scope = undefined> = {
  data: ConditionsShapes[Sh];
} & (Sc extends 'records' ? { records: Readonly<Record<string, ConditionsShapes[Sh]>> } : unknown);

type Result<Body> = { data?: Body | undefined; error?: unknown; response: Response };

/**
 * A client of the service. Each method is an operation of the OpenAPI document, by its name there, and resolves to the
 * body of the answer. Every one rejects with a {@link FormtrailError} or one of its kinds, with a {@link NetworkError}
 * where there is no whole answer, and with the signal's reason where it was given up.
 */
export class FormtrailClient {
  private readonly http;
  /** As `fetch`, of a request whose body is this. */
  private readonly sending: (
    content: Blob,
    options: UploadOptions,
  ) => (request: Request) => Promise<Response>;

  constructor({ url = '', token, patience = 65, onWait, fetch, sendContent }: ClientOptions = {}) {
    const plainFetch = fetch ?? ((request: Request) => globalThis.fetch(request));
    const waiting = (send: typeof plainFetch) =>
      waitingFetch({ patience, onWait: onWait ?? (() => undefined), fetch: send });
    const send =
      sendContent ??
      ('XMLHttpRequest' in globalThis
        ? sendByXmlHttpRequest
        : async (request, { size }, onProgress) => {
            const response = await plainFetch(request);
            onProgress(size);
            return response;
          });
    this.sending = (content, { onProgress = () => undefined }) =>
      waiting((request) => send(request, content, onProgress));
    this.http = createFetchClient<paths>({
      baseUrl: url,
      headers: { Accept: 'application/json, application/problem+json' },
      fetch: waiting(plainFetch),
    });
    this.http.use({
      async onRequest({ request, schemaPath }) {
        if (!schemaPath.startsWith('/api/v1/submissions')) return;
        const plainToken = typeof token === 'function' ? await token() : token;
        if (plainToken !== undefined) request.headers.set('Authorization', `Bearer ${plainToken}`);
      },
    });
  }

  /** A page of the active forms. */
  listForms(query: { page?: number; per_page?: number } = {}, { signal = null }: CallOptions = {}) {
    return answer(this.http.GET('/api/v1/forms', { params: { query }, signal }), signal);
  }

  getForm(uuid: string, { signal = null }: CallOptions = {}) {
    const params = { path: { uuid } };
    return answer(this.http.GET('/api/v1/forms/{uuid}', { params, signal }), signal);
  }

  getFormBySlug(slug: string, { signal = null }: CallOptions = {}) {
    const params = { path: { slug } };
    return answer(this.http.GET('/api/v1/forms/{slug}/by-slug', { params, signal }), signal);
  }

  /** The form with all of its steps, fields, options and conditions. */
  getFormSchema(uuid: string, { signal = null }: CallOptions = {}) {
    const call = this.http.GET('/api/v1/forms/{uuid}/schema', { params: { path: { uuid } }, signal });
    // The types of openapi-fetch take the open end of the union of components for an object.
    return answer(call as Promise<unknown> as Promise<Result<{ data: FormSchema }>>, signal);
  }

  /** Begins a draft, once, however often the request has to be sent. */
  createSubmission<I extends Include = undefined, Sh extends Shape = 'map', Sc extends Scope = undefined>(
    form_uuid: string,
    { signal = null, idempotencyKey, ...query }: CallOptions & OnceOptions & IncludeOptions<I, Sh, Sc> = {},
  ) {
    const params = { header: once(idempotencyKey), query: including(query) };
    const call = this.http.POST('/api/v1/submissions', { params, body: { form_uuid }, signal });
    return answer(included<typeof call, I, Sh, Sc>(call), signal);
  }

  /** A page of the user's own submissions, newest first; `cursor` is what to ask for the page after it with. */
  async listSubmissions(
    {
      cursor,
      ...filter
    }: {
      readonly status?: Submission['status'];
      readonly form_uuid?: string;
      readonly per_page?: number;
      readonly cursor?: string | undefined;
    } = {},
    { signal = null }: CallOptions = {},
  ) {
    const params = { query: { ...filter, ...(cursor !== undefined && { cursor }) } };
    const page = await answer(this.http.GET('/api/v1/submissions', { params, signal }), signal);
    const { next } = page.links;
    return { ...page, cursor: (next && new URL(next).searchParams.get('cursor')) ?? undefined };
  }

  /** The submission with its values. */
  getSubmission<I extends Include = undefined, Sh extends Shape = 'map', Sc extends Scope = undefined>(
    uuid: string,
    { signal = null, ...query }: CallOptions & IncludeOptions<I, Sh, Sc> = {},
  ) {
    const params = { path: { uuid }, query: including(query) };
    const call = this.http.GET('/api/v1/submissions/{uuid}', { params, signal });
    return answer(included<typeof call, I, Sh, Sc>(call), signal);
  }

  /** Gives a draft up for good, with its values and records. */
  deleteSubmission(uuid: string, { signal = null, ifMatch }: WriteOptions = {}) {
    const params = { path: { uuid }, header: unchanged(ifMatch) };
    return answer<object>(this.http.DELETE('/api/v1/submissions/{uuid}', { params, signal }), signal);
  }

  /** Stores `meta`, or completes the submission with `status: 'completed'`. */
  patchSubmission(uuid: string, body: SubmissionChange, { signal = null, ifMatch }: WriteOptions = {}) {
    const params = { path: { uuid }, header: unchanged(ifMatch) };
    return answer(this.http.PATCH('/api/v1/submissions/{uuid}', { params, body, signal }), signal);
  }

  /** Stores values, each in place of what is stored for its field: all of them, or none where one is refused. */
  storeValues<I extends Include = undefined, Sh extends Shape = 'map', Sc extends Scope = undefined>(
    uuid: string,
    values: readonly NewValue[],
    { signal = null, ifMatch, ...query }: WriteOptions & IncludeOptions<I, Sh, Sc> = {},
  ) {
    const params = { path: { uuid }, header: unchanged(ifMatch), query: including(query) };
    const body = { values: [...values] };
    const call = this.http.POST('/api/v1/submissions/{uuid}/values', { params, body, signal });
    return answer(included<typeof call, I, Sh, Sc>(call), signal);
  }

  /** What completion would refuse where it is strict: of all steps, or of the one with this `step_number`. */
  validateSubmission(
    uuid: string,
    { step, signal = null }: CallOptions & { readonly step?: number | undefined } = {},
  ) {
    const params = { path: { uuid }, query: step === undefined ? {} : { step } };
    return answer(this.http.GET('/api/v1/submissions/{uuid}/validation', { params, signal }), signal);
  }

  /**
   * Goes one step forward, once, however often the request has to be sent; with `validate`, {@link InvalidError} where
   * strict completion would refuse values of the step.
   */
  advanceSubmission<I extends Include = undefined, Sh extends Shape = 'map', Sc extends Scope = undefined>(
    uuid: string,
    {
      signal = null,
      ifMatch,
      idempotencyKey,
      validate = false,
      ...include
    }: WriteOptions & OnceOptions & IncludeOptions<I, Sh, Sc> & { readonly validate?: boolean } = {},
  ) {
    const header = { ...unchanged(ifMatch), ...once(idempotencyKey) };
    const query = { ...including(include), ...(validate && { validate: 'true' as const }) };
    const params = { path: { uuid }, header, query };
    const call = this.http.POST('/api/v1/submissions/{uuid}/advance', { params, signal });
    return answer(included<typeof call, I, Sh, Sc>(call), signal);
  }

  /** Goes one step back, once, however often the request has to be sent. */
  retreatSubmission<I extends Include = undefined, Sh extends Shape = 'map', Sc extends Scope = undefined>(
    uuid: string,
    {
      signal = null,
      ifMatch,
      idempotencyKey,
      ...query
    }: WriteOptions & OnceOptions & IncludeOptions<I, Sh, Sc> = {},
  ) {
    const header = { ...unchanged(ifMatch), ...once(idempotencyKey) };
    const params = { path: { uuid }, header, query: including(query) };
    const call = this.http.POST('/api/v1/submissions/{uuid}/retreat', { params, signal });
    return answer(included<typeof call, I, Sh, Sc>(call), signal);
  }

  /** Adds an entry to a repeating group, once, however often the request has to be sent. */
  createRecord(
    uuid: string,
    entity: string,
    { signal = null, ifMatch, idempotencyKey }: WriteOptions & OnceOptions = {},
  ) {
    const params = { path: { uuid }, header: { ...unchanged(ifMatch), ...once(idempotencyKey) } };
    const body = { entity };
    return answer(this.http.POST('/api/v1/submissions/{uuid}/records', { params, body, signal }), signal);
  }

  /** The entries of repeating groups, or of one of them. */
  listRecords(uuid: string, query: { entity?: string } = {}, { signal = null }: CallOptions = {}) {
    const params = { path: { uuid }, query };
    return answer(this.http.GET('/api/v1/submissions/{uuid}/records', { params, signal }), signal);
  }

  /** Removes an entry of a repeating group with the values in it. */
  deleteRecord(uuid: string, id: number, { signal = null, ifMatch }: WriteOptions = {}) {
    const params = { path: { uuid, id }, header: unchanged(ifMatch) };
    const call = this.http.DELETE('/api/v1/submissions/{uuid}/records/{id}', { params, signal });
    return answer<object>(call, signal);
  }

  /** Announces a file for a field that takes files; `upload` says where its content goes, then {@link commitFile} it. */
  createFile(uuid: string, file: NewFile, { signal = null, ifMatch }: WriteOptions = {}) {
    const params = { path: { uuid }, header: unchanged(ifMatch) };
    return answer(this.http.POST('/api/v1/submissions/{uuid}/files', { params, body: file, signal }), signal);
  }

  /**
   * Uploads the content of a file: of one as {@link createFile} gave it, to wherever its `upload` leads. The token goes to the
   * service alone.
   */
  uploadFileContent(
    uuid: string,
    file: string | FileWithUpload,
    content: Blob,
    { signal = null, ...options }: UploadOptions = {},
  ) {
    // Of no type: a browser would say which, and the URL was signed for nothing of the kind.
    const bytes = content.slice();
    const send = this.sending(bytes, options);
    const name = typeof file === 'string' ? file : file.uuid;
    if (typeof file !== 'string' && !file.upload.url.endsWith(`/submissions/${uuid}/files/${name}/content`)) {
      const { url, ...upload } = file.upload;
      const request = new Request(url, { ...upload, body: bytes, signal });
      const call = send(request).then(
        (response) => ({ response, ...(response.ok && { data: {} }) }),
        (error: unknown) => {
          throw error instanceof NetworkError ? unreachableStorage(error, url) : error;
        },
      );
      return answer<object>(call, signal);
    }
    const call = this.http.PUT('/api/v1/submissions/{uuid}/files/{file}/content', {
      params: { path: { uuid, file: name } },
      headers: { 'Content-Type': 'application/octet-stream' },
      // As it is; the document has no type for bytes.
      body: '',
      bodySerializer: () => bytes,
      fetch: send,
      signal,
    });
    return answer<object>(call, signal);
  }

  /** Has the service verify what was uploaded; from then on the file's `value` can be stored in its field. */
  commitFile(uuid: string, file: string, { signal = null }: CallOptions = {}) {
    const params = { path: { uuid, file } };
    const call = this.http.POST('/api/v1/submissions/{uuid}/files/{file}/commit', { params, signal });
    return answer(call, signal);
  }

  /** All files of the submission, in the order in which they were announced. */
  listFiles(uuid: string, { signal = null }: CallOptions = {}) {
    const params = { path: { uuid } };
    return answer(this.http.GET('/api/v1/submissions/{uuid}/files', { params, signal }), signal);
  }

  getFile(uuid: string, file: string, { signal = null }: CallOptions = {}) {
    const params = { path: { uuid, file } };
    return answer(this.http.GET('/api/v1/submissions/{uuid}/files/{file}', { params, signal }), signal);
  }

  /** The bytes of a file, from the storage where the service leads there: see CORS in its docs/operations.md. */
  async getFileContent(uuid: string, file: string, { signal = null }: CallOptions = {}) {
    const call = this.http.GET('/api/v1/submissions/{uuid}/files/{file}/content', {
      params: { path: { uuid, file } },
      parseAs: 'blob',
      signal,
    });
    const bytes = call.then(({ data, ...rest }) => ({
      ...rest,
      ...(data !== undefined && { data: { content: data } }),
    }));
    return answer<{ content: Blob }>(bytes, signal);
  }

  /** Removes a file with the value that holds it. */
  deleteFile(uuid: string, file: string, { signal = null, ifMatch }: WriteOptions = {}) {
    const params = { path: { uuid, file }, header: unchanged(ifMatch) };
    const call = this.http.DELETE('/api/v1/submissions/{uuid}/files/{file}', { params, signal });
    return answer<object>(call, signal);
  }

  /**
   * Which fields are visible and required by what is stored now: as an object by field id, or as a list; with
   * `scope: 'records'` for each record, too.
   */
  resolveConditions<Sh extends Shape = 'map', Sc extends Scope = undefined>(
    uuid: string,
    {
      shape,
      scope,
      explain = false,
      signal = null,
    }: CallOptions & {
      readonly shape?: Sh;
      readonly scope?: Sc;
      readonly explain?: boolean;
    } = {},
  ): Promise<Answer<Conditions<Sh, Sc>>> {
    const query = {
      shape: shape ?? ('map' as const),
      explain: explain ? ('true' as const) : ('false' as const),
      ...(scope !== undefined && { scope }),
    };
    const params = { path: { uuid }, query };
    const call = this.http.GET('/api/v1/submissions/{uuid}/conditions', { params, signal });
    return answer(call as Promise<unknown> as Promise<Result<Conditions<Sh, Sc>>>, signal);
  }

  /** Whether the process answers. */
  checkLiveness({ signal = null }: CallOptions = {}) {
    return answer(this.http.GET('/health/live', { signal }), signal);
  }

  /** Whether the service can serve; {@link UnavailableError} where it cannot. */
  checkReadiness({ signal = null }: CallOptions = {}) {
    return answer(this.http.GET('/health/ready', { signal }), signal);
  }
}

/** The body of one without a body is empty. */
async function answer<Body extends object>(
  call: Promise<Result<Body>>,
  signal: AbortSignal | null,
): Promise<Answer<Body>> {
  const { data, error, response } = await call.catch((failure: unknown) => {
    if (failure instanceof NetworkError || signal?.aborted) throw failure;
    throw new NetworkError(failure);
  });
  if (!response.ok || (data === undefined && response.status !== 204)) throw errorOf(response, error);
  const remaining = response.headers.get('X-RateLimit-Remaining');
  return {
    ...(data as Body),
    etag: response.headers.get('ETag') ?? undefined,
    remaining: remaining === null ? undefined : Number(remaining),
  };
}

/** Browsers do not tell scripts which of the two it is; the service has just answered. */
const unreachableStorage = ({ cause }: NetworkError, url: string) =>
  new NetworkError(
    cause,
    `The service has answered, but the storage of files at ${new URL(url).origin} cannot be reached. If that stays so, ` +
      'its CORS rules may leave out pages of this origin.',
  );

/** As for `resolveConditions`, the map unless another shape is asked for: the service may be set to the other. */
function including({ include, shape = 'map', scope }: IncludeOptions<Include, Shape, Scope>) {
  return include === undefined ? {} : { include, shape, ...(scope !== undefined && { scope }) };
}

/** The call with the type that its answer has by what it includes. */
function included<
  Call extends Promise<Result<object>>,
  I extends Include,
  Sh extends Shape,
  Sc extends Scope,
>(call: Call) {
  type Body = NonNullable<Awaited<Call>['data']>;
  return call as Promise<unknown> as Promise<Result<Including<Body, I, Sh, Sc>>>;
}

function unchanged(ifMatch: string | undefined) {
  return ifMatch === undefined ? {} : { 'If-Match': ifMatch };
}

function once(idempotencyKey = newKey()) {
  return { 'Idempotency-Key': idempotencyKey };
}

/** 128 random bits; `crypto.randomUUID` is there for pages that came over HTTPS only. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
