import type { StoredValue } from '../conditions/engine/index.js';
import type { Status, SubmissionExtension } from './entities/submission.js';

/** A submission's own columns, with timestamps in wire format. */
export interface SubmissionRow {
  readonly uuid: string;
  readonly form_id: number;
  readonly status: Status;
  /** The position of the submission's step now, from 1 (S14). */
  readonly current_step: number;
  readonly meta: Record<string, unknown> | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/**
 * The columns of the step of a submission. Hot statements return them instead of the position, which the service finds in the form: see
 * `positionIn`.
 */
export interface StoredStep {
  /** Null: the position that is stored holds. */
  readonly step_id: number | null;
  /** The position when the submission last moved. */
  readonly stored_position: number;
}

/** Adds what only responses to creating, reading and listing show. */
export interface ShownSubmission extends SubmissionRow, SubmissionExtension {
  /** A test is deleted after a day, and nothing counts it. */
  readonly is_test: boolean;
  /** The versions of the form in which it was begun and completed. Null: not known, or not completed (N2). */
  readonly begun_version: number | null;
  readonly completed_version: number | null;
  /** When personal answers were first deleted. */
  readonly anonymized_at: string | null;
}

/** The version of the form that the position of the submission is from (N1). */
interface OfVersion {
  readonly form_version: number;
}

export type VersionedSubmission = SubmissionRow & OfVersion;

export type PatchedSubmission = Omit<SubmissionRow, 'current_step'> &
  StoredStep &
  Pick<ShownSubmission, 'completed_version'>;

/** Adds the number of the form's steps, and upper bounds for the stored values (null: not counted yet). */
export interface FoundSubmission extends VersionedSubmission {
  readonly step_count: number;
  readonly value_count: number | null;
  readonly value_bytes: number | null;
}

/** The columns that advancing and retreating return. The submission stays a draft. */
export type MovedSubmission = Pick<
  PatchedSubmission,
  'uuid' | 'form_id' | 'step_id' | 'stored_position' | 'updated_at'
>;

/** The stored values of a submission. */
export interface ValuesRow {
  readonly form_id: number;
  readonly values: readonly StoredValue[];
}

export interface ValuesAndRecordsRow extends ValuesRow {
  /** Sorted by id (R5). */
  readonly records: readonly StoredRecord[];
}

/** The stored values and records, with the status and the version of the submission at the same moment. */
export type ReadSubmission = ValuesAndRecordsRow &
  SubmissionExtension &
  Pick<SubmissionRow, 'status' | 'updated_at'>;

/** A row as it is read: its values are JSON, or null if the JSON is long and was not asked for. */
export type UnparsedRow<Row extends ValuesRow> = Omit<Row, 'values'> & { readonly values: string | null };

/** An entity record: its id, the id of its entity, and its time of creation in wire format. */
export type StoredRecord = readonly [id: number, entityId: number, createdAt: string];
