import { form } from '../forms/forms.examples.js';
import { SUBMISSION_EXTENSION } from './entities/submission.js';

const draft = {
  uuid: '01a1fd9a-9a4b-7c31-9b5d-2f8e41c07a66',
  form_id: 1,
  status: 'draft',
  current_step: 1,
  meta: null,
  created_at: '2026-11-21T10:15:30.123456Z',
  updated_at: '2026-11-21T10:15:30.123456Z',
};

export const newSubmission = { form_uuid: form.uuid };

export const created = {
  ...{ ...draft, is_test: false, begun_version: 3, completed_version: null },
  ...Object.fromEntries(SUBMISSION_EXTENSION.map((column) => [column, null])),
  anonymized_at: null,
};

export const submissionPage = {
  data: [{ ...created, form: { uuid: form.uuid, name: form.name, slug: form.slug } }],
  links: { next: null },
  meta: { per_page: 15 },
};

/** Names fields by code, because their ids differ between databases. */
export const newValues = {
  values: [
    { field_code: 'email', value: 'ada@example.com' },
    { field_code: 'needs_work_permit', value: 'yes' },
  ],
};

export const storedValues = [
  { field_id: 3, field_code: 'email', value: 'ada@example.com', entity_record_id: null },
  { field_id: 5, field_code: 'needs_work_permit', value: 'yes', entity_record_id: null },
];

export const withValues = { ...created, values: storedValues, records: [] };

export const submissionChange = { meta: { source: 'careers-page' } };

export const changed = { ...draft, ...submissionChange };

export const validation = {
  valid: false,
  errors: { work_permit_number: ['The work_permit_number is required.'] },
};

/** The form has five steps. */
export const progress = {
  uuid: draft.uuid,
  current_step: 2,
  status: 'draft',
  is_last_step: false,
  progress_percentage: 40,
};

export const record = { id: 12, entity: 'expense', created_at: '2026-11-21T10:16:12.507311Z' };
