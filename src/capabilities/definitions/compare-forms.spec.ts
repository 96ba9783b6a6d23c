import { FileChecks, parseFiles } from './check-files.js';
import { namesIn } from './check-definition.js';
import { FIRST_FIELD_TYPES } from '../../forms/field-types.js';
import fc from 'fast-check';
import { compareForms } from './compare-forms.js';
import { compareDefinitions } from './definition-rows.js';
import type { FormDefinition } from './form-definition.js';
import { renumberSteps } from './match-steps.js';

type Edit = (form: any) => unknown;

/** Returns a checked form with every kind of part, after the edits. */
function formAfter(...edits: Edit[]): FormDefinition {
  const text = { name: 'text' };
  const form = {
    name: 'Form',
    slug: 'form',
    entities: [{ name: 'trip', label: 'Trip', is_repeatable: true, conditions: [when('hide')] }],
    steps: [
      {
        step_number: 1,
        title: 'One',
        fields: [
          { code: 'name', label: 'Name', field_type: text },
          { code: 'note', label: 'Note', field_type: text },
          {
            code: 'kind',
            label: 'Kind',
            field_type: { name: 'select' },
            options: [option('a'), option('b')],
          },
          { code: 'number', label: 'Number', field_type: { name: 'number' } },
          { code: 'day', label: 'Day', field_type: { name: 'date' } },
          { code: 'scan', label: 'Scan', field_type: { name: 'file' } },
          { code: 'title', label: 'Title', field_type: { name: 'heading' } },
          {
            ...{ code: 'list', label: 'List', field_type: { name: 'checkbox' } },
            options: [option('a'), option('b')],
          },
          { code: 'end', label: 'End', field_type: { name: 'date' } },
        ],
      },
      {
        step_number: 2,
        title: 'Two',
        conditions: [when('show')],
        fields: [{ code: 'place', label: 'Place', field_type: text, is_repeatable: true, entity: 'trip' }],
      },
    ],
  };
  for (const edit of edits) edit(form);
  const checks = new FileChecks();
  const names = { components: new Map<string, string>(FIRST_FIELD_TYPES), ...namesIn(undefined) };
  const [definition] = parseFiles([{ name: 'form.json', text: JSON.stringify(form) }]).map((file) =>
    checks.check(file, names),
  );
  if (definition === undefined) throw new Error(checks.mistakes.map(({ message }) => message).join());
  return definition;
}

const fieldOf = (form: any, code: string) =>
  form.steps.flatMap((step: any) => step.fields).find((field: any) => field.code === code);
const set =
  (code: string, change: object): Edit =>
  (form) =>
    Object.assign(fieldOf(form, code), change);
const setForm =
  (change: object): Edit =>
  (form) =>
    Object.assign(form, change);
const setStep =
  (change: object, index = 1): Edit =>
  (form) =>
    Object.assign(form.steps[index], change);
const setEntity =
  (change: object): Edit =>
  (form) =>
    Object.assign(form.entities[0], change);
const add =
  (field: object): Edit =>
  (form) =>
    form.steps[0].fields.push({ code: 'new', label: 'New', field_type: { name: 'text' }, ...field });
const rules = (code: string, ...rules: [kind: string, value: string][]): Edit =>
  set(code, { rules: rules.map(([kind, value]) => ({ kind, value })) });
/** Rules of the field `end` that compare with the field `day`, unless `more` says another field. */
const between = (kind: string, more: object = {}) =>
  set('end', { rules: [{ kind, other_field: 'day', ...more }] });
const compute = (...of: unknown[]) => set('number', { computed: { op: 'sum', of } });
const exclusive = (code: string, is_exclusive?: boolean) =>
  set(code, { options: [option('a'), { ...option('b'), is_exclusive }] });
