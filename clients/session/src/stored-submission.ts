import {
  type FormSchema,
  type FormtrailClient,
  type Mistake,
  NetworkError,
  type SubmissionFile,
  type SubmissionRecord,
  type SubmissionValue,
  type SubmissionWithValues,
} from 'formtrail-client';
import { type AnswerKey, Places } from './answer-key.js';
import { isComputed } from './components.js';
import type { Explain } from './form-change.js';
import type { Limits } from './limits.js';
import type { States } from './snapshot.js';

export interface SentAnswer {
  readonly key: AnswerKey;
  readonly value: string;
}

type SubmissionData = Pick<
  SubmissionWithValues,
  'status' | 'current_step' | 'values' | 'records' | 'is_test' | 'locale'
> & { readonly computed?: readonly SubmissionValue[] | undefined };

/** The content of a draft that the first answer will create. */
const NOTHING: SubmissionData = {
  ...{ status: 'draft', current_step: 1, values: [], records: [], is_test: false, locale: null },
};

/** Maximum number of attempts to read the submission and its form in the same version. */
const MAX_ATTEMPTS = 3;

/** Requests the states with each write, because they depend on what the write changes. */
const WITH_STATES = { include: 'conditions', scope: 'records', steps: true } as const;

/**
 * The last known state of a submission on the service, and its requests. Every write is conditional on that state (S11): the write
 * rejects with a `ChangedError` after any other write, even after one of this object whose response was lost.
 */
export class StoredSubmission {
  status: SubmissionWithValues['status'] = 'draft';
  /** Id of the step that the submission is on, because positions change with the form. Undefined if the form has no steps. */
  stepId: number | undefined;
  values: ReadonlyMap<AnswerKey, string> = new Map();
  /** The answers that the service has computed from the values. */
  computed: ReadonlyMap<AnswerKey, string> = new Map();
  records: readonly SubmissionRecord[] = [];
  states: States = { data: {}, records: {}, steps: [], entities: [] };
  /** Files by the value that references them. Undefined for a file that the service does not have. */
  files: ReadonlyMap<string, SubmissionFile | undefined> = new Map();
  /** The field error that strict completion would report for a stored file (U6). Set for forms with files. */
  mistakeOfFile: ((key: AnswerKey, file: SubmissionFile | undefined) => Mistake | undefined) | undefined;
  /** Set for forms with limits. */
  limits: Limits | undefined;
  /** The stored language; null if it is not known. */
  storedLocale: string | null = null;
  /** Shows and stores another language. Set until both have succeeded. */
  setLocale: (() => Promise<void>) | undefined;
  /** Whether it is a test (P10). */
  isTest = false;
  /** Requests left in the current minute; infinite if there is no rate limit. */
  remaining = Number.POSITIVE_INFINITY;
  /** Whether the last response came from another version of the form (N1). */
  isOutdated = false;
  /** Set when the form was read again, until the user sees the change. */
  explain: Explain | undefined;
  places: Places;
  private etag: string | undefined;

  constructor(
    readonly client: FormtrailClient,
    public form: FormSchema,
    /** `''` until the submission is begun, with the first answer. */
    public uuid: string,
    /** The language in which the form is read, and the submission begun. */
    public locale: string | undefined,
  ) {
    this.places = new Places(form);
  }

  /** Repeated calls with the same key create one submission only. */
  async begin(idempotencyKey: string): Promise<void> {
    const { client, form, locale } = this;
    const begun = await client.createSubmission(form.uuid, { ...this.withStates, locale, idempotencyKey });
    this.uuid = begun.data.uuid;
    this.isTest = begun.data.is_test;
    this.storedLocale = begun.data.locale;
    this.adoptMove(begun);
  }

  /** Continues another submission. Call `refresh` afterwards: until it succeeds, writes reject with a `ChangedError`. */
  goOnAs(uuid: string): void {
    this.uuid = uuid;
    this.etag = '"unread"';
    this.isOutdated = true;
  }

