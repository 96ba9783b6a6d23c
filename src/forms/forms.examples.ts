import { FORM_EXTENSION } from './entities/form.js';

// The form that all examples in the OpenAPI document use.
const published = {
  uuid: '3f0c9a52-7d41-4b8e-9c26-51e8a7d0b314',
  name: 'Job application',
  slug: 'job-application',
  description:
    'Apply for one of our open positions, or send us a speculative application. It takes about fifteen minutes, ' +
    'and you can return to it at any time before you submit it.',
  is_active: true,
  version: 3,
  completion: 'strict',
  ...FORM_EXTENSION,
};

export const form = {
  id: 1,
  ...published,
  created_at: '2026-11-02T08:30:00.481204Z',
  updated_at: '2026-11-16T14:05:12.907731Z',
};

const listUrl = 'https://forms.example.org/api/v1/forms';

export const formPage = {
  data: [form],
  links: { first: `${listUrl}?page=1`, last: `${listUrl}?page=1`, prev: null, next: null },
  meta: { current_page: 1, last_page: 1, per_page: 15, total: 1 },
};

const plain = {
  ...{
    placeholder: null,
    description: null,
    default_value: null,
    computed: null,
    max_bytes: null,
    accept: null,
    meta: null,
  },
  ...{ is_required: false, is_repeatable: false, entity: null, options: [], conditions: [], rules: [] },
};

const constant = { other_field_code: null, offset_days: null, message: null };

/** The job application of examples/forms, shortened to one of its steps and three of its fields. */
export const formSchema = {
  ...published,
  time_zone: null,
  entities: [],
  steps: [
    {
      id: 1,
      step_number: 1,
      title: 'Personal details',
      description: 'Tell us who you are and how we can reach you.',
      is_visible: true,
      meta: { icon: 'user' },
      fields: [
        {
          ...plain,
          id: 3,
          code: 'email',
          label: 'Email address',
          placeholder: 'ada@example.com',
          description: 'We send all messages about your application to this address.',
          is_required: true,
          meta: { autocomplete: 'email' },
          order: 3,
          field_type: { name: 'email', component: 'email-input' },
        },
        {
          ...plain,
          id: 5,
          code: 'needs_work_permit',
          label: 'Do you need a work permit for this job?',
          description: 'If you are not sure, leave this blank and we will clarify it with you.',
          order: 5,
          field_type: { name: 'radio', component: 'radio-input' },
          options: [
            { label: 'Yes', value: 'yes', order: 1, is_exclusive: false, places: null },
            { label: 'No', value: 'no', order: 2, is_exclusive: false, places: null },
          ],
        },
        {
          ...plain,
          id: 6,
          code: 'work_permit_number',
          label: 'Work permit number',
          placeholder: 'WP-1234567',
          description:
            'As printed on your permit. If your permit is still being processed, enter the application number.',
          order: 6,
          field_type: { name: 'text', component: 'text-input' },
          conditions: ['show', 'require'].map((action) => ({
            depends_on_field_id: 5,
            depends_on_field_code: 'needs_work_permit',
            operator: 'equals',
            value: 'yes',
            value_field_code: null,
            action,
            group: null,
          })),
          rules: [{ ...constant, kind: 'max_length', value: '50' }],
        },
      ],
      conditions: [],
    },
  ],
};