const option = (value: string, label = value.toUpperCase()) => ({ label, value });
const when = (action: string, value = 'x', more: object = {}) => ({
  ...{ depends_on_field_code: 'name', operator: 'equals', value, action },
  ...more,
});
const required = set('note', { is_required: true });
const conditions = (...conditions: object[]) => set('note', { conditions });
const remove =
  (code: string): Edit =>
  (form) => {
    for (const step of form.steps) step.fields = step.fields.filter((field: any) => field.code !== code);
  };
/** Keeps the positions of the other fields when the second field is removed. */
const keepOrder: Edit = (form) =>
  form.steps[0].fields.forEach((field: any, index: number) => (field.order = index === 0 ? 1 : index + 2));
const move: Edit = (form) => {
  const field = fieldOf(form, 'note');
  remove('note')(form);
  form.steps[1].fields.push({ ...field, order: 2 });
  keepOrder(form);
};

/** The path of a change, the change, and edits that both states have. */
type Row = [path: string, change: Edit, ...shared: Edit[]];

const group = (...words: string[]) => words.map((value) => when('show', value, { group: 1 }));
const conditionsOfNote = 'fields.note.conditions';

const BREAKING: Row[] = [
  ['slug', setForm({ slug: 'other' })],
  ['entities.car', (form) => form.entities.push({ name: 'car', label: 'Car', min_records: 1 })],
  ['entities.trip.is_repeatable', setEntity({ is_repeatable: false })],
  ['entities.trip.conditions', setEntity({ conditions: [] }), setEntity({ min_records: 1 })],
  ['fields.new', add({ is_required: true })],
  ['fields.new', add({ conditions: [when('require')] })],
  ['fields.note.retired', set('note', { retired: true }), required],
  ['fields.note.entity', set('note', { entity: 'trip' })],
  ['fields.note.is_repeatable', set('note', { is_repeatable: true })],
  ['fields.kind.options.a', set('kind', { options: [option('a')] }), set('kind', { options: [] })],
  ['fields.note.rules.pattern', rules('note', ['pattern', '[a-y]']), rules('note', ['pattern', '[a-z]'])],
  [
    'fields.day.rules.min_date',
    rules('day', ['min_date', '2026-01-01']),
    rules('day', ['min_date', 'today']),
  ],
  ['fields.note.step_number', move, required],
  [conditionsOfNote, conditions(when('hide')), required],
  [conditionsOfNote, conditions(when('show')), required],
  [conditionsOfNote, conditions(when('show'), when('show', 'y')), required, conditions(when('show'))],
  [conditionsOfNote, conditions(when('show', 'y')), required, conditions(when('show'))],
  [conditionsOfNote, conditions(...group('x', 'y')), required, conditions(...group('x'))],
  ['steps.2.conditions', setStep({ conditions: [when('show', 'y')] }), set('place', { is_required: true })],
  [
    conditionsOfNote,
    conditions(when('show', '', { value_field: 'kind' })),
    required,
    conditions(when('show', '')),
  ],
  // Days and months do not compare, because months differ in length.
  [
    'fields.day.rules.min_date',
    rules('day', ['min_date', 'today+30d']),
    rules('day', ['min_date', 'today+1m']),
  ],
  ['fields.number.computed', compute('place'), compute('place', { value: '1' })],
  ['fields.number.computed', compute('place'), set('number', { is_required: true })],
  [
    'time_zone',
    setForm({ time_zone: 'Europe/Berlin' }),
    compute({ op: 'years_between', of: ['day', { value: 'today' }] }),
  ],
  [
    'time_zone',
    setForm({ time_zone: 'Europe/Berlin' }),
    conditions(when('hide', 'today', { depends_on_field_code: 'day', operator: 'before' })),
  ],
];

const narrower = (code: string, kind: string, from: string, to: string): Row => {
  return [`fields.${code}.rules.${kind}`, rules(code, [kind, to]), rules(code, [kind, from])];
};

const MORNING = '2026-12-01T08:00:00.000000Z';
const EVENING = '2026-12-01T18:00:00.000000Z';
const places = (code: string, places: number) =>
  set(code, { options: [{ ...option('a'), places }, option('b')] });

