import type { DataSource } from 'typeorm';
import { EntityRecord, SubmissionValue } from '../../src/entities.js';
import type { BuiltForm } from './forms.js';

/** Returns a UUID from a group and a number. Within a group, UUIDs are ordered by number. */
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

/** Values by code of the field: either one value without a record, or pairs of a record's id (or null) and a value. */
type Values = Readonly<Record<string, string | readonly (readonly [number | null, string])[]>>;

export type StoredSubmission = readonly [built: BuiltForm, columns: Columns, values?: Values];

/** Inserts a submission, unless it exists, and its values. */
export async function storeSubmission(
  { manager }: DataSource,
  userId: number,
  ...[
    { form, fields },
    { uuid, status = 'draft', step = 1, meta, createdAt, updatedAt },
    values = {},
  ]: StoredSubmission
): Promise<void> {
  // On Citus, no trigger sets the time of completion.
  const completedAt = status === 'completed' ? (updatedAt ?? new Date()) : null;
  // Use plain SQL, because TypeORM's dates have no microseconds.
  await manager.query(
    `insert into submissions (form_id, user_id, uuid, status, current_step, meta, created_at, updated_at, completed_at)
     values ($1, $2, $3, $4, $5, $6, coalesce($7, now()), coalesce($8, now()), $9) on conflict do nothing`,
    [form.id, userId, uuid, status, step, meta, createdAt, updatedAt, completedAt],
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

/** Inserts a record into an existing submission. Returns its id. */
export async function storeRecord(
  { manager }: DataSource,
  ...[{ form }, { id: entityId }, submissionUuid]: StoredRecord
): Promise<number> {
  const record = manager.create(EntityRecord, { submissionUuid, formId: form.id, entityId });
  return (await manager.save(record)).id;
}
