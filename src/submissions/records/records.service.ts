import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { isForeignKeyViolation, RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import { MAX_RECORDS } from '../../forms/limits.js';
import type { PublishedEntity, PublishedForm } from '../../forms/published-form.js';
import { invalidDataProblem, fieldError, notFoundProblem, Problem } from '../../http/errors/problems.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { DraftsService } from '../drafts/drafts.service.js';
import { SubmissionFormsService } from '../drafts/submission-forms.service.js';
import { presentRecords } from '../submission.presenter.js';
import type { SubmissionReference } from '../submission-reference.decorator.js';
import type { SubmissionState } from '../submission-state.js';
import { requireComputedRoom } from './computed-limit.js';
import type { RecordResponse } from './records.dto.js';
import { CREATE_RECORD, DELETE_RECORD, FIND_RECORDS, HAS_RECORD, TOUCH_LOCKED } from './record.statements.js';

interface CreatedRecord {
  readonly record: RecordResponse;
  readonly updatedAt: string;
  readonly formVersion: number;
}

/** Creates, lists and deletes records, for example the expenses of a claim (R1 to R3). */
@Injectable()
export class RecordsService {
  constructor(
    private readonly database: Database,
    private readonly forms: SubmissionFormsService,
    private readonly idempotency: IdempotencyService,
    private readonly drafts: DraftsService,
  ) {}

  async create(reference: SubmissionReference, name: string): Promise<SubmissionState<RecordResponse>> {
    const { uuid } = reference;
    const request = { caller: reference, operation: ['create record', uuid, name], row: uuid };
    const { record, updatedAt, formVersion } = await this.idempotency.onceInTransaction(request, (executor) =>
      this.insert(executor, reference, name),
    );
    return { data: record, updatedAt, formVersion, created: `/submissions/${uuid}/records/${record.id}` };
  }

  async list(
    reference: SubmissionReference,
    name: string | undefined,
  ): Promise<{ readonly form: PublishedForm; readonly records: RecordResponse[] }> {
    const executor = this.database.forRequest(reference);
    const [row] = await executor.query(FIND_RECORDS, [reference.uuid, reference.userId]);
    if (row === undefined) throw notFoundProblem('Submission');
    const form = await this.forms.formHolding(executor, row.form_id, [], row.records);
    const entity = name === undefined ? undefined : entityNamed(form, name);
    if (entity instanceof Problem) throw entity;
    const records = presentRecords(form, row.records).filter(
      ({ entity }) => name === undefined || entity === name,
    );
    return { form, records };
  }

  delete(reference: SubmissionReference, id: number): Promise<SubmissionState> {
    const { uuid, userId } = reference;
    return this.database.forRequest(reference).transaction(async (executor) => {
      const [found] = await executor.query(HAS_RECORD, [uuid, userId, id]);
      if (found?.isOwn === true && !found.hasRecord) throw notFoundProblem('Record');
      await this.drafts.lockDraft(executor, reference);
      const [deleted] = await executor.query(DELETE_RECORD, [uuid, id]);
      const [touched] = await executor.query(TOUCH_LOCKED, [uuid]);
      if (deleted === undefined || touched === undefined) throw notFoundProblem('Record');
      return { data: undefined, updatedAt: touched.updated_at, formVersion: null };
    }, uuid);
  }

  private async insert(
    executor: Executor,
    reference: SubmissionReference,
    name: string,
  ): Promise<CreatedRecord> {
    const { form, found: entity } = await this.forms.resolve(executor, reference, (own) =>
      entityNamed(own, name),
    );
    this.forms.requireForm(form, reference.uuid, await this.drafts.lockDraft(executor, reference));
    await requireComputedRoom(executor, reference, form, entity);
    const { id, created_at, updated_at, of_entity } = await this.countAndInsert(
      executor,
      reference,
      form,
      entity,
    );
    if (id !== null && created_at !== null && updated_at !== null)
      return { record: { id, entity: name, created_at }, updatedAt: updated_at, formVersion: form.version };
    throw invalidDataProblem({
      entity: [of_entity >= entity.maxRecords ? tooManyRecordsError(entity) : tooManyRecordsInAllError()],
    });
  }

  private async countAndInsert(
    executor: Executor,
    { uuid }: SubmissionReference,
    form: PublishedForm,
    { id, maxRecords }: PublishedEntity,
  ) {
    try {
      const [row] = await executor.query(CREATE_RECORD, [uuid, id, form.id, maxRecords, MAX_RECORDS]);
      return row as NonNullable<typeof row>;
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      // Another program has just deleted the entity. Retry the transaction with the current form.
      this.forms.forgetForm(form.id);
      throw new RowLockedError();
    }
  }
}

function entityNamed(form: PublishedForm, name: string): PublishedEntity | Problem {
  return (
    form.entitiesByName.get(name) ??
    invalidDataProblem({ entity: [fieldError('unknown_entity', 'The form has no entity with this name.')] })
  );
}

const tooManyRecordsError = ({ name, maxRecords }: Pick<PublishedEntity, 'name' | 'maxRecords'>) =>
  fieldError(
    'too_many_records',
    maxRecords === 1
      ? `The submission already has its only record of ${name}.`
      : `The submission already has ${maxRecords} records of ${name}, which is the maximum.`,
    { max: maxRecords },
  );

const tooManyRecordsInAllError = () =>
  fieldError(
    'too_many_records_in_all',
    `The submission already has ${MAX_RECORDS} records, which is the maximum.`,
    { max: MAX_RECORDS },
  );
