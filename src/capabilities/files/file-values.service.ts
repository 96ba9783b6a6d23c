import { Injectable } from '@nestjs/common';
import { FileSettings } from './settings.js';
import type { Executor } from '../../database/statement.js';
import type { FileState } from './entities/file.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { type FieldErrors, type FieldError } from '../../http/errors/problems.js';
import { FIND_FILES, LOCK_FILES } from './held-file.statements.js';
import type { FieldValue } from '../../submissions/values/value-entries.js';
import { fileError } from './problems.js';

/** The files that the values of a submission may name. */
export interface KnownFiles {
  /** The state of each file, by the value that references it: `file:<uuid>`. */
  readonly states: ReadonlyMap<string, FileState>;
  /** Whether a scanner must have found every file clean (U6). */
  readonly areScanned: boolean;
}

/** If files are enabled, the value of a file field must name a file of the same submission, field and record (U3). */
@Injectable()
export class FileValuesService {
  private readonly areEnabled: boolean;
  private readonly areScanned: boolean;

  constructor({ filesUrl, clamdUrl }: FileSettings) {
    this.areEnabled = filesUrl !== undefined;
    this.areScanned = clamdUrl !== undefined;
  }

  /** Whether any entry needs the checks of this class. Most forms have no file field. */
  concerns(entries: readonly FieldValue[]): boolean {
    return this.areEnabled && entries.some(isFileValue);
  }

  /** Checks the entries for a locked submission. Locks its files, so that none is deleted before the transaction ends. */
  async fieldErrors(executor: Executor, uuid: string, entries: readonly FieldValue[]): Promise<FieldErrors> {
    const files = await executor.query(LOCK_FILES, [uuid]);
    const byValue = new Map(files.map((file) => [`file:${file.uuid}`, file]));
    const errors: FieldErrors = {};
    for (const [index, entry] of entries.entries()) {
      if (!isFileValue(entry)) continue;
      const file = byValue.get(entry.value);
      const isOwn = file?.field_id === entry.field.id && file.entity_record_id === entry.entityRecordId;
      const wrong = errorOf(isOwn ? file.state : undefined, entry.field.code);
      if (wrong !== undefined) errors[`values.${index}.value`] = [wrong];
    }
    return errors;
  }

  /** Loads the files for completion. Returns undefined if files are disabled or the form has no file field. */
  async known(executor: Executor, uuid: string, form: PublishedForm): Promise<KnownFiles | undefined> {
    if (!this.areEnabled || !form.fields.some(({ isFileInput }) => isFileInput)) return undefined;
    const files = await executor.query(FIND_FILES, [uuid]);
    return {
      states: new Map(files.map(({ uuid, state }) => [`file:${uuid}`, state])),
      areScanned: this.areScanned,
    };
  }
}

const isFileValue = ({ field, value }: FieldValue) => field.isFileInput && value !== '';

/** Returns the error of a value that names a file in this state. The state is undefined if there is no such file. */
export function errorOf(state: FileState | undefined, code: string): FieldError | undefined {
  switch (state) {
    case undefined:
      return fileError(
        'unknown_file',
        `The ${code} must be a file of this submission, field and record, as "file:" and its UUID.`,
      );
    case 'pending':
      return fileError('file_not_stored', `The file of ${code} has not been committed yet.`);
    case 'infected':
      return fileError('file_infected', `The file of ${code} is infected: upload another one.`);
    case 'stored':
    case 'clean':
      return undefined;
  }
}

/** Like {@link errorOf}, but for completion, which also rejects a file that was not scanned yet (U6). */
export function errorAtCompletion(
  { states, areScanned }: KnownFiles,
  code: string,
  value: string,
): FieldError | undefined {
  const state = states.get(value);
  return areScanned && state === 'stored'
    ? fileError('file_unchecked', `The file of ${code} is still being checked: try again in a moment.`)
    : errorOf(state, code);
}
