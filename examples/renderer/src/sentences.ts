import type { FormtrailError, Mistake, MistakeCode, ProblemCode } from 'formtrail-client';

// What people read of what the service says in codes. To translate the page, translate these. Of a code that is not here,
// which a newer service may have, the service's own sentence is shown.

/** Beside the question that it is about. */
const MISTAKES: Partial<Record<MistakeCode, (params: Mistake['params']) => string>> = {
  contains_lone_surrogate: () => 'This has a character in it that cannot be stored. Type it again.',
  contains_null_character: () => 'This has a character in it that cannot be stored. Type it again.',
  file_infected: () => 'A virus was found in this file. Choose another one.',
  file_not_stored: () => 'This file was not uploaded to its end. Choose it again.',
  file_unchecked: () => 'This file is still being checked. Try again in a moment.',
  hash_mismatch: () => 'This file was damaged on its way. Choose it again.',
  not_a_boolean: () => 'This must be ticked or not.',
  not_a_date: () => 'This must be a date that exists.',
  not_a_number: () => 'This must be a number.',
  not_an_email: () => 'This must be an e-mail address.',
  not_an_option: () => 'This must be one of the options.',
  required: () => 'This is required.',
  too_few_records: ({ min, count }) =>
    `There must be at least ${String(min)} ${min === 1 ? 'entry' : 'entries'}. So far: ${String(count)}.`,
  too_long: ({ max }) => `This must not be longer than ${String(max)} characters.`,
  too_many_bytes: () => 'All files together are too large.',
  too_many_files: ({ max }) => `There can be at most ${String(max)} files here.`,
  type_mismatch: ({ accept }) => `This must be a file of these types: ${String(accept)}.`,
  unknown_field: () => 'This question is not part of the form any more.',
  unknown_file: () => 'This file is not there any more. Choose it again.',
  unknown_record: () => 'This entry is not there any more.',
};

/** Instead of what was to happen. */
const PROBLEMS: Partial<Record<ProblemCode, string>> = {
  already_completed: 'This form has been submitted already.',
  body_too_large: 'There is too much to be sent at once.',
  database_unavailable: 'The service is out of order at the moment. Try again in a minute.',
  form_not_found: 'There is no such form. It may have been deleted.',
  overloaded: 'The service has too much to do at the moment. Try again in a minute.',
  server_error: 'Something is wrong with the service.',
  storage_unavailable: 'Files cannot be stored at the moment. Try again in a minute.',
  submission_changed: 'These answers were changed in another window or on another device.',
  submission_not_found: 'There is no such draft. It may have been deleted.',
  too_many_requests: 'There were too many requests. Try again in a minute.',
  unauthenticated: 'Your access token is not valid, or not any more.',
};

export function sentenceOfMistake({ code, params, detail }: Mistake): string {
  return MISTAKES[code]?.(params) ?? detail;
}

export function sentenceOfProblem({ code, message }: FormtrailError): string {
  return (code && PROBLEMS[code]) ?? message;
}
