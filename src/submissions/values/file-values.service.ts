import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import type { Executor } from '../../database/statement.js';
import type { FileState } from '../entities/file.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { type FieldErrors, type FieldError, fieldError } from '../../http/errors/problems.js';
import { FIND_FILES, LOCK_FILES } from './held-file.statements.js';
import type { FieldValue } from './value-entries.js';

/** The files that values of a submission may stand for, by value. */
export interface KnownFiles {
  readonly states: ReadonlyMap<string, FileState>;
  /** Whether one has to be clean (U6). */
  readonly areScanned: boolean;
}

/** Values of fields that take files: a file of the submission and the field, once files are switched on (U3). */
@Injectable()
export class FileValuesService {
  private readonly areOn: boolean;
  private readonly areScanned: boolean;

  constructor({ filesUrl, clamdUrl }: Environment) {
    this.areOn = filesUrl !== undefined;
    this.areScanned = clamdUrl !== undefined;
  }

  /** Whether there is anything to ask of these: most forms have no such field. */
  concerns(entries: readonly FieldValue[]): boolean {
    return this.areOn && entries.some(isFileValue);
  }

  /** What is wrong with the entries of a submission that is locked; the files that they name stay until the transaction ends. */
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

  /** For completion; undefined: files are switched off, or the form has no field for them. */
  async known(executor: Executor, uuid: string, form: PublishedForm): Promise<KnownFiles | undefined> {
    if (!this.areOn || !form.fields.some(({ isFileInput }) => isFileInput)) return undefined;
    const files = await executor.query(FIND_FILES, [uuid]);
    return {
      states: new Map(files.map(({ uuid, state }) => [`file:${uuid}`, state])),
      areScanned: this.areScanned,
    };
  }
}

const isFileValue = ({ field, value }: FieldValue) => field.isFileInput && value !== '';

/** What is wrong with a file as a value; undefined: nothing. */
export function errorOf(state: FileState | undefined, code: string): FieldError | undefined {
  switch (state) {
    case undefined:
      return fieldError(
        'unknown_file',
        `The ${code} must be a file of this submission, field and record, as "file:" and its UUID.`,
      );
    case 'pending':
      return fieldError('file_not_stored', `The file of ${code} was not committed yet.`);
    case 'infected':
      return fieldError('file_infected', `The file of ${code} is infected: upload another one.`);
    case 'stored':
    case 'clean':
      return undefined;
  }
}

/** U6: the same for completion, which waits for the scanner. */
export function errorAtCompletion(
  { states, areScanned }: KnownFiles,
  code: string,
  value: string,
): FieldError | undefined {
  const state = states.get(value);
  return areScanned && state === 'stored'
    ? fieldError('file_unchecked', `The file of ${code} is still being checked: try again in a moment.`)
    : errorOf(state, code);
}
