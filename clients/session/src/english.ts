import { oneOfTypes, whatToEnter } from './english-words.js';
import {
  dateText,
  description,
  fileName,
  givenLabel,
  momentText,
  optionLabel,
  pageFaults,
  sizeText,
  waitText,
} from './formats.js';
import type { Language, Params, Subject } from './sentences.js';

const TYPE_AGAIN = 'This contains a character that cannot be stored. Type it again.';
const TOO_MUCH_TO_SEND = 'Your answers are too long to send. Shorten the longest one.';
const TOO_MUCH_STORED = 'There is no room for more answers. Remove or shorten some.';
const NO_LONGER_OPEN = 'This form cannot be filled in at the moment.';

/** English sentences. To change some of them: `sentences({ ...English, required: 'Please answer this.' })`. */
export const English: Language = {
  // Answers
  above_maximum: (params) => `Enter a number of ${String(params['max'])} or less.${dependsOn(params)}`,
  below_minimum: (params) => `Enter a number of ${String(params['min'])} or more.${dependsOn(params)}`,
  computed: 'This answer is computed from other answers.',
  contains_lone_surrogate: TYPE_AGAIN,
  contains_null_character: TYPE_AGAIN,
  equal_to: (params) => `Give another answer than ${question(params)}.`,
  exclusive_choice: ({ value }, subject) => {
    const label = optionLabel(value, subject);
    return `${label === undefined ? 'This option' : `“${label}”`} can only be chosen alone.`;
  },
  not_a_boolean: 'Tick this, or leave it unticked.',
  not_a_date: 'Enter a whole date that exists, with a year of four digits.',
  not_a_number: ({ example }) =>
    typeof example === 'string'
      ? `Enter the number without a thousands separator: ${example}.`
      : 'Enter a number in digits, such as 12.5.',
  not_an_email: 'Enter an email address, such as name@example.org.',
  not_an_option: 'Choose one of the options.',
  not_equal_to: (params) => `Give the same answer as ${question(params)}.`,
  option_full: ({ value }, subject) => {
    const label = optionLabel(value, subject);
    return `No places are left${label === undefined ? '' : ` for “${label}”`}. Choose another option.`;
  },
  number_out_of_range: 'This number is too large or too small. Enter another one.',
  number_too_long: ({ max }) => `Enter a number of at most ${String(max)} digits.`,
  pattern_mismatch: (_params, subject) => description(subject) || 'Check the format of this answer.',
  required: (_params, { field }) => (field ? whatToEnter(field) : 'Something is missing here.'),
  sum_above_maximum: (params) => sumText(params, `at most ${String(params['max'])}`),
  sum_below_minimum: (params) => sumText(params, `at least ${String(params['min'])}`),
  too_early: (params) => `Enter a date on or after ${dateText(String(params['min']))}.${dependsOn(params)}`,
  too_late: (params) => `Enter a date on or before ${dateText(String(params['max']))}.${dependsOn(params)}`,
  too_long: ({ max }) => `Shorten this to ${characters(max)} or fewer.`,
  too_long_for_pattern: ({ max }) => `Shorten this to ${characters(max)} or fewer.`,
  too_much_stored: TOO_MUCH_STORED,
  too_much_text: TOO_MUCH_STORED,
  too_many_values: TOO_MUCH_STORED,
  too_short: ({ min }) => `Enter ${characters(min)} or more.`,
  unknown_field: 'This question is no longer part of the form.',

  // Entries of repeating groups
  too_few_records: ({ min, count }) =>
    `Add at least ${String(min)} ${min === 1 ? 'entry' : 'entries'}. So far there ${count === 1 ? 'is' : 'are'} ${count === 0 ? 'none' : String(count)}.`,
  too_many_computed: 'No more entries can be added.',
  too_many_records: ({ max }) =>
    `There can be at most ${String(max)} ${max === 1 ? 'entry' : 'entries'} here.`,
  too_many_records_in_all: ({ max }) => `This form can have at most ${String(max)} entries.`,
  unknown_entity: 'This part of the form no longer exists. Reload the page.',
  unknown_record: 'This entry no longer exists. Reload the page.',
  record_not_found: 'This entry no longer exists. Reload the page.',

  // Files
  already_stored: (_params, subject) => `${fileOf(subject)} is uploaded already.`,
  file_infected: (_params, subject) =>
    `A virus was found in ${fileOf(subject, 'this file')}. Choose another file.`,
  file_not_found: (_params, subject) => `${fileOf(subject)} no longer exists. Choose it again.`,
  file_not_stored: (_params, subject) => `${fileOf(subject)} was not uploaded completely. Choose it again.`,
  file_too_large: (_params, subject) => `${fileOf(subject)} has changed meanwhile. Choose it again.`,
  file_unavailable: (_params, subject) =>
    `${fileOf(subject)} cannot be opened at the moment. Try again in a minute.`,
  file_unchecked: (_params, subject) =>
    `${fileOf(subject)} is still being checked for viruses. Try again in a moment.`,
  hash_mismatch: (_params, subject) => `${fileOf(subject)} was damaged during the upload. Choose it again.`,
  malformed_name: (_params, subject) =>
    `Give ${fileOf(subject, 'this file')} another name, then choose it again.`,
  not_a_file_field: 'This question no longer takes a file.',
  not_an_integer: ({ min, max }, subject) =>
    // The size of an empty file is out of range.
    subject.upload
      ? `${subject.upload.name} is empty. Choose another file.`
      : `Enter a whole number from ${String(min)} to ${String(max)}.`,
  not_uploaded: (_params, subject) => `${fileOf(subject)} could not be uploaded. Choose it again.`,
  size_mismatch: (_params, subject) => `${fileOf(subject)} has changed meanwhile. Choose it again.`,
  too_large: ({ max }, subject) =>
    `${fileOf(subject)} is too large. It may have at most ${sizeText(Number(max), 'en')}.`,
  too_many_bytes: 'All files together are too large. Remove one, or choose a smaller one.',
  too_many_files: ({ max }) =>
    max === 1 ? 'There can be only one file here.' : `There can be at most ${String(max)} files here.`,
  too_many_pending: 'Too many files are being uploaded. Try again when some are done.',
  type_mismatch: ({ accept }, subject) => `${fileOf(subject)} is not ${oneOfTypes(String(accept))}.`,
  unknown_file: (_params, subject) => `${fileOf(subject)} no longer exists. Choose it again.`,

  // Forms and drafts
  already_answered: 'You have answered this form already.',
  already_completed: 'This form has been submitted already.',
  already_on_first_step: 'This is the first step.',
  already_on_last_step: 'This is the last step.',
  closed: ({ closes_at }) => `This form closed on ${momentText(String(closes_at))}.`,
  form_closed: 'This form is closed. Your answers can no longer be changed.',
  form_not_found: 'There is no such form. It may have been deleted.',
  held: 'Your answers are on hold and cannot be changed.',
  inactive_form: NO_LONGER_OPEN,
  invalid_data: 'Something that was entered is not right. Check your answers.',
  not_open_yet: ({ opens_at }) => `This form opens on ${momentText(String(opens_at))}.`,
  quota_reached: 'This form is full. It takes no more answers.',
  submission_changed: 'These answers were changed in another window or on another device.',
  submission_not_found: 'There is no such draft. It may have been deleted.',
  too_many_drafts: ({ max }) =>
    `You have ${String(max)} unfinished forms already. Finish or delete one first.`,
  unknown_form: 'There is no such form. It may have been deleted.',
  unknown_step: 'This step no longer exists. Reload the page.',
  version_not_found: 'This version of the form no longer exists. Reload the page.',

  // People
  challenge_not_found: NO_LONGER_OPEN,
  form_not_public: 'You have to sign in to fill in this form.',
  identity_provider_unavailable: 'Your sign-in cannot be checked at the moment. Try again in a minute.',
  invalid_code: 'This code does not work. It was mistyped, was used already, or has expired.',
  invalid_proof: 'Your browser could not be checked. Try again.',
  not_a_respondent: 'You are signed in, but this works only without an account.',
  other_form: 'You can only fill in the form that you began with.',
  proof_of_work_unavailable: NO_LONGER_OPEN,
  too_many_resume_codes: 'There are too many unused codes. Use one of them, or wait until one expires.',
  unauthenticated: 'Your access token is invalid or has expired.',

  // Connection and service
  body_too_large: TOO_MUCH_TO_SEND,
  body_too_many_values: TOO_MUCH_TO_SEND,
  connection_lost: 'The connection was lost. Try again.',
  database_unavailable: 'The service is out of order at the moment. Try again in a minute.',
  idempotent_request_running: 'The first attempt is not finished yet. Try again in a moment.',
  overloaded: 'The service is overloaded at the moment. Try again in a minute.',
  request_timeout: 'The connection is too slow. Try again.',
  server_error: 'Something is wrong with the service. Try again in a minute.',
  storage_unavailable: 'Files cannot be stored at the moment. Try again in a minute.',
  too_many_requests: ({ seconds }) =>
    `There were too many requests. Try again in ${waitText(Number(seconds) || 60)}.`,

  // Errors of the page's program
  ...pageFaults('Something is wrong with this page. Reload it, then try again.'),
};

function fileOf(subject: Subject, otherwise = 'This file'): string {
  return fileName(subject) ?? otherwise;
}

/** The question that a rule compares with. */
function question(params: Params): string {
  const label = givenLabel(params);
  return label === undefined ? 'to the other question' : `to “${label}”`;
}

function dependsOn(params: Params): string {
  const label = givenLabel(params);
  return label === undefined ? '' : ` This depends on “${label}”.`;
}

function sumText(params: Params, expected: string): string {
  const label = givenLabel(params);
  const place = label === undefined ? 'here' : `for “${label}”`;
  return `The numbers ${place} have to add up to ${expected}, but add up to ${String(params['sum'])}.`;
}

function characters(count: unknown): string {
  return `${String(count)} ${count === 1 ? 'character' : 'characters'}`;
}
