import { type FieldErrors, fieldError } from '../../http/errors/problems.js';

/** The states for the values of the example submission. */
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

/** The states before the first answer: nobody has said yet that they need a permit. */
export const conditionsWithoutValues = {
  ...conditionsMap,
  6: { visible: false, required: false },
};

export const conditionsListWithoutValues = conditionsList.map((state) =>
  state.field_id === 6 ? { ...state, is_visible: false, is_required: false } : state,
);

/** The states of two receipts, one of which is in dollars. */
export const conditionsWithRecords = {
  data: { 7: { visible: true, required: true }, 8: { visible: true, required: false } },
  records: {
    12: { 7: { visible: true, required: true }, 8: { visible: true, required: true } },
    13: { 7: { visible: true, required: true }, 8: { visible: false, required: false } },
  },
  form_version: 3,
};

/** The second step is hidden, because the user has no expenses. */
export const conditionsWithSteps = {
  data: { 7: { visible: true, required: true }, 9: { visible: false, required: false } },
  steps: [
    { step_number: 1, is_visible: true, has_visible_fields: true },
    { step_number: 2, is_visible: false, has_visible_fields: false },
  ],
  entities: [{ name: 'receipt', is_visible: false }],
  form_version: 3,
};

/** The permit number is visible and required because the user needs a permit. */
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

/** The second step hides the field. */
export const conditionsHiddenBy = {
  9: {
    visible: false,
    required: false,
    conditions_met: [],
    hidden_by: [
      {
        step_number: 2,
        conditions: [
          { depends_on_field_code: 'has_expenses', operator: 'equals', value: 'yes', action: 'show' },
        ],
      },
    ],
  },
};

export const conditionsErrors = {
  unknownShape: {
    shape: [fieldError('not_allowed', 'The shape must be map or list.', { allowed: ['map', 'list'] })],
  },
  unknownScope: {
    scope: [fieldError('not_allowed', 'The scope must be records.', { allowed: ['records'] })],
  },
  unknownExplain: {
    explain: [
      fieldError('not_allowed', 'The explain must be true or false.', { allowed: ['true', 'false'] }),
    ],
  },
  unknownSteps: {
    steps: [fieldError('not_allowed', 'The steps must be true or false.', { allowed: ['true', 'false'] })],
  },
} satisfies Record<string, FieldErrors>;
