import { type FieldPlan, warningsOf } from '../../../test/support/linted-form.js';

const personal: FieldPlan = { more: { is_personal: true } };
const lint = (fields: Readonly<Record<string, FieldPlan>>, form: object = {}) =>
  warningsOf({ steps: [fields], form });

describe('a field gets one warning if it is not personal (T4)', () => {
  const set = 'set it, so that keep_personal_days deletes them';
  const email = `steps[0].fields[0].is_personal: should be true, because email addresses are personal data; ${set}`;
  const file = `steps[0].fields[0].is_personal: should be true, because files often contain personal data; ${set}`;

  it.each<[string, FieldPlan, string[]]>([
    ['an email field', { type: 'email' }, [email]],
    ['an email field that says false', { type: 'email', more: { is_personal: false } }, [email]],
    ['a file field', { type: 'file' }, [file]],
    ['a personal email field', { ...personal, type: 'email' }, []],
    ['a personal file field', { ...personal, type: 'file' }, []],
    ['a retired email field', { type: 'email', retired: true }, []],
    ['a text field', {}, []],
  ])('%s', (_, field, expected) => {
    expect(lint({ field })).toEqual(expected);
  });

  const join = (...of: unknown[]) => ({ op: 'join', of });
  const uses = (code: string) =>
    `steps[0].fields[1].is_personal: should be true, because the formula uses "${code}", which is personal; set it, so that keep_personal_days deletes the result too`;

  it.each<[string, FieldPlan, object, string[]]>([
    ['with a personal operand', personal, { computed: join('name') }, [uses('name')]],
    [
      'with a personal operand of a formula in it',
      personal,
      { computed: join({ value: 'Dear' }, join('name')) },
      [uses('name')],
    ],
    ['that is personal too', personal, { computed: join('name'), is_personal: true }, []],
    ['without personal operands', {}, { computed: join('name') }, []],
  ])('a computed field %s', (_, name, more, expected) => {
    expect(lint({ name, whole: { more } })).toEqual(expected);
  });

  it('a computed email field with a personal operand', () => {
    const mail = { type: 'email', more: { computed: join('name') } };
    expect(lint({ name: personal, mail })).toEqual([email.replace('fields[0]', 'fields[1]')]);
  });
});

it('a personal field that is for display only gets a warning (V8)', () => {
  expect(lint({ intro: { ...personal, type: 'heading' } })).toEqual([
    'steps[0].fields[0].is_personal: has no effect, because a "heading-display" holds no answers; remove it',
  ]);
});

describe('keep_personal_days gets a warning (T4)', () => {
  const none =
    'keep_personal_days: has no effect, because no field is personal; set "is_personal" of a field to true, or remove it';
  const later = (days: number) =>
    `keep_personal_days: has no effect, because keep_completed_days deletes the whole submission after ${days} days; set it to fewer days, or remove it`;

  it.each<[string, FieldPlan, object, string[]]>([
    ['without a personal field', {}, { keep_personal_days: 30 }, [none]],
    ['without a personal field, only once', {}, { keep_personal_days: 30, keep_completed_days: 30 }, [none]],
    [
      'with the same time as completed ones',
      personal,
      { keep_personal_days: 9, keep_completed_days: 9 },
      [later(9)],
    ],
    ['with a longer time', personal, { keep_personal_days: 10, keep_completed_days: 9 }, [later(9)]],
  ])('%s', (_, name, form, expected) => {
    expect(lint({ name }, form)).toEqual(expected);
  });

  it.each<[string, FieldPlan, object]>([
    ['if it is shorter', personal, { keep_personal_days: 8, keep_completed_days: 9 }],
    ['if completed ones are kept for ever', personal, { keep_personal_days: 8 }],
    ['if only a retired field is personal', { ...personal, retired: true }, { keep_personal_days: 8 }],
    ['if it is not set', {}, { keep_personal_days: null, keep_completed_days: 9, keep_drafts_days: 9 }],
  ])('not %s', (_, name, form) => {
    expect(lint({ name }, form)).toEqual([]);
  });
});
