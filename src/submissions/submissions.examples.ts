import type { FieldErrors } from '../http/problems.js';

export const created = {
  uuid: '01a1fd9a-9a4b-7c31-9b5d-2f8e41c07a66',
  form_id: 1,
  status: 'draft',
  current_step: 1,
  meta: null,
  created_at: '2026-11-21T10:15:30.123456Z',
  updated_at: '2026-11-21T10:15:30.123456Z',
};

/** By code, because the ids of the form's fields are others in each database. */
export const newValues = {
  values: [
    { field_code: 'email', value: 'ada@example.com' },
    { field_code: 'needs_work_permit', value: 'yes' },
    { field_code: 'work_permit_number', value: 'WP-4471802' },
  ],
};

export const newValuesById = {
  values: [
    { field_id: 5, value: 'yes' },
    { field_id: 6, value: 'WP-4471802', entity_record_id: null },
  ],
};

export const storedValues = [
  { field_id: 3, field_code: 'email', value: 'ada@example.com', entity_record_id: null },
  { field_id: 5, field_code: 'needs_work_permit', value: 'yes', entity_record_id: null },
  { field_id: 6, field_code: 'work_permit_number', value: 'WP-4471802', entity_record_id: null },
];

export const withValues = {
  ...created,
  meta: { source: 'careers-page' },
  updated_at: '2026-11-21T10:17:02.480913Z',
  values: storedValues,
  records: [],
};

/** The whole form has five steps. */
export const onSecondStep = {
  uuid: created.uuid,
  current_step: 2,
  status: 'draft',
  is_last_step: false,
  progress_percentage: 40,
};

export const onFirstStep = { ...onSecondStep, current_step: 1, progress_percentage: 20 };

export const completed = {
  ...created,
  status: 'completed',
  current_step: 5,
  meta: { source: 'careers-page', minutes: 9 },
  updated_at: '2026-11-21T10:24:41.719350Z',
};

// What the `errors` of a 422 say, by what went wrong.

export const createMistakes = {
  missing: { form_uuid: ['The form_uuid is required.'] },
  unknownForm: { form_uuid: ['There is no form with this form_uuid.'] },
  inactiveForm: { form_uuid: ['The form is not active and takes no new submissions.'] },
} satisfies Record<string, FieldErrors>;

export const keyMistakes = {
  usedKey: { 'Idempotency-Key': ['The Idempotency-Key was used for another request.'] },
  badKey: { 'Idempotency-Key': ['The Idempotency-Key must have 1 to 255 printable ASCII characters.'] },
} satisfies Record<string, FieldErrors>;

export const patchMistakes = {
  wrongTypes: {
    status: ['The status must be draft or completed.'],
    meta: ['The meta must be an object or null.'],
  },
  incomplete: {
    email: ['The email must be an e-mail address.'],
    work_permit_number: ['The work_permit_number is required.'],
  },
  brokenRule: { expected_salary: ['The expected_salary must be at least 1.'] },
  metaTooLarge: { meta: ['The meta must not be larger than 16384 bytes as JSON; it has 16395.'] },
} satisfies Record<string, FieldErrors>;

export const advanceMistakes = {
  invalidStep: patchMistakes.incomplete,
  unknownValidate: { validate: ['The validate must be true or false.'] },
} satisfies Record<string, FieldErrors>;

export const validationMistakes = {
  unknownStep: { step: ['The step must be the step_number of a step of the form.'] },
} satisfies Record<string, FieldErrors>;

export const valuesMistakes = {
  wrongTypes: {
    'values.0.field_id': ['The field_id is required where no field_code is given.'],
    'values.1.value': ['The value must be a string.'],
    'values.2.value': ['The value is required; an empty string stands for no value.'],
  },
  unstorable: { 'values.0.value': ['The value contains the character U+0000.'] },
  tooMany: { values: ['The values must not have more than 500 entries.'] },
  unknownFields: {
    'values.0.field_id': ['The form of this submission has no field with this id.'],
    'values.1.field_code': ['The form of this submission has no field with this code.'],
  },
  displayOnly: {
    'values.0.field_code': ['The field documents_heading is for display only and holds no value.'],
  },
  foreignRecord: {
    'values.0.entity_record_id': ['This submission has no entity record with this id.'],
  },
} satisfies Record<string, FieldErrors>;