const BREAKING_ONE_WAY: Row[] = [
  ['completion', setForm({ completion: 'strict' })],
  ['completion', setForm({ completion: 'strict' }), setForm({ completion: 'lenient' })],
  ['time_zone', setForm({ time_zone: 'Europe/Berlin' }), rules('day', ['min_date', 'today'])],
  // D8: a later begin, an earlier end, closed drafts, a new or lower limit.
  ['opens_at', setForm({ opens_at: MORNING })],
  ['opens_at', setForm({ opens_at: EVENING }), setForm({ opens_at: MORNING })],
  ['closes_at', setForm({ closes_at: EVENING })],
  ['closes_at', setForm({ closes_at: MORNING }), setForm({ closes_at: EVENING })],
  ['closes_drafts', setForm({ closes_drafts: true })],
  ['max_submissions', setForm({ max_submissions: 9 })],
  ['max_submissions', setForm({ max_submissions: 9 }), setForm({ max_submissions: 10 })],
  ['max_per_user', setForm({ max_per_user: 1 })],
  ['fields.kind.options.a.places', places('kind', 5)],
  ['fields.kind.options.a.places', places('kind', 0), places('kind', 5)],
  ['entities.trip.min_records', setEntity({ min_records: 1 })],
  ['entities.trip.max_records', setEntity({ max_records: 9 })],
  ['entities.trip.max_records', setEntity({ max_records: 9 }), setEntity({ max_records: 10 })],
  ['fields.note.retired', set('note', { retired: true })],
  ['fields.note.is_required', required],
  ['fields.scan.max_bytes', set('scan', { max_bytes: 9 })],
  ['fields.scan.accept', set('scan', { accept: 'image/png' })],
  [
    'fields.scan.accept',
    set('scan', { accept: 'image/png, .docx' }),
    set('scan', { accept: '.docx,image/*' }),
  ],
  ['fields.note.rules.max_length', rules('note', ['max_length', '9'])],
  narrower('note', 'min_length', '2', '10'),
  narrower('note', 'max_length', '10', '2'),
  narrower('number', 'min', '-2', '1e1'),
  narrower('number', 'max', '10', '9.5'),
  narrower('day', 'min_date', '2026-01-01', '2026-01-02'),
  narrower('day', 'max_date', '2026-01-02', '2026-01-01'),
  narrower('day', 'min_date', 'today', 'today+1d'),
  narrower('day', 'max_date', 'today+99999d', 'today'),
  narrower('day', 'max_date', 'today', 'today-18y'),
  narrower('day', 'min_date', 'today-2m', 'today-1m'),
  ['fields.end.rules.min_date.day', between('min_date')],
  ['fields.end.rules.not_equal.day', between('not_equal')],
  ['fields.end.rules.min_date.day', between('min_date', { offset_days: 1 }), between('min_date')],
  [
    'fields.end.rules.max_date.day',
    between('max_date', { offset_days: 1 }),
    between('max_date', { offset_days: 2 }),
  ],
  ['fields.number.computed', compute('place')],
  ['fields.list.options.b', (form) => fieldOf(form, 'list').options.pop(), exclusive('list', true)],
  ['fields.list.options.b.is_exclusive', exclusive('list', true)],
  [conditionsOfNote, conditions(when('require'))],
];

/** These changes are compatible, and undoing them is breaking. */
const BREAKING_BACK: Row[] = [
  ['completion', setForm({ completion: 'lenient' })],
  ['steps.3', (form) => form.steps.push({ step_number: 3, title: 'Three', fields: [] })],
  ['steps.1.is_visible', setStep({ is_visible: false }, 0), required],
  ['entities.car', (form) => form.entities.push({ name: 'car', label: 'Car' })],
  ['fields.new', add({})],
  ['fields.new', add({ is_required: true, field_type: { name: 'heading' } })],
  ['fields.kind.options.c', set('kind', { options: [option('a'), option('b'), option('c')] })],
];

