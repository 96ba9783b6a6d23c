import { MAX_FILE_BYTES } from '../../forms/limits.js';
import type { PublishedField, PublishedForm } from '../../forms/published-form.js';
import {
  type FieldErrors,
  invalidDataProblem,
  fieldError,
  type Problem,
} from '../../http/errors/problems.js';
import { type AnnouncedFile, isAnnouncedAsAccepted } from './content-type.js';
import type { FileRow } from './file.statements.js';
import type { Promotion } from './storage/file-storage.js';
import { isFileField } from './file-fields.js';
import { fileError } from './problems.js';

// Errors about the limits of files (U5).
const MAX_FILES_OF_FIELD = 10;
const MAX_PENDING = 20;
const MAX_BYTES_OF_SUBMISSION = 100 * 1024 * 1024;

export function fileFieldOf(
  form: PublishedForm,
  announced: AnnouncedFile & { readonly field_code: string; readonly size: number },
): PublishedField | Problem {
  const field = form.fieldsByCode.get(announced.field_code);
  if (field === undefined)
    return invalidDataProblem({
      field_code: [fieldError('unknown_field', 'The form of this submission has no field with this code.')],
    });
  if (!isFileField(field))
    return invalidDataProblem({
      field_code: [fileError('not_a_file_field', `The field ${field.code} does not accept files.`)],
    });
  const errors: FieldErrors = {};
  const { max_bytes, accept } = field.extension;
  const maxBytes = max_bytes ?? MAX_FILE_BYTES;
  if (announced.size > maxBytes) errors['size'] = [sizeTooLargeError(maxBytes, announced.size)];
  // The commit will check the content of the file.
  if (!isAnnouncedAsAccepted(accept, announced)) errors['media_type'] = [typeError('media_type', accept)];
  return Object.keys(errors).length > 0 ? invalidDataProblem(errors) : field;
}

export function countErrors(
  counted: { readonly ofField: number; readonly pending: number; readonly bytes: number },
  { code }: PublishedField,
  size: number,
): FieldErrors | undefined {
  if (counted.ofField >= MAX_FILES_OF_FIELD) return { field_code: [tooManyFilesError(code)] };
  if (counted.pending >= MAX_PENDING) {
    const message = `The submission has ${MAX_PENDING} files that were not committed, which is the maximum. Commit or delete one first.`;
    return { field_code: [fileError('too_many_pending', message, { max: MAX_PENDING })] };
  }
  if (counted.bytes + size > MAX_BYTES_OF_SUBMISSION) {
    const message = `The files of the submission must have at most ${MAX_BYTES_OF_SUBMISSION} bytes together. Delete one first.`;
    return { size: [fileError('too_many_bytes', message, { max: MAX_BYTES_OF_SUBMISSION })] };
  }
  return undefined;
}

const sizeTooLargeError = (max: number, size: number) =>
  fieldError('too_large', `The size must be at most ${max} bytes, but is ${size}.`, { max, size });

export const tooManyFilesError = (code: string) =>
  fileError(
    'too_many_files',
    `The field ${code} has ${MAX_FILES_OF_FIELD} files already, which is the maximum. Delete one first.`,
    { max: MAX_FILES_OF_FIELD },
  );

export const tooMuchStoredError = (max: number) =>
  fieldError(
    'too_much_stored',
    `All files of this user must have at most ${max} bytes together. Delete files or drafts to make room.`,
    { max },
  );

export function contentError(promotion: Exclude<Promotion, 'promoted'>, { size, sha256 }: FileRow) {
  if (promotion === 'not uploaded')
    return fileError('not_uploaded', 'The content was not uploaded: send it to the URL of the upload first.');
  return promotion === 'wrong size' ? sizeError(size) : hashError(sha256);
}

export const sizeError = (size: number) =>
  fileError('size_mismatch', `The content must have ${size} bytes, the size of the upload.`, { size });

export const hashError = (sha256: string) =>
  fileError('hash_mismatch', 'The content must have the SHA-256 of the upload: send it again.', {
    sha256,
  });

const SUBJECTS = { content: 'The content', media_type: 'The media_type, or the extension of the name,' };

export const typeError = (what: keyof typeof SUBJECTS, accept: string | null) =>
  fileError('type_mismatch', `${SUBJECTS[what]} must be of a type that the field accepts: ${accept ?? ''}.`, {
    accept: accept ?? '',
  });

export const unknownRecordError = () =>
  fieldError('unknown_record', 'This submission has no entity record with this id.');
