import { readFileSync } from 'node:fs';
import path from 'node:path';
import { compareForms, isBreaking } from '../../src/capabilities/definitions/compare-forms.js';
import { FileChecks, parseFiles } from '../../src/capabilities/definitions/check-files.js';
import { namesIn } from '../../src/capabilities/definitions/check-definition.js';
import type { FormDefinition } from '../../src/capabilities/definitions/form-definition.js';
import { FIRST_FIELD_TYPES } from '../../src/forms/field-types.js';

const PAGE = 'docs/administration-panel.md';

/** Returns the edits of the page's table, and what `forms diff` calls each of them. */
function rowsOfPage(): (readonly [edit: string, verdict: string])[] {
  const page = readFileSync(path.resolve(__dirname, '../..', PAGE), 'utf8');
  const [, section = ''] = page.split('## What each edit means\n');
  const [table = ''] = /(^\|.*\n)+/m.exec(section.split('\n## ')[0] ?? '') ?? [];
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      return [cells[1] ?? '', cells[3] ?? ''] as const;
    });
}

const text = { name: 'text' };
const test = { depends_on_field_code: 'a', operator: 'equals', value: 'x' };

/** Returns a definition after an edit. */
function formAfter(edit: Edit = () => undefined): FormDefinition {
  const form = {
    ...{ name: 'Form', slug: 'form' },
    entities: [{ name: 'expense', label: 'Expense', is_repeatable: true }],
    steps: [
      {
        ...{ step_number: 1, title: 'One' },
        fields: [
          {
            code: 'a',
            label: 'A',
            field_type: text,
            options: ['x', 'y'].map((value) => ({ label: value, value })),
          },
          {
            ...{ code: 'list', label: 'List', field_type: { name: 'checkbox' } },
            options: ['x', 'none'].map((value) => ({ label: value, value })),
          },
          { code: 'b', label: 'B', field_type: text, rules: [{ kind: 'max_length', value: '5' }] },
          {
            code: 'day',
            label: 'Day',
            field_type: { name: 'date' },
            rules: [{ kind: 'min_date', value: 'today' }],
          },
        ],
      },
      {
        ...{ step_number: 2, title: 'Two' },
        fields: [
          { code: 'c', label: 'C', field_type: text, conditions: [{ ...test, action: 'require' }] },
          ...['amount', 'needed'].map((code) => ({
            ...{ code, label: '', field_type: text, is_repeatable: true, is_required: code === 'needed' },
            entity: 'expense',
          })),
        ],
      },
      { step_number: 3, title: 'Three', fields: [] },
    ],
  };
  const [, list, b, , c, ...others] = form.steps.flatMap(({ fields }): any[] => fields);
  edit(form, { a: form.steps[0]!.fields[0], list, b, c, needed: others[1] });
  const checks = new FileChecks();
  const names = { components: new Map<string, string>(FIRST_FIELD_TYPES), ...namesIn(undefined) };
  const [file] = parseFiles([{ name: 'form.json', text: JSON.stringify(form) }]);
  const definition = checks.check(file!, names);
  expect(checks.mistakes).toEqual([]);
  return definition!;
}

type Edit = (form: any, fields: any) => unknown;
const set = (of: 'a' | 'b' | 'c' | 'needed', columns: object): Edit => {
  return (_, fields) => Object.assign(fields[of], columns);
};
const setForm =
  (columns: object): Edit =>
  (form) =>
    Object.assign(form, columns);
/** Makes the field a choice, because only choices have places. */
const setPlaces =
  (places: number | null): Edit =>
  (_, { a }) => {
    a.field_type = { name: 'radio' };
    a.options[1].places = places;
  };
const [FIRST, LATER] = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'];
const retired = { retired: true };
const hide = [{ ...test, action: 'hide' }];
const count = (...of: string[]) => ({ op: 'count', of });
const both =
  (...edits: Edit[]): Edit =>
  (form, fields) => {
    for (const edit of edits) edit(form, fields);
  };
const inKiribati = setForm({ time_zone: 'Pacific/Kiritimati' });
const setAge = set('b', { computed: { op: 'years_between', of: ['day', { value: 'today' }] } });
const showAdults = set('b', {
  conditions: [
    { action: 'show', depends_on_field_code: 'day', operator: 'on_or_before', value: 'today-18y' },
  ],
});
const strict = { completion: 'strict' };

