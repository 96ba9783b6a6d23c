import { connect, type Connection } from './connection.js';
import { NetworkError } from './errors.js';
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
/** The input to render: a component that every service has, or an {@link UnknownComponent}. */
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
export type NewRespondent = Schemas['NewRespondent'];
export type RespondentToken = Schemas['RespondentToken'];
export type ResumeCode = Schemas['ResumeCode'];
export type Challenge = Schemas['Challenge'];
export type Availability = Schemas['Availability'];
export type SubmissionFile = Schemas['File'];
export type FileWithUpload = Schemas['FileWithUpload'];
export type StepProgress = Schemas['StepProgress'];
export type Validation = Schemas['Validation'];
export type SubmissionChange = Schemas['SubmissionChange'];
export type ConditionsMap = Schemas['ConditionsMap'];
export type ConditionsList = Schemas['ConditionsList'];
export type ConditionsByRecord = Schemas['ConditionsByRecord'];
export type StepState = Schemas['StepState'];
export type EntityState = Schemas['EntityState'];

/**
 * A value to store. `field_id` or `field_code` names its field; if you pass both, they have to name the same field. `value` has at
 * most 65,535 characters, and `""` counts as no value. `entity_record_id` is the id of an entry of a repeating group.
 */
export type NewValue = {
  readonly value: string;
  readonly entity_record_id?: number | null;
} & (
  | { readonly field_id: number; readonly field_code?: string }
  | { readonly field_code: string; readonly field_id?: number }
);

export interface ClientOptions {
  /** Base URL of the service, without `/api/v1`. Defaults to the origin of the page. */
  readonly url?: string | undefined;
  /**
   * The user's token, or a function that returns it before each call. Calls about forms, and those that begin
   * as a respondent or resume, are sent without it.
   */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /**
   * Maximum total wait of one call, in seconds, while the service responds 429 or 503. The call rejects if it would have to wait
   * longer; with 0 it never waits. Defaults to 65, because a rate limit lasts 60 seconds.
   */
  readonly patience?: number | undefined;
  /** Called before each wait, for example to show the user a notice. */
  readonly onWait?: ((wait: Wait) => void) | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Uploads the content of files. Defaults to `XMLHttpRequest`, which reports progress, or to `fetch` if there is none. */
  readonly sendContent?: SendContent | undefined;
}

export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | null | undefined;
}

export interface LocaleOptions extends CallOptions {
  /**
   * The language of the texts, as a BCP 47 tag such as `de-AT`. Texts that the form does not have in it are in the form's own language.
   */
  readonly locale?: string | undefined;
}

export interface UploadOptions extends CallOptions {
  /** Called repeatedly with the number of bytes sent so far; with `fetch` only once, at the end. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

export interface WriteOptions extends CallOptions {
  /** The `etag` of the state to change. The call rejects with {@link ChangedError} if the submission has another state. */
  readonly ifMatch?: string | undefined;
}

export interface OnceOptions {
  /**
   * `Idempotency-Key` of the call: 1 to 255 printable ASCII characters, which the service remembers for 24 hours. Defaults to a
   * new key for each call. Set your own to repeat a call after a {@link NetworkError} without executing it twice.
   */
  readonly idempotencyKey?: string | undefined;
}

export type Shape = keyof ConditionsShapes;

export type Scope = 'records' | undefined;

/** `true` adds which steps and entities are visible. */
export type Steps = boolean | undefined;

/** The properties of a response body besides `data`. */
export interface IncludeOptions<I extends Include, Sh extends Shape, Sc extends Scope, St extends Steps> {
  /** `conditions` adds which fields are visible and required after the call, without another request. */
  readonly include?: I;
  /** Shape of the conditions, as in {@link FormtrailClient.resolveConditions}. */
  readonly shape?: Sh;
  readonly scope?: Sc;
  readonly steps?: St;
  /** `true` adds the answers that the service computes from others. */
  readonly computed?: boolean | undefined;
}

export interface MoveOptions {
  /**
   * `hidden` moves to the nearest step that is visible and has a visible field. `is_last_step` and `progress_percentage` then count
   * only such steps.
   */
  readonly skip?: 'hidden' | undefined;
}

export type Include = 'conditions' | undefined;

export type Including<Body, I extends Include, Sh extends Shape, Sc extends Scope, St extends Steps> = Omit<
  Body,
  'conditions'
> &
  (I extends 'conditions' ? { conditions: Conditions<Sh, Sc, St> } : unknown);

/** The response body, with the values of two headers. */
export type Answer<Body> = Body & {
  /** ETag of the submission, for `ifMatch`, or of the form; undefined if the response has none. */
  readonly etag: string | undefined;
  /** Requests left in the current minute; undefined if there is no rate limit. */
  readonly remaining: number | undefined;
};

