import type { StoredValue } from '../../../conditions/engine/index.js';
import type { Person, PersonalFile } from '../../../server/hooks.js';
import type { Status, SubmissionExtension } from '../../../submissions/entities/submission.js';
import type { presentRecords, presentValue } from '../../../submissions/submission.presenter.js';
import type { StoredRecord } from '../../../submissions/submission.rows.js';
import type { ExportedForm } from './exported-forms.js';
import type { SubmissionNumbers } from './submission-numbers.js';

/** A user with everything except submissions. Capabilities add properties. */
export interface ExportedPerson {
  readonly user: Person & { readonly created_at: string; readonly tokens_valid_from: string | null };
  readonly tokens: readonly ExportedToken[];
  readonly submissions: SubmissionNumbers;
  readonly [property: string]: unknown;
}

export interface ExportedToken {
  readonly id: number;
  readonly name: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

export interface ExportedSubmission extends Omit<
  SubmissionRow,
  'form_id' | 'values' | 'records' | 'position' | keyof SubmissionExtension
> {
  readonly form: ExportedForm['form'];
  readonly values: readonly ExportedValue[];
  readonly records: ReturnType<typeof presentRecords>;
  readonly files: readonly FoundFile[];
}

export type ExportedValue = ReturnType<typeof presentValue> & {
  readonly label: string;
  /** The labels of the chosen options. */
  readonly shown?: string;
};

export type FoundFile = Omit<PersonalFile, 'submission_uuid'> & { readonly field_code: string };

/** A part of an export, in its order: each person comes before the submissions of the person. */
export type Item =
  | { readonly person: ExportedPerson; readonly submission?: never }
  | { readonly submission: ExportedSubmission; readonly person?: never };

export type WrittenFile = Omit<FoundFile, 'extension'> & {
  /** The path of the content below the folder. */
  readonly path: string | null;
  /** Why the content is left out. */
  readonly left_out?: string;
};

export type WrittenSubmission = Omit<ExportedSubmission, 'files'> & {
  readonly files: readonly WrittenFile[];
};

export interface SubmissionRow extends SubmissionExtension {
  readonly uuid: string;
  readonly form_id: number;
  readonly status: Status;
  readonly is_test: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
  readonly begun_version: number | null;
  readonly completed_version: number | null;
  readonly held: boolean;
  readonly anonymized_at: string | null;
  readonly meta: Record<string, unknown> | null;
  readonly values: readonly StoredValue[];
  readonly records: readonly StoredRecord[];
  /** `created_at` for the next page. */
  readonly position: string;
}