  async refresh(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.read();
      this.adopt(response);
      const { form_version, data } = response;
      if (this.isOutdated) {
        const { readForm } = await import('./form-change.js').catch(failToLoad);
        const explain = await readForm(this);
        this.explain ??= explain;
      }
      // The form may have changed again between the two requests.
      if (form_version === this.form.version || attempt === MAX_ATTEMPTS) {
        this.adoptData(data);
        return;
      }
    }
  }

  private adoptData(data: SubmissionData): void {
    const { status, current_step, values, computed, records, is_test, locale } = data;
    this.isTest = is_test;
    this.storedLocale = locale;
    this.status = status;
    this.stepId = this.form.steps[current_step - 1]?.id;
    this.records = records;
    this.values = this.byKey(values);
    this.computed = this.byKey(computed);
  }

  /** An older service has no computed values. */
  private byKey(values: readonly SubmissionValue[] = []): Map<AnswerKey, string> {
    return new Map(
      values.flatMap(({ field_id, entity_record_id, value }) => {
        const key = this.places.keyOf(field_id, entity_record_id);
        return key === undefined ? [] : [[key, value] as const];
      }),
    );
  }

  private async read(): Promise<StateResponse & { readonly data: SubmissionData }> {
    if (this.uuid) return this.client.getSubmission(this.uuid, WITH_STATES);
    const { computed } = this.withStates;
    const { data, steps, entities, ...rest } = await this.client.resolveFormConditions(this.form.uuid, {
      ...{ steps: true, computed },
    });
    return {
      ...rest,
      conditions: { data, steps, entities, records: {} },
      data: { ...NOTHING, computed: rest.computed },
    };
  }

  async readFiles(): Promise<readonly SubmissionFile[]> {
    const { data } = await this.client.listFiles(this.uuid);
    this.files = new Map(data.map((file) => [file.value, file]));
    return data;
  }

  async store(answers: readonly SentAnswer[]): Promise<void> {
    const values = answers.map(({ key, value }) => {
      const { field, recordId } = this.places.of(key) ?? {};
      return { field_id: field?.id ?? 0, entity_record_id: recordId ?? null, value };
    });
    this.adopt(await this.client.storeValues(this.uuid, values, this.options));
    this.values = new Map([...this.values, ...answers.map(({ key, value }) => [key, value] as const)]);
  }

  /** Moves to the next visible step (C13). With `validate`, rejects if the current step has field errors (S12). */
  async advance(validate: boolean): Promise<void> {
    this.adoptMove(await this.client.advanceSubmission(this.uuid, { ...this.moveOptions, validate }));
  }

  async retreat(): Promise<void> {
    this.adoptMove(await this.client.retreatSubmission(this.uuid, this.moveOptions));
  }

  /** Returns the id. Call `refresh` afterwards. Repeated calls with the same key add one record only. */
  async addRecord(entity: string, idempotencyKey: string): Promise<number> {
    const added = await this.client.createRecord(this.uuid, entity, { ifMatch: this.etag, idempotencyKey });
    this.adopt(added);
    return added.data.id;
  }

  /** Call `refresh` afterwards. */
  async removeRecord(id: number): Promise<void> {
    this.adopt(await this.client.deleteRecord(this.uuid, id, { ifMatch: this.etag }));
  }

  /** Field errors of the step with this `step_number`, or of all steps. */
  async validate(step?: number): Promise<readonly Mistake[]> {
    const { data, form_version } = await this.client.validateSubmission(this.uuid, { step });
    this.isOutdated ||= form_version !== this.form.version;
    return data.mistakes ?? [];
  }

  async complete(): Promise<void> {
    this.adopt(await this.client.patchSubmission(this.uuid, { status: 'completed' }, { ifMatch: this.etag }));
    this.status = 'completed';
  }

  private get withStates() {
    const computed = this.form.steps.some(({ fields }) => fields.some(isComputed)) || undefined;
    return { ...WITH_STATES, computed };
  }

  private get options() {
    return { ...this.withStates, ifMatch: this.etag };
  }

  private get moveOptions() {
    return { ...this.options, skip: 'hidden' } as const;
  }

  private adoptMove(response: StateResponse & { readonly data: Pick<SubmissionData, 'current_step'> }): void {
    this.adopt(response);
    // After a change of the form, `refresh` reads the step.
    if (!this.isOutdated) this.stepId = this.form.steps[response.data.current_step - 1]?.id;
  }

  private adopt({ etag, remaining, conditions, form_version = this.form.version }: StateResponse): void {
    // A proxy that compresses responses turns the ETag into a weak one, which `If-Match` never matches.
    this.etag = etag?.replace(/^W\//, '');
    this.remaining = remaining ?? Number.POSITIVE_INFINITY;
    if (conditions) {
      this.states = conditions;
      this.computed = this.byKey(conditions.computed);
    }
    this.isOutdated = form_version !== this.form.version;
  }
}

export function failToLoad(cause: unknown): never {
  throw new NetworkError(cause);
}

interface StateResponse {
  readonly etag: string | undefined;
  readonly remaining: number | undefined;
  readonly conditions?: States;
  /** Absent in responses without a body. */
  readonly form_version?: number;
}