interface ConditionsShapes {
  readonly map: ConditionsMap;
  readonly list: ConditionsList;
}

/**
 * Which fields are visible and required: `data` in the requested shape, and with `scope: 'records'` also by record id. With
 * `steps: true` also which steps and entities are visible, and with `computed: true` the computed values.
 */
export type Conditions<
  Sh extends Shape = 'map',
  Sc extends Scope = undefined,
  St extends Steps = undefined,
> = {
  data: ConditionsShapes[Sh];
  computed?: readonly SubmissionValue[];
} & (Sc extends 'records' ? { records: Readonly<Record<string, ConditionsShapes[Sh]>> } : unknown) &
  (St extends true ? { steps: readonly StepState[]; entities: readonly EntityState[] } : unknown);

/**
 * A client of the service. Each method is named after an operation of the OpenAPI document and resolves to the response
 * body. A method rejects with a {@link FormtrailError} or a subclass if the service responds with an error, with a
 * {@link NetworkError} if no complete response arrives, and with the signal's reason if it is aborted.
 */
export class FormtrailClient {
  private readonly service: Connection;

  constructor(readonly options: ClientOptions = {}) {
    this.service = connect(options);
  }

  /** Lists the active forms, a page at a time: `page` counts from 1, `per_page` is 1 to 100 (default 15). */
  listForms(
    query: { page?: number; per_page?: number; locale?: string | undefined } = {},
    options: CallOptions = {},
  ) {
    return this.service.call('GET', '/api/v1/forms', { query }, options);
  }

  getForm(uuid: string, { locale, ...options }: LocaleOptions = {}) {
    const parameters = { path: { uuid }, query: { locale } };
    return this.service.call('GET', '/api/v1/forms/{uuid}', parameters, options);
  }

  getFormBySlug(slug: string, { locale, ...options }: LocaleOptions = {}) {
    const parameters = { path: { slug }, query: { locale } };
    return this.service.call('GET', '/api/v1/forms/{slug}/by-slug', parameters, options);
  }

  /**
   * Reads a form with its steps, fields, options, conditions, rules and entities. With `version`, reads it as it was in that version;
   * rejects with a `NotFoundError` if no submission was completed in it.
   */
  getFormSchema(
    uuid: string,
    { version, locale, ...options }: LocaleOptions & { readonly version?: number } = {},
  ) {
    const parameters = { path: { uuid }, query: { version, locale } };
    return this.service.call('GET', '/api/v1/forms/{uuid}/schema', parameters, options);
  }

  /**
   * Returns which fields are visible and required before the first answer. With `steps: true` also which steps and entities are
   * visible, and with `computed: true` the computed values.
   */
  resolveFormConditions<Sh extends Shape = 'map', St extends Steps = undefined>(
    uuid: string,
    {
      shape,
      steps,
      computed,
      ...options
    }: CallOptions & {
      readonly shape?: Sh;
      readonly steps?: St;
      readonly computed?: boolean | undefined;
    } = {},
  ) {
    const query = {
      shape: shape ?? 'map',
      steps: steps ? 'true' : undefined,
      computed: computed ? 'true' : undefined,
    } as const;
    const parameters = { path: { uuid }, query };
    const call = this.service.call('GET', '/api/v1/forms/{uuid}/conditions', parameters, options);
    type Body = Conditions<Sh, undefined, St> & { readonly form_version: number };
    return call as Promise<unknown> as Promise<Answer<Body>>;
  }

  /** Returns whether the form is open, and how many places are left in it and for its options. */
  getAvailability(uuid: string, options: CallOptions = {}) {
    return this.service.call('GET', '/api/v1/forms/{uuid}/availability', { path: { uuid } }, options);
  }

  /**
   * Makes the visitor of a public form a respondent: a user without an email address, for this form only. Resolves to the respondent's
   * token. If the form asks for a proof of work, `proof` is the solution of a challenge; see {@link getChallenge}.
   */
  createRespondent(body: NewRespondent, options: CallOptions = {}) {
    return this.service.call('POST', '/api/v1/respondents', { body }, options);
  }

  /** Ends the respondent's token that this client sends. */
  endRespondent(options: CallOptions = {}) {
    return this.service.call('DELETE', '/api/v1/respondents/me', {}, options);
  }

  /** Returns a challenge in the format of ALTCHA. Rejects with {@link NotFoundError} if the form asks for no proof of work. */
  getChallenge(uuid: string, options: CallOptions = {}) {
    return this.service.call('GET', '/api/v1/forms/{uuid}/challenge', { path: { uuid } }, options);
  }

  /** Creates a code that makes another device the same respondent, once and within 7 days. */
  createResumeCode(options: CallOptions = {}) {
    return this.service.call('POST', '/api/v1/resume-codes', {}, options);
  }

