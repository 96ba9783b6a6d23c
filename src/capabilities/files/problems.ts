import { contentRange } from './files.openapi.js';
import { problemTypes } from '../../http/errors/problem-codes.js';
import { fieldErrorIn, Problem, retryAfter } from '../../http/errors/problems.js';

export const FILE_PROBLEMS = problemTypes({
  already_stored: { status: 422, title: 'File already stored' },
  file_not_found: { status: 404, title: 'File not found' },
  file_too_large: { status: 413, title: 'File too large' },
  file_unavailable: { status: 409, title: 'File unavailable' },
  partial_upload: { status: 400, title: 'Partial upload' },
  range_not_satisfiable: { status: 416, title: 'Range not satisfiable', headers: contentRange },
  storage_unavailable: { status: 503, title: 'File storage unavailable' },
});

export const FILE_FIELD_ERRORS = {
  file_infected: [],
  file_not_stored: [],
  file_unchecked: [],
  hash_mismatch: ['sha256'],
  malformed_name: [],
  not_a_file_field: [],
  not_uploaded: [],
  size_mismatch: ['size'],
  too_many_bytes: ['max'],
  too_many_files: ['max'],
  too_many_pending: ['max'],
  type_mismatch: ['accept'],
  unknown_file: [],
} as const;

export const fileError = fieldErrorIn(FILE_FIELD_ERRORS);

export const fileUnavailableProblem = (why: string) =>
  new Problem(FILE_PROBLEMS.file_unavailable, `The file cannot be read: ${why}`);

export const fileTooLargeProblem = (bytes: number) =>
  new Problem(
    FILE_PROBLEMS.file_too_large,
    `The content is larger than ${bytes} bytes, the size of the upload.`,
  );

/** The response to an upload with `Content-Range` (RFC 9110, section 14.5). */
export const partialUploadProblem = () =>
  new Problem(
    FILE_PROBLEMS.partial_upload,
    'The content must be complete: send all of it in one request, without Content-Range.',
  );

export const fileAlreadyStoredProblem = () =>
  new Problem(
    FILE_PROBLEMS.already_stored,
    'The file is stored already: to upload other content, begin another file.',
  );

export const rangeNotSatisfiableProblem = (size: number) =>
  new Problem(
    FILE_PROBLEMS.range_not_satisfiable,
    `The range contains none of the ${size} bytes of the file.`,
    {
      headers: { 'Content-Range': `bytes */${size}` },
    },
  );

export const storageUnavailableProblem = () =>
  new Problem(
    FILE_PROBLEMS.storage_unavailable,
    'The storage of files cannot be reached at the moment; try again shortly.',
    retryAfter(5),
  );

export const fileNotFoundProblem = () => new Problem(FILE_PROBLEMS.file_not_found, 'File not found.');
