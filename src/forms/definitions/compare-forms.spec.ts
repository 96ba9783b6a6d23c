import { FileChecks, parseFiles } from './check-files.js';
import { namesIn } from './check-definition.js';
import { FIRST_FIELD_TYPES } from '../field-types.js';
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
    entities: [
      {
        name: 'trip',
        label: 'Trip',
        is_repeatable: true,
        conditions: [{ depends_on_field_code: 'name', operator: 'equals', value: 'x', action: 'hide' }],
      },
    ],
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
            options: [
              { label: 'A', value: 'a' },
              { label: 'B', value: 'b' },
            ],
          },
          { code: 'number', label: 'Number', field_type: { name: 'number' } },
          { code: 'day', label: 'Day', field_type: { name: 'date' } },
          { code: 'scan', label: 'Scan', field_type: { name: 'file' } },
          { code: 'title', label: 'Title', field_type: { name: 'heading' } },
        ],
      },
      {
        step_number: 2,
        title: 'Two',
        conditions: [{ depends_on_field_code: 'name', operator: 'equals', value: 'x', action: 'show' }],
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

const BREAKING = 'breaking';
const COMPATIBLE = 'compatible';

/**
 * One change in a row: what is done to the form, the path, the kind of the change, and the kind of the opposite change. An array
 * of edits has one edit that both states have, followed by the change.
 */
type Row = [name: string, before: Edit[], after: Edit[], path: string, kind: string, back: string];

const CHANGES: Row[] = [
  ['name', [], [setForm({ name: 'Other' })], 'name', COMPATIBLE, COMPATIBLE],
  ['description', [], [setForm({ description: 'x' })], 'description', COMPATIBLE, COMPATIBLE],
  ['slug', [], [setForm({ slug: 'other' })], 'slug', BREAKING, BREAKING],
  ['is_active', [], [setForm({ is_active: false })], 'is_active', COMPATIBLE, COMPATIBLE],
  ['access', [], [setForm({ access: 'public' })], 'access', COMPATIBLE, COMPATIBLE],
  ['proof of work', [], [setForm({ proof_of_work: 5000 })], 'proof_of_work', COMPATIBLE, COMPATIBLE],
  ['strict completion', [], [setForm({ completion: 'strict' })], 'completion', BREAKING, COMPATIBLE],
  ['lenient completion', [], [setForm({ completion: 'lenient' })], 'completion', COMPATIBLE, BREAKING],
  [
    'lenient to strict completion',
    [setForm({ completion: 'lenient' })],
    [setForm({ completion: 'strict' })],
    ...(['completion', BREAKING, COMPATIBLE] as const),
  ],
  ['time zone', [], [setForm({ time_zone: 'Europe/Berlin' })], 'time_zone', COMPATIBLE, COMPATIBLE],
  [
    'time zone of today',
    [rules('day', ['min_date', 'today'])],
    [rules('day', ['min_date', 'today']), setForm({ time_zone: 'Europe/Berlin' })],
    ...(['time_zone', BREAKING, COMPATIBLE] as const),
  ],
  [
    'step',
    [],
    [(form) => form.steps.push({ step_number: 3, title: 'Three', fields: [] })],
    'steps.3',
    COMPATIBLE,
    BREAKING,
  ],
  ['title of a step', [], [setStep({ title: 'Other' })], 'steps.2.title', COMPATIBLE, COMPATIBLE],
  ['meta of a step', [], [setStep({ meta: { icon: 'x' } })], 'steps.2.meta', COMPATIBLE, COMPATIBLE],
  ['invisible step', [], [setStep({ is_visible: false }, 0)], 'steps.1.is_visible', COMPATIBLE, COMPATIBLE],
  [
    'invisible step with a required field',
    [required],
    [required, setStep({ is_visible: false }, 0)],
    ...(['steps.1.is_visible', COMPATIBLE, BREAKING] as const),
  ],
  [
    'entity',
    [],
    [(form) => form.entities.push({ name: 'car', label: 'Car' })],
    'entities.car',
    COMPATIBLE,
    BREAKING,
  ],
  [
    'entity that needs records',
    [],
    [(form) => form.entities.push({ name: 'car', label: 'Car', min_records: 1 })],
    ...(['entities.car', BREAKING, BREAKING] as const),
  ],
  ['label of an entity', [], [setEntity({ label: 'Other' })], 'entities.trip.label', COMPATIBLE, COMPATIBLE],
  [
    'single entity',
    [],
    [setEntity({ is_repeatable: false })],
    'entities.trip.is_repeatable',
    BREAKING,
    BREAKING,
  ],
  ['min_records', [], [setEntity({ min_records: 1 })], 'entities.trip.min_records', BREAKING, COMPATIBLE],
  ['max_records', [], [setEntity({ max_records: 9 })], 'entities.trip.max_records', BREAKING, COMPATIBLE],
  [
    'more max_records',
    [setEntity({ max_records: 9 })],
    [setEntity({ max_records: 10 })],
    ...(['entities.trip.max_records', COMPATIBLE, BREAKING] as const),
  ],
  ['optional field', [], [add({})], 'fields.new', COMPATIBLE, BREAKING],
  ['required field', [], [add({ is_required: true })], 'fields.new', BREAKING, BREAKING],
  [
    'field that can be required',
    [],
    [add({ conditions: [when('require')] })],
    'fields.new',
    BREAKING,
    BREAKING,
  ],
  [
    'required heading',
    [],
    [add({ is_required: true, field_type: { name: 'heading' } })],
    'fields.new',
    COMPATIBLE,
    BREAKING,
  ],
  [
    'added retired field',
    [],
    [add({ is_required: true, retired: true })],
    'fields.new',
    COMPATIBLE,
    COMPATIBLE,
  ],
  ['retired', [], [set('note', { retired: true })], 'fields.note.retired', BREAKING, COMPATIBLE],
  [
    'retired required field',
    [required],
    [required, set('note', { retired: true })],
    ...(['fields.note.retired', BREAKING, BREAKING] as const),
  ],
  ['label', [], [set('note', { label: 'Other' })], 'fields.note.label', COMPATIBLE, COMPATIBLE],
  ['placeholder', [], [set('note', { placeholder: 'x' })], 'fields.note.placeholder', COMPATIBLE, COMPATIBLE],
  ['order', [], [set('note', { order: 9 })], 'steps.1.fields', COMPATIBLE, COMPATIBLE],
  ['default', [], [set('note', { default_value: 'x' })], 'fields.note.default_value', COMPATIBLE, COMPATIBLE],
  ['entity of a field', [], [set('note', { entity: 'trip' })], 'fields.note.entity', BREAKING, BREAKING],
  [
    'repeatable field',
    [],
    [set('note', { is_repeatable: true })],
    'fields.note.is_repeatable',
    BREAKING,
    BREAKING,
  ],
  ['required', [], [required], 'fields.note.is_required', BREAKING, COMPATIBLE],
  [
    'required for a heading',
    [],
    [set('title', { is_required: true })],
    'fields.title.is_required',
    COMPATIBLE,
    COMPATIBLE,
  ],
  ['meta', [], [set('scan', { meta: { a: 1 } })], 'fields.scan.meta', COMPATIBLE, COMPATIBLE],
  ['max_bytes', [], [set('scan', { max_bytes: 9 })], 'fields.scan.max_bytes', BREAKING, COMPATIBLE],
  [
    'the largest max_bytes',
    [],
    [set('scan', { max_bytes: 26214400 })],
    'fields.scan.max_bytes',
    COMPATIBLE,
    COMPATIBLE,
  ],
  ['accept', [], [set('scan', { accept: 'image/png' })], 'fields.scan.accept', BREAKING, COMPATIBLE],
  [
    'wider accept',
    [set('scan', { accept: 'image/png, .docx' })],
    [set('scan', { accept: '.docx,image/*' })],
    ...(['fields.scan.accept', COMPATIBLE, BREAKING] as const),
  ],
  [
    'option',
    [],
    [set('kind', { options: [option('a'), option('b'), option('c')] })],
    ...(['fields.kind.options.c', COMPATIBLE, BREAKING] as const),
  ],
  [
    'first option of a choice',
    [set('kind', { options: [] })],
    [set('kind', { options: [option('a')] })],
    ...(['fields.kind.options.a', BREAKING, BREAKING] as const),
  ],
  [
    'label of an option',
    [],
    [set('kind', { options: [option('a', 'Other'), option('b')] })],
    ...(['fields.kind.options.a.label', COMPATIBLE, COMPATIBLE] as const),
  ],
  ['rule', [], [rules('note', ['max_length', '9'])], 'fields.note.rules.max_length', BREAKING, COMPATIBLE],
  [
    'rule that never applies',
    [],
    [rules('kind', ['max_length', '9'])],
    'fields.kind.rules.max_length',
    COMPATIBLE,
    COMPATIBLE,
  ],
  [
    'message of a rule',
    [rules('note', ['max_length', '9'])],
    [set('note', { rules: [{ kind: 'max_length', value: '9', message: 'Too long.' }] })],
    ...(['fields.note.rules.max_length.message', COMPATIBLE, COMPATIBLE] as const),
  ],
  ...(
    [
      ['note', 'min_length', '2', '10', BREAKING, COMPATIBLE],
      ['note', 'max_length', '10', '2', BREAKING, COMPATIBLE],
      ['note', 'pattern', '[a-z]', '[a-y]', BREAKING, BREAKING],
      ['number', 'min', '-2', '1e1', BREAKING, COMPATIBLE],
      ['number', 'max', '10', '9.5', BREAKING, COMPATIBLE],
      ['number', 'max', '10', '10.0', COMPATIBLE, COMPATIBLE],
      ['day', 'min_date', '2026-01-01', '2026-01-02', BREAKING, COMPATIBLE],
      ['day', 'max_date', '2026-01-02', '2026-01-01', BREAKING, COMPATIBLE],
      ['day', 'min_date', 'today', 'today+1d', BREAKING, COMPATIBLE],
      ['day', 'max_date', 'today+99999d', 'today', BREAKING, COMPATIBLE],
      ['day', 'min_date', 'today', '2026-01-01', BREAKING, BREAKING],
    ] as const
  ).map(([code, kind, from, to, ...kinds]): Row => {
    const [before, after] = [[rules(code, [kind, from])], [rules(code, [kind, to])]];
    return [`${kind} ${from} to ${to}`, before, after, `fields.${code}.rules.${kind}`, ...kinds];
  }),
  [
    'moved field',
    [setStep({ conditions: [] })],
    [setStep({ conditions: [] }), move],
    'fields.note.step_number',
    COMPATIBLE,
    COMPATIBLE,
  ],
  ['field moved to a step with conditions', [], [move], 'fields.note.step_number', COMPATIBLE, COMPATIBLE],
  [
    'required field moved to a step with conditions',
    [required],
    [required, move],
    'fields.note.step_number',
    BREAKING,
    BREAKING,
  ],
  ['hide condition', [], [conditions(when('hide'))], 'fields.note.conditions', COMPATIBLE, COMPATIBLE],
  ['show condition', [], [conditions(when('show'))], 'fields.note.conditions', COMPATIBLE, COMPATIBLE],
  ['require condition', [], [conditions(when('require'))], 'fields.note.conditions', BREAKING, COMPATIBLE],
  [
    'require condition of a required field',
    [required],
    [required, conditions(when('require'))],
    ...(['fields.note.conditions', COMPATIBLE, COMPATIBLE] as const),
  ],
  ...(
    [
      ['a hide condition', [], [when('hide')]],
      ['a first show condition', [], [when('show')]],
      ['another show condition', [when('show')], [when('show'), when('show', 'y')]],
      ['another value of a show condition', [when('show')], [when('show', 'y')]],
      [
        'a show group that is harder to meet',
        [when('show', 'x', { group: 1 })],
        [when('show', 'x', { group: 1 }), when('show', 'y', { group: 1 })],
      ],
    ] as const
  ).map(([name, from, to]): Row => {
    const [before, after] = [from, to].map((own) => [required, conditions(...own)]) as [Edit[], Edit[]];
    return [`${name} of a required field`, before, after, 'fields.note.conditions', BREAKING, BREAKING];
  }),
  [
    'the order and the groups of conditions of a required field',
    [
      required,
      conditions(when('show', 'x', { group: 1 }), when('show', 'y', { group: 1 }), when('hide', 'z')),
    ],
    [
      required,
      conditions(when('hide', 'z'), when('show', 'y', { group: 7 }), when('show', 'x', { group: 7 })),
    ],
    ...(['fields.note.conditions', COMPATIBLE, COMPATIBLE] as const),
  ],
  ['conditions of a step', [], [setStep({ conditions: [] })], 'steps.2.conditions', COMPATIBLE, COMPATIBLE],
  [
    'conditions of a step with a required field',
    [set('place', { is_required: true })],
    [set('place', { is_required: true }), setStep({ conditions: [when('show', 'y')] })],
    ...(['steps.2.conditions', BREAKING, BREAKING] as const),
  ],
  [
    'conditions of an entity',
    [],
    [setEntity({ conditions: [] })],
    'entities.trip.conditions',
    COMPATIBLE,
    COMPATIBLE,
  ],
  [
    'conditions of an entity that needs records',
    [setEntity({ min_records: 1 })],
    [setEntity({ min_records: 1, conditions: [] })],
    ...(['entities.trip.conditions', BREAKING, BREAKING] as const),
  ],
];

const kindsOf = (before: FormDefinition, after: FormDefinition) =>
  compareForms(before, after).map(({ path, kind }) => `${path} ${kind}`);

describe('compareForms()', () => {
  it.each(CHANGES)('finds the change: %s', (_, before, after, path, kind, back) => {
    const [old, now] = [formAfter(...before), formAfter(...after)];
    expect(kindsOf(old, now)).toEqual([`${path} ${kind}`]);
    expect(kindsOf(now, old)).toEqual([`${path} ${back}`]);
    expect([compareForms(old, old), compareForms(now, now)]).toEqual([[], []]);
  });

  it('finds a change between random states of a form exactly if their rows differ', () => {
    const edits = fc.subarray(
      CHANGES.flatMap(([, before, after]) => [...before, ...after]),
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
        const inRows = compareForms(before, after).filter(({ path }) => path.includes('.'));
        expect(inRows.length > 0).toBe(hasChangedRows);
        expect(compareForms(after, after)).toEqual([]);
      }),
      { numRuns: 300 },
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
      'The field "note" became required.',
      'The rule "max_length" of the field "note" changed from "9" to "5", so it can reject values that it accepted.',
      'The option "a" of the field "kind" was removed.',
      'The field "scan" was removed.',
      'The meta of step 2 changed.',
      'The label of the field "name" changed from "Name" to "Your name".',
      'The default value of the field "name" changed from "x" to nothing.',
      'The option "c" was added to the options of the field "kind".',
      'The "order" of options of the field "kind" changed: "b".',
      'The "order" of fields in step 1 changed: "title".',
    ]);
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
    for (const shown of [both, onlyKind]) {
      expect(about(formAfter(required, shown), formAfter(required, shown, retired))).toEqual([
        {
          path: 'fields.note.conditions',
          kind: 'breaking',
          message:
            `The conditions of the field "note" can now hide it in more cases, because ${never}, although its answer is or ` +
            'can be required.',
        },
      ]);
      expect(about(formAfter(required, shown, retired), formAfter(required, shown))).toEqual([
        {
          path: 'fields.note.conditions',
          kind: 'breaking',
          message:
            'The conditions of the field "note" can now show it in more cases, because a retired field that they test ' +
            '("kind") came back, and its answer is or can be required.',
        },
      ]);
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

/** Leaves out edits that do not fit the others, such as a change of a removed field. */
function validAfter(edits: readonly Edit[]): FormDefinition {
  const valid: Edit[] = [];
  for (const edit of edits) {
    try {
      formAfter(...valid, edit);
      valid.push(edit);
    } catch {
      continue;
    }
  }
  return formAfter(...valid);
}