  /** Exchanges a resume code for a token of its respondent. Rejects with {@link InvalidError} if the code is not valid. */
  resume(code: string, options: CallOptions = {}) {
    return this.service.call('POST', '/api/v1/resume', { body: { code } }, options);
  }

  /** Creates a draft, in the language `locale`. Retries do not create a second one. */
  createSubmission<
    I extends Include = undefined,
    Sh extends Shape = 'map',
    Sc extends Scope = undefined,
    St extends Steps = undefined,
  >(
    form_uuid: string,
    { locale, ...options }: LocaleOptions & OnceOptions & IncludeOptions<I, Sh, Sc, St> = {},
  ) {
    const body = { form_uuid, ...(locale !== undefined && { locale }) };
    return this.service.call('POST', '/api/v1/submissions', { body }, once(options));
  }

  /**
   * Lists the user's submissions, newest first, a page at a time: `per_page` is 1 to 100 (default 15). Pass the returned `cursor`
   * to get the next page; it is undefined on the last one.
   */
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

  /** Reads a submission with its values and records. */
  getSubmission<
    I extends Include = undefined,
    Sh extends Shape = 'map',
    Sc extends Scope = undefined,
    St extends Steps = undefined,
  >(uuid: string, options: CallOptions & IncludeOptions<I, Sh, Sc, St> = {}) {
    return this.service.call('GET', '/api/v1/submissions/{uuid}', { path: { uuid } }, options);
  }

  /** Deletes a draft permanently, with its values and records. */
  deleteSubmission(uuid: string, options: WriteOptions = {}) {
    return this.service.call('DELETE', '/api/v1/submissions/{uuid}', { path: { uuid } }, options);
  }

  /** Stores `meta` or `locale`, completes the submission with `status: 'completed'`, or several of these. */
  patchSubmission(uuid: string, body: SubmissionChange, options: WriteOptions = {}) {
    return this.service.call('PATCH', '/api/v1/submissions/{uuid}', { path: { uuid }, body }, options);
  }

  /**
   * Stores up to 500 values; each replaces the stored value of its field. If one is invalid, the call rejects with
   * {@link InvalidError} and stores none.
   */
  storeValues<
    I extends Include = undefined,
    Sh extends Shape = 'map',
    Sc extends Scope = undefined,
    St extends Steps = undefined,
  >(uuid: string, values: readonly NewValue[], options: WriteOptions & IncludeOptions<I, Sh, Sc, St> = {}) {
    const body = { values: [...values] };
    return this.service.call('POST', '/api/v1/submissions/{uuid}/values', { path: { uuid }, body }, options);
  }

  /** Returns what strict completion would reject, on all steps or on the step whose `step_number` is `step`. */
  validateSubmission(
    uuid: string,
    { step, ...options }: CallOptions & { readonly step?: number | undefined } = {},
  ) {
    const parameters = { path: { uuid }, query: { step } };
    return this.service.call('GET', '/api/v1/submissions/{uuid}/validation', parameters, options);
  }

  /**
   * Moves one step forward. Retries do not move twice. With `validate`, the call rejects with {@link InvalidError} if strict
   * completion would reject values of the current step. With `skip: 'hidden'`, it moves past hidden steps.
   */
  advanceSubmission<
    I extends Include = undefined,
    Sh extends Shape = 'map',
    Sc extends Scope = undefined,
    St extends Steps = undefined,
  >(
    uuid: string,
    {
      validate,
      skip,
      ...options
    }: WriteOptions &
      OnceOptions &
      MoveOptions &
      IncludeOptions<I, Sh, Sc, St> & { readonly validate?: boolean } = {},
  ) {
    const query = { validate: validate ? ('true' as const) : undefined, skip };
    const parameters = { path: { uuid }, query };
    return this.service.call('POST', '/api/v1/submissions/{uuid}/advance', parameters, once(options));
  }

  /** Moves one step back. Retries do not move twice. With `skip: 'hidden'`, it moves past hidden steps. */
  retreatSubmission<
    I extends Include = undefined,
    Sh extends Shape = 'map',
    Sc extends Scope = undefined,
    St extends Steps = undefined,
  >(
    uuid: string,
    { skip, ...options }: WriteOptions & OnceOptions & MoveOptions & IncludeOptions<I, Sh, Sc, St> = {},
  ) {
    const parameters = { path: { uuid }, query: { skip } };
    return this.service.call('POST', '/api/v1/submissions/{uuid}/retreat', parameters, once(options));
  }

  /** Adds an entry to the repeating group of `entity`. Retries do not add a second one. */
  createRecord(uuid: string, entity: string, options: WriteOptions & OnceOptions = {}) {
    const parameters = { path: { uuid }, body: { entity } };
    return this.service.call('POST', '/api/v1/submissions/{uuid}/records', parameters, once(options));
  }

