import { connect, type Connection } from './connection.js';
import type { components } from './schema.js';
import type { SendContent } from './send-content.js';
import type { Wait } from './waiting-fetch.js';

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

export type Shape = keyof ConditionsShapes;

export type Scope = 'records' | undefined;

/** What else the answer is to hold. */
export interface IncludeOptions<I extends Include, Sh extends Shape, Sc extends Scope> {
  /** `conditions`: what is visible and required then, without another request. */
  readonly include?: I;
  /** Of the conditions, as of {@link FormtrailClient.resolveConditions}. */
  readonly shape?: Sh;
  readonly scope?: Sc;
}

export type Include = 'conditions' | undefined;

export type Including<Body, I extends Include, Sh extends Shape, Sc extends Scope> = Omit<
  Body,
  'conditions'
> &
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

/**
 * A client of the service. Each method is an operation of the OpenAPI document, by its name there, and resolves to the
 * body of the answer. Every one rejects with a {@link FormtrailError} or one of its kinds, with a {@link NetworkError}
 * where there is no whole answer, and with the signal's reason where it was given up.
 */
export class FormtrailClient {
  private readonly service: Connection;

  constructor(options: ClientOptions = {}) {
    this.service = connect(options);
  }

  /** A page of the active forms. */
  listForms(query: { page?: number; per_page?: number } = {}, options: CallOptions = {}) {
    return this.service.call('GET', '/api/v1/forms', { query }, options);
  }

  getForm(uuid: string, options: CallOptions = {}) {
    return this.service.call('GET', '/api/v1/forms/{uuid}', { path: { uuid } }, options);
  }

  getFormBySlug(slug: string, options: CallOptions = {}) {
    return this.service.call('GET', '/api/v1/forms/{slug}/by-slug', { path: { slug } }, options);
  }

  /** The form with all of its steps, fields, options and conditions. */
  getFormSchema(uuid: string, options: CallOptions = {}) {
    return this.service.call('GET', '/api/v1/forms/{uuid}/schema', { path: { uuid } }, options);
  }

  /** Begins a draft, once, however often the request has to be sent. */
  createSubmission<I extends Include = undefined, Sh extends Shape = 'map', Sc extends Scope = undefined>(
    form_uuid: string,
    options: CallOptions & OnceOptions & IncludeOptions<I, Sh, Sc> = {},
  ) {
    return this.service.call('POST', '/api/v1/submissions', { body: { form_uuid } }, once(options));
  }

  /** A page of the user's own submissions, newest first; `cursor` is what to ask for the page after it with. */
  async listSubmissions(
    query: {
      readonly status?: Submission['status'];
      readonly form_uuid?: string;
      readonly per_page?: number;
      readonly cursor?: string | undefined;
    } = {},
    options: CallOptions = {},
  ) {
    const page = await this.service.call('GET', '/api/v1/submissions', { query }, options);
    const { next } = page.links;
    return { ...page, cursor: (next && new URL(next).searchParams.get('cursor')) ?? undefined };
  }

  /** The submission with its values. */
  getSubmission<I extends Include = undefined, Sh extends Shape = 'map', Sc extends Scope = undefined>(
    uuid: string,
    options: CallOptions & IncludeOptions<I, Sh, Sc> = {},
  ) {
    return this.service.call('GET', '/api/v1/submissions/{uuid}', { path: { uuid } }, options);
  }

  /** Gives a draft up for good, with its values and records. */
  deleteSubmission(uuid: string, options: WriteOptions = {}) {
    return this.service.call('DELETE', '/api/v1/submissions/{uuid}', { path: { uuid } }, options);
  }

  /** Stores `meta`, or completes the submission with `status: 'completed'`. */
  patchSubmission(uuid: string, body: SubmissionChange, options: WriteOptions = {}) {
    return this.service.call('PATCH', '/api/v1/submissions/{uuid}', { path: { uuid }, body }, options);
  }

  /** Stores values, each in place of what is stored for its field: all of them, or none where one is refused. */
  storeValues<I extends Include = undefined, Sh extends Shape = 'map', Sc extends Scope = undefined>(
    uuid: string,
    values: readonly NewValue[],
    options: WriteOptions & IncludeOptions<I, Sh, Sc> = {},
  ) {
    const body = { values: [...values] };
    return this.service.call('POST', '/api/v1/submissions/{uuid}/values', { path: { uuid }, body }, options);
  }

  /** What completion would refuse where it is strict: of all steps, or of the one with this `step_number`. */
  validateSubmission(
    uuid: string,
    { step, ...options }: CallOptions & { readonly step?: number | undefined } = {},
  ) {
    const parameters = { path: { uuid }, query: { step } };
    return this.service.call('GET', '/api/v1/submissions/{uuid}/validation', parameters, options);
  }

  /**
   * Goes one step forward, once, however often the request has to be sent; with `validate`, {@link InvalidError} where
   * strict completion would refuse values of the step.
   */
  advanceSubmission<I extends Include = undefined, Sh extends Shape = 'map', Sc extends Scope = undefined>(
    uuid: string,
    {
      validate,
      ...options
    }: WriteOptions & OnceOptions & IncludeOptions<I, Sh, Sc> & { readonly validate?: boolean } = {},
  ) {
    const query = { validate: validate ? ('true' as const) : undefined };
    const parameters = { path: { uuid }, query };
    return this.service.call('POST', '/api/v1/submissions/{uuid}/advance', parameters, once(options));
  }

