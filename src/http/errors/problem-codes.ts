import type { HeadersObject } from '#swagger';

/** A kind of error response. Programs depend on its code (E11). */
export interface ProblemType {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** Headers of the response, for the OpenAPI document. */
  readonly headers?: HeadersObject;
  /** The constraint with which the database itself rejects a write because of this problem, and the message then. */
  readonly constraint?: { readonly name: string; readonly message: string };
}

type Catalogue = Readonly<Record<string, Omit<ProblemType, 'code'>>>;

/** Adds its code to each kind of problem of a catalogue. */
export function problemTypes<const Types extends Catalogue>(types: Types) {
  return Object.fromEntries(Object.entries(types).map(([code, type]) => [code, { code, ...type }])) as {
    readonly [Code in keyof Types]: ProblemType;
  };
}

/**
 * Problem codes of the core, on which programs depend (E11). A code is never renamed and never changes its meaning; a title may be
 * improved. The contract (docs/contract.md) describes when each code occurs.
 */
export const PROBLEMS = problemTypes({
  already_completed: { status: 422, title: 'Already completed' },
  already_on_first_step: { status: 422, title: 'Already on the first step' },
  already_on_last_step: { status: 422, title: 'Already on the last step' },
  body_compressed: { status: 415, title: 'Compressed body' },
  body_not_json: { status: 415, title: 'Body not JSON' },
  body_too_deep: { status: 400, title: 'Body nested too deep' },
  body_too_large: { status: 413, title: 'Body too large' },
  body_too_many_values: { status: 413, title: 'Body with too many values' },
  database_unavailable: { status: 503, title: 'Database unavailable' },
  form_not_found: { status: 404, title: 'Form not found' },
  headers_too_large: { status: 431, title: 'Headers too large' },
  idempotent_request_running: { status: 409, title: 'Request still running' },
  identity_provider_unavailable: { status: 503, title: 'Identity provider unavailable' },
  invalid_data: { status: 422, title: 'Invalid data' },
  malformed_json: { status: 400, title: 'Malformed JSON' },
  malformed_request: { status: 400, title: 'Malformed request' },
  malformed_url: { status: 400, title: 'Malformed URL' },
  overloaded: { status: 503, title: 'Overloaded' },
  record_not_found: { status: 404, title: 'Record not found' },
  request_timeout: { status: 408, title: 'Request took too long' },
  route_not_found: { status: 404, title: 'Route not found' },
  server_error: { status: 500, title: 'Server error' },
  submission_changed: { status: 412, title: 'Submission has changed' },
  submission_not_found: { status: 404, title: 'Submission not found' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  unauthenticated: { status: 401, title: 'Unauthenticated' },
  unknown_expectation: { status: 417, title: 'Unknown expectation' },
  version_not_found: { status: 404, title: 'Version not found' },
});

export type ProblemCode = keyof typeof PROBLEMS;

/** The names of the params of each code of a field error. */
export type FieldErrorCatalogue = Readonly<Record<string, readonly string[]>>;

/** Codes of errors in one part of a request or in one field of a form, with the names of their params. */
export const FIELD_ERRORS = {
  above_maximum: ['max'],
  below_minimum: ['min'],
  computed: [],
  contains_lone_surrogate: [],
  contains_null_character: [],
  different_fields: [],
  display_only: [],
  equal_to: ['other_field_code'],
  exclusive_choice: ['value'],
  inactive_form: [],
  key_used: [],
  malformed_cursor: [],
  malformed_key: ['max'],
  not_a_boolean: [],
  not_a_date: [],
  not_a_number: [],
  not_a_string: [],
  not_allowed: ['allowed'],
  not_an_array: [],
  not_an_email: [],
  not_an_integer: ['min', 'max'],
  not_an_object: [],
  not_an_option: [],
  not_equal_to: ['other_field_code'],
  not_explained_here: [],
  number_out_of_range: [],
  number_too_long: ['max'],
  pattern_mismatch: ['pattern'],
  required: [],
  sum_above_maximum: ['max', 'sum'],
  sum_below_minimum: ['min', 'sum'],
  too_early: ['min'],
  too_few_records: ['min', 'count'],
  too_large: ['max', 'size'],
  too_late: ['max'],
  too_long: ['max'],
  too_long_for_pattern: ['max'],
  too_many: ['max'],
  too_many_computed: ['max'],
  too_many_records: ['max'],
  too_many_records_in_all: ['max'],
  too_many_values: ['max'],
  too_much_stored: ['max'],
  too_much_text: ['max'],
  too_much_to_explain: ['max'],
  too_short: ['min'],
  unknown_entity: [],
  unknown_field: [],
  unknown_form: [],
  unknown_record: [],
  unknown_step: [],
} as const satisfies FieldErrorCatalogue;

export type FieldErrorCode = keyof typeof FIELD_ERRORS;