  /** Lists the entries of all repeating groups, or of one `entity`. */
  listRecords(uuid: string, query: { entity?: string } = {}, options: CallOptions = {}) {
    const parameters = { path: { uuid }, query };
    return this.service.call('GET', '/api/v1/submissions/{uuid}/records', parameters, options);
  }

  /** Deletes an entry of a repeating group with its values. */
  deleteRecord(uuid: string, id: number, options: WriteOptions = {}) {
    const parameters = { path: { uuid, id } };
    return this.service.call('DELETE', '/api/v1/submissions/{uuid}/records/{id}', parameters, options);
  }

  /** Creates an upload for a file field. Then call {@link uploadFileContent}, and {@link commitFile}. */
  createFile(uuid: string, body: NewFile, options: WriteOptions = {}) {
    return this.service.call('POST', '/api/v1/submissions/{uuid}/files', { path: { uuid }, body }, options);
  }

  /**
   * Uploads the content of a file. Pass the file that {@link createFile} returned, because its link may lead to an external storage,
   * which never receives the token. If you pass only the UUID, the content goes to the service.
   */
  async uploadFileContent(
    uuid: string,
    file: string | FileWithUpload,
    content: Blob,
    options: UploadOptions = {},
  ) {
    const { uploadContent } = await import('./send-content.js').catch((cause: unknown) => {
      throw new NetworkError(cause);
    });
    return uploadContent(this.service, this.options, { uuid, file, content }, options);
  }

  /** Has the service verify the uploaded content. After that, the file's `value` can be stored in its field. */
  commitFile(uuid: string, file: string, options: CallOptions = {}) {
    const parameters = { path: { uuid, file } };
    return this.service.call('POST', '/api/v1/submissions/{uuid}/files/{file}/commit', parameters, options);
  }

  /** Lists all files of the submission, in the order in which their uploads were created. */
  listFiles(uuid: string, options: CallOptions = {}) {
    return this.service.call('GET', '/api/v1/submissions/{uuid}/files', { path: { uuid } }, options);
  }

  getFile(uuid: string, file: string, options: CallOptions = {}) {
    const parameters = { path: { uuid, file } };
    return this.service.call('GET', '/api/v1/submissions/{uuid}/files/{file}', parameters, options);
  }

  /**
   * Reads the content of a file. The service may redirect to an external storage, whose CORS rules then have to allow the page;
   * see "Files" in docs/operations/install.md.
   */
  getFileContent(uuid: string, file: string, options: CallOptions = {}) {
    const parameters = { path: { uuid, file } };
    const handling = { read: async (response: Response) => ({ content: await response.blob() }) };
    const path = '/api/v1/submissions/{uuid}/files/{file}/content';
    return this.service.call('GET', path, parameters, options, handling) as Promise<
      Answer<{ content: Blob }>
    >;
  }

  /** Deletes a file with the value that references it. */
  deleteFile(uuid: string, file: string, options: WriteOptions = {}) {
    const parameters = { path: { uuid, file } };
    return this.service.call('DELETE', '/api/v1/submissions/{uuid}/files/{file}', parameters, options);
  }

  /**
   * Returns which fields are visible and required for the stored values, as an object by field id (`map`) or as a list. With
   * `scope: 'records'` it also returns the states in each record, with `steps: true` those of steps and entities, and with
   * `computed: true` the computed values.
   */
  resolveConditions<Sh extends Shape = 'map', Sc extends Scope = undefined, St extends Steps = undefined>(
    uuid: string,
    {
      shape,
      scope,
      steps,
      computed,
      explain = false,
      ...options
    }: CallOptions & {
      readonly shape?: Sh;
      readonly scope?: Sc;
      readonly steps?: St;
      readonly computed?: boolean | undefined;
      readonly explain?: boolean;
    } = {},
  ) {
    const query = {
      shape: shape ?? 'map',
      scope,
      steps: steps ? ('true' as const) : undefined,
      computed: computed ? ('true' as const) : undefined,
      explain: `${explain}`,
    } as const;
    const parameters = { path: { uuid }, query };
    const call = this.service.call('GET', '/api/v1/submissions/{uuid}/conditions', parameters, options);
    return call as Promise<unknown> as Promise<Answer<Conditions<Sh, Sc, St>>>;
  }

  /** Resolves if the process responds. */
  checkLiveness(options: CallOptions = {}) {
    return this.service.call('GET', '/health/live', {}, options);
  }

  /** Resolves if the service can handle requests; rejects with {@link UnavailableError} otherwise. */
  checkReadiness(options: CallOptions = {}) {
    return this.service.call('GET', '/health/ready', {}, options);
  }
}

function once<Options extends OnceOptions>(options: Options): Options {
  return { ...options, idempotencyKey: options.idempotencyKey ?? newKey() };
}

/** 128 random bits. `crypto.randomUUID` exists only in secure contexts, such as HTTPS pages. */
function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