const COMPATIBLE: Row[] = [
  ['name', setForm({ name: 'Other' })],
  ['description', setForm({ description: 'x' })],
  ['is_active', setForm({ is_active: false })],
  ['access', setForm({ access: 'public' })],
  ['proof_of_work', setForm({ proof_of_work: 5000 })],
  ['keep_completed_days', setForm({ keep_completed_days: 30 })],
  ['keep_drafts_days', setForm({ keep_drafts_days: 30 }), setForm({ keep_drafts_days: 31 })],
  ['keep_personal_days', setForm({ keep_personal_days: 30 })],
  ['time_zone', setForm({ time_zone: 'Europe/Berlin' })],
  ['steps.2.title', setStep({ title: 'Other' })],
  ['steps.2.meta', setStep({ meta: { icon: 'x' } })],
  ['steps.1.is_visible', setStep({ is_visible: false }, 0)],
  ['entities.trip.label', setEntity({ label: 'Other' })],
  ['fields.new', add({ is_required: true, retired: true })],
  ['fields.note.label', set('note', { label: 'Other' })],
  [
    'translations',
    setForm({ locale: 'en', translations: { de: { name: 'Formular' } } }),
    setForm({ locale: 'en' }),
  ],
  [
    'fields.note.translations',
    set('note', { translations: { de: { label: 'Notiz' } } }),
    setForm({ locale: 'en' }),
  ],
  [
    'fields.note.translations',
    set('note', { translations: { de: { label: 'Notiz' }, fr: { label: 'Note' } } }),
    setForm({ locale: 'en' }),
    set('note', { translations: { de: { label: 'Zettel' } } }),
  ],
  ['fields.note.is_personal', set('note', { is_personal: true })],
  ['fields.note.is_personal', set('note', { is_personal: true }), set('note', { retired: true })],
  ['fields.note.placeholder', set('note', { placeholder: 'x' })],
  ['steps.1.fields', set('note', { order: 9 })],
  ['fields.note.default_value', set('note', { default_value: 'x' })],
  ['fields.title.is_required', set('title', { is_required: true })],
  ['fields.scan.meta', set('scan', { meta: { a: 1 } })],
  ['fields.scan.max_bytes', set('scan', { max_bytes: 26214400 })],
  ['fields.kind.options.a.label', set('kind', { options: [option('a', 'Other'), option('b')] })],
  ['fields.kind.rules.max_length', rules('kind', ['max_length', '9'])],
  narrower('number', 'max', '10', '10.0'),
  ['fields.kind.options.b.is_exclusive', exclusive('kind', true)],
  ['fields.end.rules.min.day', between('min')],
  ['fields.end.rules.min_date.day', between('min_date'), set('day', { retired: true })],
  ['fields.end.rules.min_date.day.message', between('min_date', { message: 'Later.' }), between('min_date')],
  [
    'fields.note.rules.max_length.message',
    set('note', { rules: [{ kind: 'max_length', value: '9', message: 'Too long.' }] }),
    rules('note', ['max_length', '9']),
  ],
  ['fields.note.step_number', move, setStep({ conditions: [] })],
  ['fields.note.step_number', move],
  [conditionsOfNote, conditions(when('hide'))],
  [conditionsOfNote, conditions(when('show'))],
  [conditionsOfNote, conditions(when('require')), required],
  // Another order of conditions, and another number of a group.
  [
    conditionsOfNote,
    conditions(when('hide', 'z'), when('show', 'y', { group: 7 }), when('show', 'x', { group: 7 })),
    required,
    conditions(...group('x', 'y'), when('hide', 'z')),
  ],
  ['steps.2.conditions', setStep({ conditions: [] })],
  ['entities.trip.conditions', setEntity({ conditions: [] })],
];

