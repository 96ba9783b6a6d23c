import { Injectable } from '@nestjs/common';
import type { Executor } from '../../database/statement.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { type FieldErrors, type FieldError } from '../../http/errors/problems.js';
import {
  ChecksCompletion,
  type CompletionCheck,
  type ValueCheck,
} from '../../submissions/completion/checks-completion.js';
import { ChecksValues, type ValuesCheck } from '../../submissions/values/checks-values.js';
import type { FieldValue } from '../../submissions/values/value-entries.js';
import type { FileState } from './entities/file.js';
import { hasFileFields, isFileField } from './file-fields.js';
import { FIND_FILES, LOCK_FILES } from './held-file.statements.js';
import { fileError } from './problems.js';
import { FileSettings } from './settings.js';

/** The value of a file field must name a file of the same submission, field and record (U3). */
@ChecksValues()
@Injectable()
export class FileValuesCheck implements ValuesCheck {
  concerns(entries: readonly FieldValue[]): boolean {
    return entries.some(isFileValue);
  }

  /** Locks the files of the submission, so that none is deleted before the transaction ends. */
  async fieldErrors(
    executor: Executor,
    submissionUuid: string,
    entries: readonly FieldValue[],
  ): Promise<FieldErrors> {
    const files = await executor.query(LOCK_FILES, [submissionUuid]);
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
}

/** The files of a submission must be stored and, if there is a scanner, clean (U6). */
@ChecksCompletion()
@Injectable()
export class FileCompletionCheck implements CompletionCheck {
  constructor(private readonly settings: FileSettings) {}

  concerns(form: PublishedForm): boolean {
    return hasFileFields(form);
  }

  async load(executor: Executor, submissionUuid: string): Promise<ValueCheck> {
    const files = await executor.query(FIND_FILES, [submissionUuid]);
    const states = new Map(files.map(({ uuid, state }) => [`file:${uuid}`, state]));
    const areScanned = this.settings.clamdUrl !== undefined;
    return (field, value) =>
      isFileField(field) ? errorAtCompletion(states.get(value), field.code, areScanned) : undefined;
  }
}

const isFileValue = ({ field, value }: FieldValue) => isFileField(field) && value !== '';

/** Returns the error of a value that names a file in this state. The state is undefined if there is no such file. */
function errorOf(state: FileState | undefined, code: string): FieldError | undefined {
  switch (state) {
    case undefined:
      return fileError(
        'unknown_file',
        `The ${code} must be a file of this submission, field and record, as "file:" and its UUID.`,
      );
    case 'pending':
      return fileError('file_not_stored', `The file of ${code} has not been committed yet.`);
    case 'infected':
      return fileError('file_infected', `The file of ${code} is infected. Upload another file.`);
    case 'stored':
    case 'clean':
      return undefined;
  }
}

/** Like {@link errorOf}, but for completion, which also rejects a file that was not scanned yet (U6). */
export function errorAtCompletion(
  state: FileState | undefined,
  code: string,
  areScanned: boolean,
): FieldError | undefined {
  return areScanned && state === 'stored'
    ? fileError('file_unchecked', `The file of ${code} is not scanned yet. Try again in a moment.`)
    : errorOf(state, code);
}
