import type {
  FormSchema,
  FormtrailClient,
  Mistake,
  SubmissionFile,
  SubmissionRecord,
  SubmissionWithValues,
} from 'formtrail-client';
import { type AnswerKey, Places } from './answer-key.js';
import type { SentAnswer } from './mistakes.js';
import type { States } from './snapshot.js';

/** What a request changes is what the states depend on: they come with its answer. */
const WITH_STATES = { include: 'conditions', scope: 'records' } as const;

/**
 * A submission as the service had it last, and all that can be asked of it. Every write is one for that very state: it
 * rejects with a `ChangedError` where another came first, be it an own one whose answer got lost (S11).
 */
export class StoredSubmission {
  status: SubmissionWithValues['status'] = 'draft';
  currentStep = 1;
  values: ReadonlyMap<AnswerKey, string> = new Map();
  records: readonly SubmissionRecord[] = [];
  states: States = { data: {}, records: {} };
  /** By the value that stands for it; undefined of one that the service does not have. */
  files: ReadonlyMap<string, SubmissionFile | undefined> = new Map();
  /** Requests of the current minute. */
  remaining = Number.POSITIVE_INFINITY;
  readonly places: Places;
  private etag: string | undefined;

  static async read(client: FormtrailClient, form: FormSchema, uuid: string): Promise<StoredSubmission> {
    const submission = new StoredSubmission(client, form, uuid);
    await submission.refresh();
    return submission;
  }

  /** With the same key one is begun, however often it is asked for. */
  static async begin(
    client: FormtrailClient,
    form: FormSchema,
    idempotencyKey: string,
  ): Promise<StoredSubmission> {
    const begun = await client.createSubmission(form.uuid, { ...WITH_STATES, idempotencyKey });
    const submission = new StoredSubmission(client, form, begun.data.uuid);
    submission.adopt(begun);
    return submission;
  }

  private constructor(
    readonly client: FormtrailClient,
    readonly form: FormSchema,
    readonly uuid: string,
  ) {
    this.places = new Places(form);
  }

  async refresh(): Promise<void> {
    const answer = await this.client.getSubmission(this.uuid, WITH_STATES);
    const { status, current_step, values, records } = answer.data;
    this.status = status;
    this.currentStep = current_step;
    this.records = records;
    this.values = new Map(
      values.flatMap(({ field_id, entity_record_id, value }) => {
        const key = this.places.keyOf(field_id, entity_record_id);
        return key === undefined ? [] : [[key, value] as const];
      }),
    );
    this.adopt(answer);
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

  /** One step; `validate` refuses to leave one with mistakes (S12). */
  async advance(validate: boolean): Promise<void> {
    this.adoptMove(await this.client.advanceSubmission(this.uuid, { ...this.options, validate }));
  }

  async retreat(): Promise<void> {
    this.adoptMove(await this.client.retreatSubmission(this.uuid, this.options));
  }

  /** Its id; what it changes is to be read. With the same key it is added once, whether or not the answer to the first attempt arrived. */
  async addRecord(entity: string, idempotencyKey: string): Promise<number> {
    const added = await this.client.createRecord(this.uuid, entity, { ifMatch: this.etag, idempotencyKey });
    this.adopt(added);
    return added.data.id;
  }

  /** What it changes is to be read. */
  async removeRecord(id: number): Promise<void> {
    this.adopt(await this.client.deleteRecord(this.uuid, id, { ifMatch: this.etag }));
  }

  /** Without a step: of all. */
  async validate(step?: number): Promise<readonly Mistake[]> {
    const { data } = await this.client.validateSubmission(this.uuid, { step });
    return data.mistakes ?? [];
  }

  async complete(): Promise<void> {
    this.adopt(await this.client.patchSubmission(this.uuid, { status: 'completed' }, { ifMatch: this.etag }));
    this.status = 'completed';
  }

  private get options() {
    return { ...WITH_STATES, ifMatch: this.etag };
  }

  private adoptMove(answer: Awaited<ReturnType<typeof this.client.retreatSubmission>>): void {
    this.currentStep = answer.data.current_step;
    this.adopt(answer);
  }

  private adopt({ etag, remaining, conditions }: Answered): void {
    // A proxy that compresses makes it a weak one, which would never match.
    this.etag = etag?.replace(/^W\//, '');
    this.remaining = remaining ?? Number.POSITIVE_INFINITY;
    if (conditions) this.states = conditions;
  }
}

interface Answered {
  readonly etag: string | undefined;
  readonly remaining: number | undefined;
  readonly conditions?: States;
}
