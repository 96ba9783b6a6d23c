import type { DataSource } from 'typeorm';
import { EntityRecord, SubmissionValue } from '../../src/entities.js';
import type { BuiltForm } from './forms.js';

/** Numbers go up, whatever the group. */
export const uuidOf = (group: string, number: number) =>
  `019${group}000-0000-7000-8000-${String(number).padStart(12, '0')}`;

interface Columns {
  readonly uuid: string;
  readonly status?: 'draft' | 'completed';
  readonly step?: number;
  readonly meta?: object;
  readonly createdAt?: string;
  readonly updatedAt?: string;
}

/** Values by code of the field: one without a record, or by record. */
type Values = Readonly<Record<string, string | readonly (readonly [number | null, string])[]>>;

export type StoredSubmission = readonly [built: BuiltForm, columns: Columns, values?: Values];

/** A submission as the database holds it, which may be there already. */
export async function storeSubmission(
  { manager }: DataSource,
  userId: number,
  ...[
    { form, fields },
    { uuid, status = 'draft', step = 1, meta, createdAt, updatedAt },
    values = {},
  ]: StoredSubmission
): Promise<void> {
  // By hand, because TypeORM's times have no microseconds.
  await manager.query(
    `insert into submissions (form_id, user_id, uuid, status, current_step, meta, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, coalesce($7, now()), coalesce($8, now())) on conflict do nothing`,
    [form.id, userId, uuid, status, step, meta, createdAt, updatedAt],
  );
  for (const [code, held] of Object.entries(values)) {
    const { id: fieldId, isRepeatable } = fields[code]!;
    const entries = typeof held === 'string' ? ([[null, held]] as const) : held;
    for (const [entityRecordId, value] of entries) {
      const key = { submissionUuid: uuid, formId: form.id, fieldId, isRepeatable };
      await manager.insert(SubmissionValue, { ...key, entityRecordId, value });
    }
  }
}

export type StoredRecord = readonly [
  built: BuiltForm,
  entity: { readonly id: number },
  submissionUuid: string,
];

/** A record of a submission that is there; its id. */
export async function storeRecord(
  { manager }: DataSource,
  ...[{ form }, { id: entityId }, submissionUuid]: StoredRecord
): Promise<number> {
  const record = manager.create(EntityRecord, { submissionUuid, formId: form.id, entityId });
  return (await manager.save(record)).id;
}