const CHANGES: (readonly [kind: string, back: string, path: string, edits: readonly [Edit, ...Edit[]]])[] = [
  ...BREAKING.map(([path, ...edits]) => ['breaking', 'breaking', path, edits] as const),
  ...BREAKING_ONE_WAY.map(([path, ...edits]) => ['breaking', 'compatible', path, edits] as const),
  ...BREAKING_BACK.map(([path, ...edits]) => ['compatible', 'breaking', path, edits] as const),
  ...COMPATIBLE.map(([path, ...edits]) => ['compatible', 'compatible', path, edits] as const),
];

const kindsOf = (before: FormDefinition, after: FormDefinition) =>
  compareForms(before, after).map(({ path, kind }) => `${path} ${kind}`);

describe('compareForms()', () => {
  it.each(CHANGES)(
    'finds a %s change that is %s if it is undone: %s (%#)',
    (kind, back, path, [change, ...shared]) => {
      const [old, now] = [formAfter(...shared), formAfter(...shared, change)];
      expect(kindsOf(old, now)).toEqual([`${path} ${kind}`]);
      expect(kindsOf(now, old)).toEqual([`${path} ${back}`]);
      expect([compareForms(old, old), compareForms(now, now)]).toEqual([[], []]);
    },
  );

  it('finds a change between random states of a form exactly if their rows differ', () => {
    const edits = fc.subarray(
      CHANGES.flatMap(([, , , edits]) => edits),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(edits, edits, (one, other) => {
        const [before, after] = [validAfter(one), validAfter(other)];
        const { renumbered } = renumberSteps(before, after);
        const tables = Object.values(compareDefinitions(renumbered, after));
        const hasChangedRows = tables.some(
          (rows) => rows.added.length + rows.changed.length + rows.dropped.length > 0,
        );
        // Rows of the form's own texts in other languages have no dot in their path.
        const isOfRows = (path: string) => path.includes('.') || path === 'translations';
        const inRows = compareForms(before, after).filter(({ path }) => isOfRows(path));
        expect(inRows.length > 0).toBe(hasChangedRows);
        expect(compareForms(after, after)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('recognises steps that a new step moves, and says their numbers in one change', () => {
    const before = formAfter();
    const after = formAfter((form) => {
      form.steps.unshift({ step_number: 0, title: 'New', fields: [] });
      form.steps.forEach((step: any, index: number) => (step.step_number = index + 1));
    });
    expect(compareForms(before, after)).toEqual([
      { path: 'steps.1', kind: 'compatible', message: 'Step 1 was added.' },
      { path: 'steps', kind: 'compatible', message: 'The numbers of steps changed: 1 to 2, 2 to 3.' },
    ]);
    expect(compareForms(after, before)).toEqual([
      { path: 'steps.1', kind: 'breaking', message: 'Step 1 was removed.' },
      { path: 'steps', kind: 'compatible', message: 'The numbers of steps changed: 2 to 1, 3 to 2.' },
    ]);
  });

  it('says in a sentence what changed', () => {
    const before = formAfter(rules('note', ['max_length', '9']), set('name', { default_value: 'x' }));
    const after = formAfter(
      required,
      rules('note', ['max_length', '5']),
      remove('scan'),
      set('name', { label: 'Your name' }),
      setStep({ meta: { icon: 'x' } }),
      set('kind', { options: [option('b'), option('c')] }),
    );
    expect(compareForms(before, after).map(({ message }) => message)).toEqual([
      'The field "note" is now required.',
      'The rule "max_length" of the field "note" changed from "9" to "5", so it can reject values that were accepted before.',
      'The option "a" of the field "kind" was removed.',
      'The field "scan" was removed.',
      'The meta of step 2 changed.',
      'The label of the field "name" changed from "Name" to "Your name".',
      'The default value of the field "name" changed from "x" to nothing.',
      'The option "c" was added to the options of the field "kind".',
      'The "order" of options of the field "kind" changed: "b".',
      'The "order" of fields in step 1 changed: "title", "list", "end".',
    ]);
  });

  it('says for how long submissions are kept, and which answers are personal (T1, T4)', () => {
    const before = formAfter(setForm({ keep_drafts_days: 7, keep_personal_days: null }));
    const after = formAfter(
      setForm({ keep_completed_days: 365, keep_drafts_days: 1 }),
      set('name', { is_personal: true }),
    );
    const sentences = (from: FormDefinition, to: FormDefinition) =>
      compareForms(from, to).map(({ message }) => message);
    expect(sentences(before, after)).toEqual([
      'Completed submissions are now kept for 365 days, and were kept for ever before.',
      'Drafts are now kept for 1 day, and were kept for 7 days before.',
      'The answers of the field "name" are now personal data.',
    ]);
    expect(sentences(after, before)).toEqual([
      'Completed submissions are now kept for ever, and were kept for 365 days before.',
      'Drafts are now kept for 7 days, and were kept for 1 day before.',
      'The answers of the field "name" are no longer personal data.',
    ]);
    expect(
      sentences(
        formAfter(setForm({ keep_drafts_days: null }), set('name', { is_personal: false })),
        formAfter(),
      ),
    ).toEqual([]);
  });

  it('says what changed in comparisons between fields and formulas', () => {
    const before = formAfter(between('min_date', { offset_days: 1 }), compute('place'));
    const after = formAfter(
      ...[between('min_date', { offset_days: 2 }), set('number', { is_required: true })],
      ...[exclusive('list', true), rules('day', ['max_date', 'today+1y'])],
    );
    const sentences = (from: FormDefinition, to: FormDefinition) =>
      compareForms(from, to).map(({ message }) => message);
    const rule = 'The rule "min_date" of the field "end" changed from the field "day" and';
    expect(sentences(before, after)).toEqual([
      'The field "number" is now required.',
      'The field "number" is no longer computed, and it is required, or a condition can require it.',
      'The rule "max_date" of the field "day" was added with the value "today+1y".',
      'The option "b" of the field "list" now excludes the others.',
      `${rule} 1 days to the field "day" and 2 days, so it can reject values that were accepted before.`,
    ]);
    expect(sentences(after, before)).toEqual([
      'The field "number" is now computed, so clients cannot store its value.',
      'The field "number" is now optional.',
      'The rule "max_date" of the field "day" was removed.',
      'The option "b" of the field "list" no longer excludes the others.',
      `${rule} 2 days to the field "day" and 1 days, which rejects no more values.`,
    ]);
    const added = formAfter(between('not_equal'));
    expect(sentences(formAfter(), added)).toEqual([
      'The rule "not_equal" of the field "end" was added with the field "day".',
    ]);
    expect(sentences(added, formAfter(between('not_equal'), set('day', { retired: true })))).toContain(
      'The rule "not_equal" of the field "end" is no longer applied.',
    );
  });

  it('reports rules that apply because another rule no longer contradicts them', () => {
    const before = formAfter(rules('number', ['min', '10'], ['max', '5']));
    const after = formAfter(rules('number', ['min', '10']));
    expect(kindsOf(before, after)).toEqual([
      'fields.number.rules.min breaking',
      'fields.number.rules.max compatible',
    ]);
    expect(kindsOf(after, before)).toEqual([
      'fields.number.rules.min compatible',
      'fields.number.rules.max compatible',
    ]);
  });

  it('names conditions on a field that was retired, which are then never met (N6)', () => {
    const kind = { depends_on_field_code: 'kind' };
    const [retired, onlyKind] = [set('kind', { retired: true }), conditions(when('show', 'a', kind))];
    const both = conditions(when('show'), when('show', 'a', kind));
    const never = 'conditions on a retired field ("kind") are never met';
    const about = (before: FormDefinition, after: FormDefinition) =>
      compareForms(before, after).filter(({ path }) => path === 'fields.note.conditions');
    const [path, breaking] = ['fields.note.conditions', 'breaking'];
    const hides = `The conditions of the field "note" can now hide it in more cases, because ${never}, although it is required, or a condition can require it.`;
    const shows =
      'The conditions of the field "note" can now show it in more cases, because a field that they test ("kind") is no longer ' +
      'retired, and it is required, or a condition can require it.';
    for (const shown of [both, onlyKind]) {
      const [before, after] = [formAfter(required, shown), formAfter(required, shown, retired)];
      expect(about(before, after)).toEqual([{ path, kind: breaking, message: hides }]);
      expect(about(after, before)).toEqual([{ path, kind: breaking, message: shows }]);
    }
    const hidden = conditions(when('hide', 'a', kind));
    expect(about(formAfter(hidden), formAfter(hidden, retired))).toMatchObject([
      { kind: 'compatible', message: `The conditions of the field "note" changed, because ${never}.` },
    ]);
    expect(about(formAfter(retired), formAfter(retired, hidden))).toMatchObject([
      {
        kind: 'compatible',
        message:
          'The conditions of the field "note" changed; those that test retired fields ("kind") are never met.',
      },
    ]);
  });

  it('ignores what happens to a retired field', () => {
    const retired = set('note', { retired: true });
    expect(
      kindsOf(formAfter(retired), formAfter(retired, required, rules('note', ['pattern', 'a']))),
    ).toEqual(['fields.note.is_required compatible', 'fields.note.rules.pattern compatible']);
    const withoutNote = formAfter(remove('note'), keepOrder);
    expect(kindsOf(formAfter(retired), withoutNote)).toEqual(['fields.note compatible']);
  });

  it('finds no change in comparisons and formulas of renamed fields', () => {
    const [before, after] = ['name', 'full_name'].map((name) =>
      formAfter(
        set('name', { code: name }),
        setStep({ conditions: [] }),
        setEntity({ conditions: [] }),
        compute(name, { op: 'count', of: ['place', name] }),
        conditions(when('show', '', { depends_on_field_code: 'kind', value_field: name })),
        between('equal', { other_field: name }),
      ),
    ) as [FormDefinition, FormDefinition];
    const codes = before.steps.flatMap(({ fields }) =>
      fields.map(({ code }): [string, string] => [code, code]),
    );
    const newCodes = new Map([...codes, ['name', 'full_name'] as const]);
    expect(compareForms(before, after, { newCodes, newNumbers: new Map() }).map(({ path }) => path)).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/computed|conditions|rules/)]),
    );
  });

  it('recognises renamed fields, and new fields with the code of a deleted field, if it knows the new codes', () => {
    const before = formAfter(conditions(when('show')));
    const after = formAfter(
      conditions(when('show', 'x', { depends_on_field_code: 'full_name' })),
      set('name', { code: 'full_name' }),
      setStep({ conditions: [when('show', 'x', { depends_on_field_code: 'full_name' })] }),
      setEntity({ conditions: [when('hide', 'x', { depends_on_field_code: 'full_name' })] }),
    );
    const codes = before.steps.flatMap(({ fields }) =>
      fields.map(({ code }): [string, string] => [code, code]),
    );
    const newCodes = new Map([...codes, ['name', 'full_name'] as const].filter(([code]) => code !== 'day'));
    expect(
      compareForms(before, after, {
        newCodes,
        newNumbers: new Map([
          [1, 1],
          [2, 2],
        ]),
      }),
    ).toEqual([
      {
        path: 'fields.full_name.code',
        kind: 'breaking',
        message: 'The code of the field "name" changed to "full_name".',
      },
      { path: 'fields.day', kind: 'breaking', message: 'The field "day" was removed.' },
      { path: 'fields.day', kind: 'compatible', message: 'The field "day" was added.' },
    ]);
    expect(compareForms(before, after).map(({ path }) => path)).toEqual(
      expect.arrayContaining(['fields.name', 'fields.full_name']),
    );
  });
});

/** Leaves out the last edits if they do not fit the others, such as a second field with the same code. */
function validAfter(edits: readonly Edit[]): FormDefinition {
  try {
    return formAfter(...edits);
  } catch {
    return validAfter(edits.slice(0, -1));
  }
}
