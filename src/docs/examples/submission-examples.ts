import { submissionUuid } from './ids.js';

export const created = {
  uuid: submissionUuid,
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
};

/** The whole form has five steps. */
export const onSecondStep = {
  uuid: submissionUuid,
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

/** By the stored values above. */
export const conditionsMap = {
  3: { visible: true, required: true },
  5: { visible: true, required: false },
  6: { visible: true, required: true },
};

export const conditionsList = [
  { field_id: 3, field_code: 'email', is_visible: true, is_required: true },
  { field_id: 5, field_code: 'needs_work_permit', is_visible: true, is_required: false },
  { field_id: 6, field_code: 'work_permit_number', is_visible: true, is_required: true },
];

/** By the condition that is met: the number is asked for because a permit is needed. */
export const conditionsExplained = {
  3: { visible: true, required: true, conditions_met: [] },
  5: { visible: true, required: false, conditions_met: [] },
  6: {
    visible: true,
    required: true,
    conditions_met: [
      { depends_on_field_code: 'needs_work_permit', operator: 'equals', value: 'yes', action: 'show' },
      { depends_on_field_code: 'needs_work_permit', operator: 'equals', value: 'yes', action: 'require' },
    ],
  },
};
