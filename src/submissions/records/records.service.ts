import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { isForeignKeyViolation, RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import { MAX_RECORDS } from '../../forms/limits.js';
import type { PublishedEntity, PublishedForm } from '../../forms/published-form.js';
import { alreadyCompleted, invalid, mistake, notFound, Problem } from '../../http/errors/problems.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { SubmissionWriter } from '../lifecycle/submission-writer.service.js';
import { SubmissionFormsService } from '../lifecycle/submission-forms.service.js';
import { presentRecords } from '../submission.presenter.js';
import { expectedMoments } from '../submission.statements.js';
import type { SubmissionReference } from '../submission-reference.decorator.js';
import type { RecordResponse } from './records.dto.js';
import {
  COUNT_RECORDS,
  CREATE_RECORD,
  DELETE_RECORD,
  FIND_RECORDS,
  HAS_RECORD,
  INSERT_RECORD,
  TOUCH_LOCKED,
} from './record.statements.js';

export interface CreatedRecord {
  readonly record: RecordResponse;
  readonly updatedAt: string;
}

/** The entries of repeating groups (R1 to R3). */
@Injectable()
export class RecordsService {
  constructor(
    private readonly database: Database,
    private readonly forms: SubmissionFormsService,
    private readonly idempotency: IdempotencyService,
    private readonly writer: SubmissionWriter,
  ) {}

  create(reference: SubmissionReference, name: string, key: string | undefined): Promise<CreatedRecord> {
    const { userId, uuid } = reference;
    const operation = ['create record', uuid, name];
    return this.idempotency.onceInTransaction({ userId, key, operation, row: uuid }, (executor) =>
      this.insert(executor, reference, name),
    );
  }

  async list({ userId, uuid }: SubmissionReference, name: string | undefined): Promise<RecordResponse[]> {
    const [row] = await this.database.query(FIND_RECORDS, [uuid, userId]);
    if (row === undefined) throw notFound('Submission');
    const form = await this.forms.formHolding(this.database, row.form_id, [], row.records);
    const entity = name === undefined ? undefined : entityNamed(form, name);
    if (entity instanceof Problem) throw entity;
    return presentRecords(form, row.records).filter(({ entity }) => name === undefined || entity === name);
  }

  /** When the submission was written to by it. */
  async delete(reference: SubmissionReference, id: number): Promise<string> {
    const { uuid, userId, ifMatch } = reference;
    const { updated_at } = await this.writer.write(this.database, reference, async (executor) => {
      const deleted = await executor.share(DELETE_RECORD, [uuid, userId, expectedMoments(ifMatch), id]);
      if (deleted !== undefined) return deleted;
      const [found] = await executor.query(HAS_RECORD, [uuid, userId, id]);
      if (found?.isOwn === true && !found.hasRecord) throw notFound('Record');
      return undefined;
    });
    return updated_at;
  }

  private async insert(
    executor: Executor,
    reference: SubmissionReference,
    name: string,
  ): Promise<CreatedRecord> {
    const { form, found: entity } = await this.forms.resolve(executor, reference, (own) =>
      entityNamed(own, name),
    );
    const { status } = await this.writer.lockUnchanged(executor, reference);
    if (status === 'completed') throw alreadyCompleted();
    const { id, created_at, updated_at, of_entity } = await this.countAndInsert(
      executor,
      reference,
      form,
      entity,
    );
    if (id !== null && created_at !== null && updated_at !== null)
      return { record: { id, entity: name, created_at }, updatedAt: updated_at };
    throw invalid({
      entity: [of_entity >= entity.maxRecords ? tooManyRecords(entity) : tooManyRecordsInAll()],
    });
  }

  private async countAndInsert(
    executor: Executor,
    { uuid }: SubmissionReference,
    form: PublishedForm,
    { id, maxRecords }: PublishedEntity,
  ) {
    try {
      if (this.database.shards !== undefined)
        return await insertOnShard(executor, uuid, form, { id, maxRecords });
      const [row] = await executor.query(CREATE_RECORD, [uuid, id, form.id, maxRecords, MAX_RECORDS]);
      return row as NonNullable<typeof row>;
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      // Another program has just dropped the entity: run the transaction again with the form as it is now.
      this.forms.forgetForm(form.id);
      throw new RowLockedError();
    }
  }
}

/** As CREATE_RECORD, of a submission that is locked. */
async function insertOnShard(
  executor: Executor,
  uuid: string,
  form: PublishedForm,
  { id, maxRecords }: Pick<PublishedEntity, 'id' | 'maxRecords'>,
) {
  const [counted] = await executor.query(COUNT_RECORDS, [uuid, id]);
  const { of_entity, of_all } = counted as NonNullable<typeof counted>;
  if (of_entity >= maxRecords || of_all >= MAX_RECORDS)
    return { of_entity, id: null, created_at: null, updated_at: null };
  const [inserted] = await executor.query(INSERT_RECORD, [uuid, id, form.id]);
  const [touched] = await executor.query(TOUCH_LOCKED, [uuid]);
  return {
    of_entity,
    ...(inserted as NonNullable<typeof inserted>),
    ...(touched as NonNullable<typeof touched>),
  };
}

function entityNamed(form: PublishedForm, name: string): PublishedEntity | Problem {
  return (
    form.entitiesByName.get(name) ??
    invalid({ entity: [mistake('unknown_entity', 'The form has no entity with this name.')] })
  );
}

export const tooManyRecords = ({ name, maxRecords }: Pick<PublishedEntity, 'name' | 'maxRecords'>) =>
  mistake(
    'too_many_records',
    maxRecords === 1
      ? `The submission has its one record of ${name} already.`
      : `The submission has ${maxRecords} records of ${name} already, which is the most it can have.`,
    { max: maxRecords },
  );

export const tooManyRecordsInAll = () =>
  mistake(
    'too_many_records_in_all',
    `The submission has ${MAX_RECORDS} records already, which is the most it can have.`,
    { max: MAX_RECORDS },
  );
