import { unknownStep } from './dto/validation-query.dto.js';
import { conditionsErrors } from '../forms/states/conditions.examples.js';
import { form } from '../forms/forms.examples.js';
import { type FieldErrors, fieldError } from '../http/errors/problems.js';

const draft = {
  uuid: '01a1fd9a-9a4b-7c31-9b5d-2f8e41c07a66',
  form_id: 1,
  status: 'draft',
  current_step: 1,
  meta: null,
  created_at: '2026-11-21T10:15:30.123456Z',
  updated_at: '2026-11-21T10:15:30.123456Z',
};

export const created = { ...draft, is_test: false, begun_version: 3, completed_version: null };

const listed = { ...created, form: { uuid: form.uuid, name: form.name, slug: form.slug } };

export const submissionPage = {
  data: [listed],
  links: {
    next:
      'https://forms.example.org/api/v1/submissions?status=draft&per_page=1&cursor=' +
      'MjAyNi0xMS0yMVQxMDoxNTozMC4xMjM0NTZaIDAxYTFmZDlhLTlhNGItN2MzMS05YjVkLTJmOGU0MWMwN2E2Ng',
  },
  meta: { per_page: 1 },
};

export const lastSubmissionPage = { data: [listed], links: { next: null }, meta: { per_page: 15 } };

/** Names fields by code, because their ids differ between databases. */
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

/** Two of the five steps are hidden, and `skip=hidden` counts only the others. */
export const onSecondVisibleStep = { ...onSecondStep, current_step: 3, progress_percentage: 67 };

export const onFirstStep = { ...onSecondStep, current_step: 1, progress_percentage: 20 };

export const completed = {
  ...draft,
  status: 'completed',
  current_step: 5,
  meta: { source: 'careers-page', minutes: 9 },
  updated_at: '2026-11-21T10:24:41.719350Z',
};

// Examples of `errors` in a 422, by cause.

export const createErrors = {
  missing: { form_uuid: [fieldError('required', 'The form_uuid is required.')] },
  unknownForm: { form_uuid: [fieldError('unknown_form', 'There is no form with this form_uuid.')] },
  inactiveForm: {
    form_uuid: [fieldError('inactive_form', 'The form is not active and accepts no new submissions.')],
  },
} satisfies Record<string, FieldErrors>;

export const listErrors = {
  wrongFilters: {
    status: [
      fieldError('not_allowed', 'The status must be draft or completed.', {
        allowed: ['draft', 'completed'],
      }),
    ],
    per_page: [
      fieldError('not_an_integer', 'The per_page must be an integer from 1 to 100.', { min: 1, max: 100 }),
    ],
    cursor: [fieldError('malformed_cursor', 'The cursor must come from links.next of this list.')],
  },
  unknownForm: createErrors.unknownForm,
} satisfies Record<string, FieldErrors>;

export const includeErrors = {
  unknownInclude: {
    include: [fieldError('not_allowed', 'The include must be conditions.', { allowed: ['conditions'] })],
  },
  ...conditionsErrors,
} satisfies Record<string, FieldErrors>;

export const keyErrors = {
  usedKey: {
    'Idempotency-Key': [fieldError('key_used', 'The Idempotency-Key was used for another request.')],
  },
  badKey: {
    'Idempotency-Key': [
      fieldError('malformed_key', 'The Idempotency-Key must have 1 to 255 printable ASCII characters.', {
        max: 255,
      }),
    ],
  },
} satisfies Record<string, FieldErrors>;

export const patchErrors = {
  wrongTypes: {
    status: [
      fieldError('not_allowed', 'The status must be draft or completed.', {
        allowed: ['draft', 'completed'],
      }),
    ],
    meta: [fieldError('not_an_object', 'The meta must be an object or null.')],
  },
  incomplete: {
    email: [fieldError('not_an_email', 'The email must be an e-mail address.')],
    work_permit_number: [fieldError('required', 'The work_permit_number is required.')],
  },
  metaTooLarge: {
    meta: [
      fieldError('too_large', 'The meta must not be larger than 16384 bytes as JSON; it has 16395.', {
        max: 16_384,
        size: 16_395,
      }),
    ],
  },
  brokenRule: {
    expected_salary: [fieldError('below_minimum', 'The expected_salary must be at least 1.', { min: '1' })],
  },
} satisfies Record<string, FieldErrors>;

export const moveErrors = {
  unknownSkip: {
    skip: [fieldError('not_allowed', 'The skip must be hidden.', { allowed: ['hidden'] })],
  },
} satisfies Record<string, FieldErrors>;

export const advanceErrors = {
  invalidStep: patchErrors.incomplete,
  unknownValidate: {
    validate: [
      fieldError('not_allowed', 'The validate must be true or false.', { allowed: ['true', 'false'] }),
    ],
  },
} satisfies Record<string, FieldErrors>;

export const validationErrors = {
  unknownStep: { step: [unknownStep()] },
} satisfies Record<string, FieldErrors>;

export const valuesErrors = {
  wrongTypes: {
    'values.0.field_id': [fieldError('required', 'The field_id is required if no field_code is given.')],
    'values.1.value': [fieldError('not_a_string', 'The value must be a string.')],
    'values.2.value': [fieldError('required', 'The value is required; an empty string stands for no value.')],
  },
  unstorable: {
    'values.0.value': [fieldError('contains_null_character', 'The value contains the character U+0000.')],
  },
  tooMany: {
    values: [fieldError('too_many', 'The values must not have more than 500 entries.', { max: 500 })],
  },
  unknownFields: {
    'values.0.field_id': [
      fieldError('unknown_field', 'The form of this submission has no field with this id.'),
    ],
    'values.1.field_code': [
      fieldError('unknown_field', 'The form of this submission has no field with this code.'),
    ],
  },
  displayOnly: {
    'values.0.field_code': [
      fieldError('display_only', 'The field documents_heading is for display only and holds no value.'),
    ],
  },
  foreignRecord: {
    'values.0.entity_record_id': [
      fieldError('unknown_record', 'This submission has no entity record with this id.'),
    ],
  },
} satisfies Record<string, FieldErrors>;
