import {
  type Field,
  FormtrailError,
  type Mistake,
  type MistakeCode,
  type ProblemCode,
} from 'formtrail-client';

// Messages for the service's codes. To translate the page, translate these messages. For a code without a message here, for example
// of a newer service, the page shows the service's own message.

/** Shown beside the question. */
const MISTAKES: Partial<Record<MistakeCode, (params: Mistake['params']) => string>> = {
  contains_lone_surrogate: () => 'This contains a character that cannot be stored. Type it again.',
  contains_null_character: () => 'This contains a character that cannot be stored. Type it again.',
  file_infected: () => 'A virus was found in this file. Choose another one.',
  file_not_stored: () => 'This file was not uploaded completely. Choose it again.',
  file_unchecked: () => 'This file is still being checked. Try again in a moment.',
  hash_mismatch: () => 'This file was damaged during the upload. Choose it again.',
  not_a_boolean: () => 'Tick this, or leave it unticked.',
  not_a_date: () => 'Enter a date that exists.',
  not_a_number: () => 'Enter a number in digits, such as 12.5.',
  malformed_name: () => 'Give this file another name, then choose it again.',
  not_an_email: () => 'Enter an e-mail address, such as name@example.org.',
  // On this page, only an empty file causes this code.
  not_an_integer: () => 'This file is empty. Choose another one.',
  not_an_option: () => 'Choose one of the options.',
  not_uploaded: () => 'This file could not be uploaded. Choose it again.',
  size_mismatch: () => 'This file has changed meanwhile. Choose it again.',
  too_few_records: ({ min, count }) =>
    `Add at least ${String(min)} ${min === 1 ? 'entry' : 'entries'}. So far there ${count === 1 ? 'is' : 'are'} ${count === 0 ? 'none' : String(count)}.`,
  too_large: ({ max }) => `This file is too large. It may have at most ${sizeText(Number(max))}.`,
  too_long: ({ max }) => `Shorten this to ${String(max)} characters or fewer.`,
  too_many_bytes: () => 'All files together are too large.',
  too_many_files: ({ max }) =>
    max === 1 ? 'There can be only one file here.' : `There can be at most ${String(max)} files here.`,
  too_many_pending: () => 'Too many files are being uploaded. Try again when some have finished.',
  type_mismatch: ({ accept }) => `Choose a file of another type: ${typesText(String(accept))}.`,
  unknown_field: () => 'This question is no longer part of the form.',
  unknown_file: () => 'This file no longer exists. Choose it again.',
  unknown_record: () => 'This entry no longer exists.',
};

/** Shown when a request fails. */
const PROBLEMS: Partial<Record<ProblemCode, string>> = {
  already_completed: 'This form has been submitted already.',
  body_too_large: 'There is too much to send at once.',
  body_too_many_values: 'There is too much to send at once.',
  database_unavailable: 'The service is out of order at the moment. Try again in a minute.',
  form_not_found: 'There is no such form. It may have been deleted.',
  identity_provider_unavailable: 'Your sign-in cannot be checked at the moment. Try again in a minute.',
  overloaded: 'The service is overloaded at the moment. Try again in a minute.',
  server_error: 'Something is wrong with the service.',
  storage_unavailable: 'Files cannot be stored at the moment. Try again in a minute.',
  submission_changed: 'These answers were changed in another window or on another device.',
  submission_not_found: 'There is no such draft. It may have been deleted.',
  too_many_requests: 'There were too many requests. Try again in a minute.',
  unauthenticated: 'Your access token is invalid or has expired.',
};

/** `field` is the field of the question, or undefined for an error of a group. */
export function sentenceOfMistake({ code, params, detail }: Mistake, field?: Field): string {
  if (code === 'required' && field !== undefined) return whatToEnter(field);
  return MISTAKES[code]?.(params) ?? detail;
}

/** The message for a list of errors. It contains the label of the question, unless the message already names the question. */
export function summaryOfMistake(mistake: Mistake, field: Field): string {
  const sentence = sentenceOfMistake(mistake, field);
  if (mistake.code === 'required' && thingOf(field) !== undefined) return sentence;
  return `${field.label}${field.label.endsWith('?') ? '' : ':'} ${sentence}`;
}

export function sentenceOfProblem({ code, message }: FormtrailError): string {
  return (code && PROBLEMS[code]) ?? message;
}

/** Why a request failed. */
export function sentenceOfTrouble(error: unknown): string {
  return error instanceof FormtrailError ? sentenceOfProblem(error) : 'The connection was lost.';
}

/** A size such as "25 MB", with 1,024 bytes in a kilobyte, as most devices show it. */
export function sizeText(bytes: number): string {
  const isLong = bytes < 2 ** 10;
  const [unit, size] = isLong
    ? ['byte', bytes]
    : bytes < 2 ** 20
      ? ['kilobyte', bytes / 2 ** 10]
      : ['megabyte', bytes / 2 ** 20];
  const unitDisplay = isLong ? 'long' : 'short';
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    unitDisplay,
    maximumFractionDigits: size < 10 ? 1 : 0,
  }).format(size);
}

/** The file types in `accept` of a field, such as "PDF, images, DOCX". */
export function typesText(accept: string): string {
  const names: Record<string, string> = {
    'image/*': 'images',
    'audio/*': 'sound',
    'video/*': 'videos',
    'text/*': 'text',
  };
  const nameOf = (token: string) =>
    names[token] ??
    /^(?:\.|image\/|application\/(?=pdf|zip|json))(.+)$/.exec(token)?.[1]?.toUpperCase() ??
    token;
  return [...new Set(accept.split(',').map((token) => nameOf(token.trim())))].join(', ');
}

/** Message for a required question without an answer. */
function whatToEnter(field: Field): string {
  const { component } = field.field_type;
  if (component === 'file-input') return 'Choose a file.';
  if (component === 'checkbox-input') {
    return field.options.length > 1 ? 'Choose at least one.' : 'Tick this to go on.';
  }
  const thing = thingOf(field);
  if (component === 'select-input' || component === 'radio-input') return `Choose ${thing ?? 'an answer'}.`;
  if (component === 'date-input') return `Enter ${thing ?? 'a date'}.`;
  if (component === 'number-input') return `Enter ${thing ?? 'a number'}.`;
  return `Enter ${thing ?? 'an answer'}.`;
}

const HAS_NO_THING = /^(?:checkbox|file)-input$/;
const OF_A_PERSON =
  /\b(?:names?|address|number|e-?mail|phone|department|position|employer|organisation|occupation|nationality|centre|code|iban)$/i;
const OF_SOMETHING = /^(?:date|name|number|purpose|type|title|place|country|currency)\b.* of /i;
const IS_SENTENCE = /\?$|^(?:the|your|which|what|who) /i;

/** Label with an article, such as "your first name" or "the date of departure". Undefined if the article cannot be guessed. */
function thingOf({ label, entity, field_type }: Field): string | undefined {
  if (IS_SENTENCE.test(label) || HAS_NO_THING.test(field_type.component)) return undefined;
  // Keep acronyms such as "IBAN" in upper case.
  const noun = /^\p{Lu}{2}/u.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
  if (OF_SOMETHING.test(label)) return `the ${noun}`;
  return OF_A_PERSON.test(label) ? `${entity === null ? 'your' : 'the'} ${noun}` : undefined;
}