/** The edits of each row; a second edit gives the form before it. The database rejects edits without a function. */
const EDITS: Readonly<Record<string, readonly (readonly [after?: Edit, before?: Edit])[]>> = {
  'change a label (also of an option), placeholder, description or default value': [
    [set('b', { label: 'New', placeholder: 'p', description: 'd', default_value: 'z' })],
    [(_, { a }) => (a.options[1].label = 'New')],
  ],
  'rename a `code`': [[set('b', { code: 'new' })]],
  'reorder fields, or move one to another step': [
    [set('b', { order: 9 })],
    [({ steps: [one, two] }) => two.fields.push(one.fields.pop())],
  ],
  'add an optional field': [
    [({ steps: [, , three] }) => three.fields.push({ code: 'd', label: '', field_type: text })],
  ],
  'add a required field, or make a field required': [
    [
      ({ steps: [, , three] }) =>
        three.fields.push({ code: 'd', label: '', field_type: text, is_required: true }),
    ],
    [set('b', { is_required: true })],
  ],
  'make a field optional, or delete a condition that requires it': [
    [undefined, set('b', { is_required: true })],
    [set('c', { conditions: [] })],
  ],
  'retire a field': [[set('b', retired)]],
  'use a retired optional field again': [[undefined, set('b', retired)]],
  'use a retired required field again': [
    [set('b', { is_required: true }), set('b', { ...retired, is_required: true })],
  ],
  'delete a field without values': [[({ steps: [one] }) => one.fields.splice(1, 1)]],
  'change the type of a field': [
    [set('c', { field_type: { name: 'number' } })],
    [set('c', { field_type: { name: 'heading' } })],
  ],
  'change `is_repeatable` of a field without values': [[set('b', { is_repeatable: true })]],
  'add an option': [[(_, { a }) => a.options.push({ label: 'New', value: 'new' })]],
  'delete an option, or change its value': [
    [(_, { a }) => a.options.pop()],
    [(_, { a }) => (a.options[1].value = 'z')],
  ],
  'compute a field, or change its formula': [
    [set('b', { computed: count('a') })],
    [set('b', { computed: count('a', 'day') }), set('b', { computed: count('a') })],
  ],
  'delete the formula of an optional field': [[undefined, set('b', { computed: count('a') })]],
  'let an option exclude the others': [[(_, { list }) => (list.options[1].is_exclusive = true)]],
  'add or tighten a rule': [
    [set('b', { rules: [{ kind: 'max_length', value: '4' }] })],
    [set('c', { rules: [{ kind: 'min_length', value: '2' }] })],
  ],
  'relax or delete a rule': [
    [set('b', { rules: [{ kind: 'max_length', value: '6' }] })],
    [set('b', { rules: [] })],
  ],
  'add a condition that can hide a required field': [[set('needed', { conditions: hide })]],
  'add a condition that can hide an optional field': [[set('b', { conditions: hide })]],
  'hide a step or an entity with required fields by a condition': [
    [({ steps: [, two] }) => (two.conditions = hide)],
    [({ entities: [entity] }) => (entity.conditions = hide)],
  ],
  'clear `is_visible` of a step with required fields': [[({ steps: [, two] }) => (two.is_visible = false)]],
  'set `is_visible` of a step with required fields': [
    [undefined, ({ steps: [, two] }) => (two.is_visible = false)],
  ],
  'set `completion` to strict': [[setForm(strict), setForm({ completion: 'lenient' })]],
  'set `completion` to lenient': [[setForm({ completion: 'lenient' }), setForm(strict)]],
  'set `time_zone` while rules use `today`': [[inKiribati]],
  // Without a time zone, the rule of the form that uses `today` becomes no stricter.
  'change `time_zone` while conditions or formulas use `today`': [
    [setAge, both(setAge, inKiribati)],
    [showAdults, both(showAdults, inKiribati)],
  ],
  'add or reorder steps': [
    [({ steps }) => steps.push({ step_number: 4, title: 'Four', fields: [] })],
    [({ steps }) => ([steps[0].step_number, steps[1].step_number] = [2, 1])],
  ],
  'delete a step without values': [[({ steps }) => steps.pop()]],
  'delete an entity without records': [
    [undefined, ({ entities }) => entities.push({ name: 'trip', label: 'Trip', is_repeatable: true })],
  ],
  'raise `min_records`, or lower `max_records`': [
    [({ entities: [entity] }) => (entity.min_records = 1)],
    [({ entities: [entity] }) => (entity.max_records = 1)],
  ],
  'set an earlier end (`closes_at`), or a later begin (`opens_at`)': [
    [setForm({ closes_at: FIRST }), setForm({ closes_at: LATER })],
    [setForm({ opens_at: LATER }), setForm({ opens_at: FIRST })],
  ],
  'set a later end, or an earlier begin': [
    [setForm({ closes_at: LATER }), setForm({ closes_at: FIRST })],
    [setForm({ opens_at: FIRST }), setForm({ opens_at: LATER })],
  ],
  'set `closes_drafts`': [[setForm({ closes_drafts: true })]],
  'set or lower `max_submissions`, `max_per_user`, or `places` of an option': [
    [setForm({ max_submissions: 5 })],
    [setForm({ max_per_user: 1 }), setForm({ max_per_user: 2 })],
    [setPlaces(3), setPlaces(4)],
    [setPlaces(3), setPlaces(null)],
  ],
  'raise or delete such a limit': [
    [undefined, setForm({ max_submissions: 5 })],
    [setForm({ max_per_user: 2 }), setForm({ max_per_user: 1 })],
    [setPlaces(null), setPlaces(4)],
  ],
  'set, change or delete `keep_completed_days`, `keep_drafts_days` or `keep_personal_days`': [
    [setForm({ keep_completed_days: 30 })],
    [setForm({ keep_drafts_days: 30 }), setForm({ keep_drafts_days: 60 })],
    [undefined, setForm({ keep_personal_days: 30 })],
  ],
  'set or clear `is_personal` of a field': [
    [set('b', { is_personal: true })],
    [undefined, set('b', { is_personal: true })],
  ],
  'deactivate the form': [[setForm({ is_active: false })]],
  'delete a field that has values, or to which conditions, rules or formulas refer, a step with values, an entity with records, or a form with submissions':
    [],
  'change `is_repeatable` of a field with values': [],
};

describe(`${PAGE}: the table of edits`, () => {
  it('has a test for each row, and no other', () => {
    expect(rowsOfPage().map(([edit]) => edit)).toEqual(Object.keys(EDITS));
  });

  it.each(rowsOfPage())('%s: %s', (edit, verdict) => {
    const verdicts = EDITS[edit]!.map(([after, before]) => {
      const changes = compareForms(formAfter(before), formAfter(after));
      expect(changes).not.toEqual([]);
      return changes.some(isBreaking) ? 'breaking' : 'compatible';
    });
    // `integrity.spec.ts` proves what the database rejects.
    expect(new Set(verdicts)).toEqual(new Set(verdict === '—' ? [] : [verdict]));
  });
});
