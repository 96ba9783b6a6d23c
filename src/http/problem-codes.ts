/**
 * What can go wrong, for programs (E11): a code is never renamed and means the same for ever, a title may be put better.
 * The contract (docs/contract.md) says of each when it comes.
 */
export const PROBLEMS = {
  already_completed: { status: 422, title: 'Already completed' },
  already_on_first_step: { status: 422, title: 'Already on the first step' },
  already_on_last_step: { status: 422, title: 'Already on the last step' },
  body_compressed: { status: 415, title: 'Compressed body' },
  body_not_json: { status: 415, title: 'Body of another media type' },
  body_too_deep: { status: 400, title: 'Body nested too deep' },
  body_too_large: { status: 413, title: 'Body too large' },
  database_unavailable: { status: 503, title: 'Database unavailable' },
  form_not_found: { status: 404, title: 'Form not found' },
  headers_too_large: { status: 431, title: 'Headers too large' },
  idempotent_request_running: { status: 409, title: 'First request still running' },
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
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** What can be wrong with one part of a request or with one field, with the names of the params that say how. */
export const MISTAKES = {
  contains_lone_surrogate: [],
  contains_null_character: [],
  different_fields: [],
  display_only: [],
  inactive_form: [],
  key_used: [],
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
  number_out_of_range: [],
  required: [],
  too_few_records: ['min', 'count'],
  too_large: ['max', 'size'],
  too_long: ['max'],
  too_many: ['max'],
  too_many_records: ['max'],
  too_many_records_in_all: ['max'],
  unknown_entity: [],
  unknown_field: [],
  unknown_form: [],
  unknown_record: [],
} as const satisfies Record<string, readonly string[]>;

export type MistakeCode = keyof typeof MISTAKES;