  /** Goes one step back, once, however often the request has to be sent. */
  retreatSubmission<I extends Include = undefined, Sh extends Shape = 'map', Sc extends Scope = undefined>(
    uuid: string,
    options: WriteOptions & OnceOptions & IncludeOptions<I, Sh, Sc> = {},
  ) {
    const parameters = { path: { uuid } };
    return this.service.call('POST', '/api/v1/submissions/{uuid}/retreat', parameters, once(options));
  }

  /** Adds an entry to a repeating group, once, however often the request has to be sent. */
  createRecord(uuid: string, entity: string, options: WriteOptions & OnceOptions = {}) {
    const parameters = { path: { uuid }, body: { entity } };
    return this.service.call('POST', '/api/v1/submissions/{uuid}/records', parameters, once(options));
  }

  /** The entries of repeating groups, or of one of them. */
  listRecords(uuid: string, query: { entity?: string } = {}, options: CallOptions = {}) {
    const parameters = { path: { uuid }, query };
    return this.service.call('GET', '/api/v1/submissions/{uuid}/records', parameters, options);
  }

  /** Removes an entry of a repeating group with the values in it. */
  deleteRecord(uuid: string, id: number, options: WriteOptions = {}) {
    const parameters = { path: { uuid, id } };
    return this.service.call('DELETE', '/api/v1/submissions/{uuid}/records/{id}', parameters, options);
  }

  /** Announces a file for a field that takes files; `upload` says where its content goes, then {@link commitFile} it. */
  createFile(uuid: string, body: NewFile, options: WriteOptions = {}) {
    return this.service.call('POST', '/api/v1/submissions/{uuid}/files', { path: { uuid }, body }, options);
  }

  /**
   * Uploads the content of a file: of one as {@link createFile} gave it, to wherever its `upload` leads. The token goes to the
   * service alone.
   */
  uploadFileContent(uuid: string, file: string | FileWithUpload, content: Blob, options: UploadOptions = {}) {
    // Of no type: a browser would say which, and the URL was signed for nothing of the kind.
    const bytes = content.slice();
    const name = typeof file === 'string' ? file : file.uuid;
    if (typeof file !== 'string' && !file.upload.url.endsWith(`/submissions/${uuid}/files/${name}/content`))
      return this.service.upload(file.upload, bytes, options);
    const parameters = { path: { uuid, file: name }, content: bytes };
    return this.service.call('PUT', '/api/v1/submissions/{uuid}/files/{file}/content', parameters, options);
  }

  /** Has the service verify what was uploaded; from then on the file's `value` can be stored in its field. */
  commitFile(uuid: string, file: string, options: CallOptions = {}) {
    const parameters = { path: { uuid, file } };
    return this.service.call('POST', '/api/v1/submissions/{uuid}/files/{file}/commit', parameters, options);
  }

  /** All files of the submission, in the order in which they were announced. */
  listFiles(uuid: string, options: CallOptions = {}) {
    return this.service.call('GET', '/api/v1/submissions/{uuid}/files', { path: { uuid } }, options);
  }

  getFile(uuid: string, file: string, options: CallOptions = {}) {
    const parameters = { path: { uuid, file } };
    return this.service.call('GET', '/api/v1/submissions/{uuid}/files/{file}', parameters, options);
  }

  /** The bytes of a file, from the storage where the service leads there: see CORS in its docs/operations.md. */
  getFileContent(uuid: string, file: string, options: CallOptions = {}) {
    const parameters = { path: { uuid, file } };
    const read = async (response: Response) => ({ content: await response.blob() });
    const path = '/api/v1/submissions/{uuid}/files/{file}/content';
    return this.service.call('GET', path, parameters, options, read) as Promise<Answer<{ content: Blob }>>;
  }

  /** Removes a file with the value that holds it. */
  deleteFile(uuid: string, file: string, options: WriteOptions = {}) {
    const parameters = { path: { uuid, file } };
    return this.service.call('DELETE', '/api/v1/submissions/{uuid}/files/{file}', parameters, options);
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
      ...options
    }: CallOptions & { readonly shape?: Sh; readonly scope?: Sc; readonly explain?: boolean } = {},
  ) {
    const query = { shape: shape ?? 'map', scope, explain: `${explain}` } as const;
    const parameters = { path: { uuid }, query };
    const call = this.service.call('GET', '/api/v1/submissions/{uuid}/conditions', parameters, options);
    return call as Promise<unknown> as Promise<Answer<Conditions<Sh, Sc>>>;
  }

  /** Whether the process answers. */
  checkLiveness(options: CallOptions = {}) {
    return this.service.call('GET', '/health/live', {}, options);
  }

  /** Whether the service can serve; {@link UnavailableError} where it cannot. */
  checkReadiness(options: CallOptions = {}) {
    return this.service.call('GET', '/health/ready', {}, options);
  }
}

function once<Options extends OnceOptions>(options: Options): Options {
  return { ...options, idempotencyKey: options.idempotencyKey ?? newKey() };
}

/** 128 random bits; `crypto.randomUUID` is there for pages that came over HTTPS only. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
