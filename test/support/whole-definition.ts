import { FORM_DEFINITION } from '../../src/capabilities/definitions/definition-schema.js';

let slugs = 0;

/** Returns a new form definition with every possible key. No key has its default value. */
export function wholeDefinition(): any {
  slugs += 1;
  const other = {
    code: 'other',
    label: 'Other',
    field_type: { name: 'text', component: 'text-input' },
    order: 1,
    rules: [{ kind: 'pattern', value: '[a-z]+', message: null }],
  };
  const containerConditions = [
    { depends_on_field_code: 'other', operator: 'equals', value: 'x', action: 'hide', group: 1 },
  ];
  return {
    $schema: FORM_DEFINITION.$id,
    uuid: `00000000-0000-4000-8000-${String(slugs).padStart(12, '0')}`,
    name: 'Whole',
    slug: `whole-${slugs}`,
    description: 'All of it',
    locale: 'en',
    translations: { de: { name: 'Ganz', description: 'Alles davon' }, 'zh-Hant-TW': { name: '全部' } },
    is_active: false,
    completion: 'strict',
    access: 'public',
    proof_of_work: 50_000,
    opens_at: '2026-12-01T08:00:00.000000Z',
    closes_at: '2026-12-18T11:00:00.500000Z',
    closes_drafts: true,
    max_submissions: 20,
    max_per_user: 1,
    keep_completed_days: 365,
    keep_drafts_days: 30,
    keep_personal_days: 90,
    time_zone: 'Europe/Berlin',
    entities: [
      {
        name: 'trip',
        label: 'Trip',
        translations: { de: { label: 'Reise' } },
        is_repeatable: true,
        min_records: 1,
        max_records: 3,
        conditions: containerConditions,
      },
      { name: 'person', label: 'Person' },
    ],
    steps: [
      {
        step_number: 1,
        title: 'One',
        description: 'The first',
        translations: { de: { title: 'Eins', description: 'Der erste' } },
        is_visible: false,
        meta: { icon: 'user' },
        conditions: containerConditions.map((condition) => ({ ...condition, action: 'show' })),
        fields: [
          {
            code: 'kind',
            label: 'Kind',
            placeholder: 'Which?',
            description: 'Of them',
            translations: { de: { label: 'Art', placeholder: 'Welche?', description: 'Von ihnen' } },
            is_required: true,
            is_repeatable: true,
            default_value: 'a',
            max_bytes: 1,
            accept: 'application/pdf, .docx',
            meta: { autocomplete: 'off' },
            order: 1,
            is_personal: true,
            retired: true,
            field_type: { name: 'select', component: 'select-input' },
            entity: 'trip',
            options: [
              { label: 'A', value: 'a', order: 1, places: 5, translations: { de: { label: 'Ah' } } },
              { label: 'B', value: 'b', order: 1, is_exclusive: true },
            ],
            conditions: [
              { depends_on_field_code: 'other', operator: 'equals', value: 'x', action: 'show', group: 1 },
            ],
            rules: [
              {
                ...{ kind: 'max_length', value: '9', message: 'Too long.' },
                translations: { de: { message: 'Zu lang.' } },
              },
              { kind: 'min_length', value: '2' },
            ],
          },
          other,
          { ...other, code: 'note', order: 2, entity: 'trip', is_repeatable: true },
          { code: 'start', label: 'Start', field_type: { name: 'date' } },
          {
            ...{ code: 'end', label: 'End', field_type: { name: 'date' } },
            conditions: [
              { depends_on_field_code: 'start', operator: 'before', value_field: 'end', action: 'require' },
            ],
            rules: [
              {
                ...{ kind: 'min_date', other_field: 'start', offset_days: 1, message: 'Too early.' },
                translations: { de: { message: 'Zu früh.' } },
              },
            ],
          },
          {
            ...{ code: 'days', label: 'Days', field_type: { name: 'number' } },
            computed: {
              op: 'average',
              of: [{ op: 'days_between', of: ['start', 'end'] }, { value: '1' }],
              scale: 1,
            },
          },
        ],
      },
      { step_number: 2, title: 'Two', fields: [] },
    ],
  };
}
