import { compileRules, type EngineCondition, type StoredValue } from '../../conditions/engine/index.js';
import { compileFieldRules } from '../../forms/field-rules/compile-field-rules.js';
import type { Rule } from '../../forms/field-rules/rule.js';
import type { PublishedEntity, PublishedField, PublishedForm } from '../../forms/published-form.js';
import { completionErrors } from './completion-errors.js';

const TODAY = { earliest: '2026-11-22', latest: '2026-11-22', single: '2026-11-22' };

type RulePlan = Partial<Omit<Rule, 'otherFieldId'>> & Pick<Rule, 'kind'>;

interface FieldPlan {
  readonly component?: string;
  readonly rules?: readonly RulePlan[];
  readonly options?: readonly string[];
  readonly exclusive?: readonly string[];
  readonly entity?: string;
  readonly isRepeatable?: boolean;
  readonly step?: number;
  /** The field is hidden while this other field has this value. */
  readonly hiddenBy?: readonly [code: string, value: string];
}

/** A form of these fields, with an entity for each name. The id of a field is its position, from 1. */
function formOf(plan: Readonly<Record<string, FieldPlan>>): PublishedForm {
  const codes = Object.keys(plan);
  const idOf = (code: string) => codes.indexOf(code) + 1;
  const ruleOf = ({ otherFieldCode = null, ...rule }: RulePlan): Rule => ({
    ...{ value: null, offsetDays: null, message: null },
    ...rule,
    otherFieldCode,
    // The other field of a rule may be retired, so that it is not in the form.
    otherFieldId: otherFieldCode === null ? null : idOf(otherFieldCode) || 999,
  });
  const fields = Object.entries(plan).map(([code, field]): PublishedField => {
    const { component = 'text-input', entity = null, isRepeatable = false } = field;
    const { options = [], exclusive = [], rules = [], step = 1 } = field;
    return {
      ...{ id: idOf(code), code, component, entity, isRepeatable, stepNumber: step, isStepVisible: true },
      ...{
        isDisplayOnly: false,
        extension: {} as PublishedField['extension'],
        optionExtensions: [],
      },
      ...{ options: new Set(options), exclusiveOptions: new Set(exclusive) },
      computed: null,
      rules: compileFieldRules(component, rules.map(ruleOf)),
    };
  });
  const conditionsOf = ({ hiddenBy }: FieldPlan): EngineCondition[] =>
    hiddenBy === undefined
      ? []
      : [{ dependsOnFieldId: idOf(hiddenBy[0]), operator: 'equals', value: hiddenBy[1], action: 'hide' }];
  const names = [...new Set(fields.flatMap(({ entity }) => entity ?? []))];
  const entities = names.map((name, index): PublishedEntity => ({
    ...{ id: index + 1, name, label: name, minRecords: 0, maxRecords: 200, container: undefined },
    fields: fields.filter(({ entity }) => entity === name),
  }));
  return {
    fields,
    fieldsById: new Map(fields.map((field) => [field.id, field])),
    fieldsByCode: new Map(fields.map((field) => [field.code, field])),
    entitiesById: new Map(entities.map((entity) => [entity.id, entity])),
    entitiesByName: new Map(entities.map((entity) => [entity.name, entity])),
    rules: compileRules(
      fields.map(({ id, code, isRepeatable, entity }) => ({
        ...{ id, isRepeatable, isRequired: false, entity: entity ?? undefined },
        conditions: conditionsOf(plan[code] ?? {}),
      })),
    ),
  } as Partial<PublishedForm> as PublishedForm;
}

/** Values by the code of the field, with `.` and a record for a value in a record. All records are of the first entity. */
type Values = Readonly<Record<string, string>>;

interface Context {
  readonly records?: readonly number[];
  readonly step?: number;
}

async function errorsOf(form: PublishedForm, values: Values, { records = [], step }: Context = {}) {
  const stored = Object.entries(values).map(([name, value]): StoredValue => {
    const [code = '', record] = name.split('.');
    return [form.fieldsByCode.get(code)!.id, record === undefined ? null : Number(record), value];
  });
  return completionErrors(
    form,
    { values: stored, records: records.map((id) => [id, 1, '']) },
    { today: TODAY, stepNumber: step, checks: [], onLeftOut: () => undefined },
  );
}

const messagesOf = async (form: PublishedForm, values: Values, context?: Context) =>
  Object.fromEntries(
    Object.entries(await errorsOf(form, values, context)).map(([key, errors]) => [
      key,
      errors.map(({ message }) => message),
    ]),
  );

const isAccepted = async (form: PublishedForm, values: Values, context?: Context) =>
  Object.keys(await errorsOf(form, values, context)).length === 0;

const NUMBER = { component: 'number-input' };
const DATE = { component: 'date-input' };
const CHOICE = { component: 'select-input', options: ['red', 'blue', ' blue '] };
const REPEATED = { entity: 'item', isRepeatable: true };

const naming = (kind: Rule['kind'], otherFieldCode = 'other', offsetDays: number | null = null) => [
  { kind, otherFieldCode, offsetDays },
];

describe('J9: a rule that names another field', () => {
  it.each<[string, FieldPlan, Rule['kind'], number | null, accepted: string[][], rejected: string[][]]>([
    [
      'numbers',
      NUMBER,
      'min',
      null,
      [
        ['2', '1.5'],
        [' 1e3 ', '1000.0'],
      ],
      [
        ['1.49', '1.5'],
        ['-2', '-1'],
      ],
    ],
    [
      'numbers',
      NUMBER,
      'max',
      null,
      [
        ['1e400', '1e401'],
        ['1', '1.0'],
      ],
      [['1e401', '1e400']],
    ],
    [
      ...(['dates', DATE, 'min_date', null] as const),
      [[' 2026-02-01', '2026-02-01 ']],
      [['2026-01-31', '2026-02-01']],
    ],
    ['dates', DATE, 'min_date', 7, [['2026-02-08', '2026-02-01']], [['2026-02-07', '2026-02-01']]],
    ['dates', DATE, 'max_date', -1, [['2026-02-28', '2026-03-01']], [['2026-03-01', '2026-03-01']]],
    [
      'numbers',
      NUMBER,
      'equal',
      null,
      [
        ['1', '1.0'],
        ['-0', '0'],
      ],
      [['1', '1.00001']],
    ],
    ['numbers', NUMBER, 'not_equal', null, [['1', '2']], [['10', '1e1']]],
    [
      'texts',
      {},
      'equal',
      null,
      [['a b', 'a b']],
      [
        ['a', 'A'],
        ['1', '1.0'],
        ['a', 'a '],
      ],
    ],
    [
      'texts',
      {},
      'not_equal',
      null,
      [
        ['a', 'a '],
        ['1', '1.0'],
      ],
      [['a', 'a']],
    ],
    ['dates', DATE, 'not_equal', null, [], [['2026-01-01 ', ' 2026-01-01']]],
    [
      'choices',
      CHOICE,
      'not_equal',
      null,
      [
        ['red', 'blue'],
        [' blue ', 'blue'],
      ],
      [[' red', 'red ']],
    ],
    [
      'texts',
      {},
      'min',
      null,
      [
        ['2', '1'],
        ['two', '1'],
        ['1', 'two'],
      ],
      [['1', '2']],
    ],
  ])('compares %s: %j %s, plus %j days', async (_, field, kind, offset, accepted, rejected) => {
    const form = formOf({ value: { ...field, rules: naming(kind, 'other', offset) }, other: field });
    const isMet = ([value = '', other = '']: string[]) => isAccepted(form, { value, other });
    for (const pair of accepted) expect([pair, await isMet(pair)]).toEqual([pair, true]);
    for (const pair of rejected) expect([pair, await isMet(pair)]).toEqual([pair, false]);
  });

  it('says in its error which field it names, and how many days are added', async () => {
    const form = formOf({
      back: { ...DATE, rules: [...naming('min_date', 'out'), ...naming('max_date', 'out', 1)] },
      early: { ...DATE, rules: naming('max_date', 'out', -30) },
      out: DATE,
      ...{
        low: { ...NUMBER, rules: naming('min', 'count') },
        high: { ...NUMBER, rules: naming('max', 'count') },
      },
      count: NUMBER,
      again: { rules: naming('equal', 'mail') },
      second: { rules: naming('not_equal', 'mail') },
      mail: {},
    });
    const values = {
      ...{ back: '2026-01-31', early: '2026-01-03', out: '2026-02-01', low: '1', high: '3', count: ' 2 ' },
      ...{ again: 'b', second: 'a', mail: 'a' },
    };
    const error = (code: string, message: string, params: object) => [
      expect.objectContaining({ code, message, params }),
    ];
    expect(await errorsOf(form, values)).toEqual({
      back: error('too_early', 'The back must not be before out.', {
        min: '2026-02-01',
        other_field_code: 'out',
      }),
      early: error('too_late', 'The early must not be after out minus 30 days.', {
        ...{ max: '2026-01-02', other_field_code: 'out' },
      }),
      low: error('below_minimum', 'The low must not be less than count.', {
        min: '2',
        other_field_code: 'count',
      }),
      high: error('above_maximum', 'The high must not be more than count.', {
        max: '2',
        other_field_code: 'count',
      }),
      again: error('not_equal_to', 'The again must be the same as mail.', { other_field_code: 'mail' }),
      second: error('equal_to', 'The second must not be the same as mail.', { other_field_code: 'mail' }),
    });
    const late = { ...values, back: '2026-02-03' };
    expect((await messagesOf(form, late))['back']).toEqual(['The back must not be after out plus 1 day.']);
  });

  it('shows the message of the author, and marks it', async () => {
    const rules = [{ kind: 'equal', otherFieldCode: 'other', message: 'Repeat it.' }] as const;
    const form = formOf({ value: { rules }, other: {} });
    expect(await errorsOf(form, { value: 'a', other: 'b' })).toEqual({
      value: [
        {
          code: 'not_equal_to',
          message: 'Repeat it.',
          params: { other_field_code: 'other', authored: true },
        },
      ],
    });
  });

  it('is not judged if either side is blank, hidden, retired or of the wrong type, or beyond the years 1 to 9999', async () => {
    const form = formOf({
      day: { ...DATE, rules: [...naming('min_date', 'other', 1), ...naming('min_date', 'retired')] },
      other: { ...DATE, hiddenBy: ['mode', 'off'] },
      mode: {},
    });
    const judged = { day: '2026-01-01', other: '2026-01-01' };
    expect(await isAccepted(form, judged)).toBe(false);
    expect(await isAccepted(form, { ...judged, mode: 'off' })).toBe(true);
    expect(await isAccepted(form, { ...judged, other: ' \u200b' })).toBe(true);
    expect(await isAccepted(form, { ...judged, day: ' ' })).toBe(true);
    expect(await isAccepted(form, { ...judged, other: '9999-12-31' })).toBe(true);
    expect(await messagesOf(form, { ...judged, other: '2026-02-30' })).toEqual({
      other: ['The other must be a date that exists, as YYYY-MM-DD.'],
    });
  });

  it('compares in the same record, and with a single answer outside of the records', async () => {
    const form = formOf({
      from: { ...DATE, ...REPEATED, hiddenBy: ['kind', 'open'] },
      to: { ...DATE, ...REPEATED, rules: [...naming('min_date', 'from'), ...naming('max_date', 'end')] },
      kind: REPEATED,
      end: DATE,
    });
    const values = {
      ...{ 'from.1': '2026-01-10', 'to.1': '2026-01-09', 'from.2': '2026-01-01', 'to.2': '2026-01-02' },
      ...{ 'from.3': '2026-01-10', 'to.3': '2026-01-09', 'kind.3': 'open', 'to.4': '2026-03-01' },
      ...{ from: '2026-02-02', to: '2026-02-01', end: '2026-02-28' },
    };
    const errors = {
      'to.1': ['The to must not be before from.'],
      'to.4': ['The to must not be after end.'],
    };
    // One open record hides the field outside of the records (C7).
    expect(await messagesOf(form, values, { records: [1, 2, 3, 4] })).toEqual(errors);
    expect(await messagesOf(form, { ...values, 'kind.3': '' }, { records: [1, 2, 4] })).toEqual({
      ...{ to: ['The to must not be before from.'], 'to.3': ['The to must not be before from.'] },
      ...errors,
    });
  });

  it('is judged on the step of its own field, with the answer of another step', async () => {
    const form = formOf({ value: { rules: naming('equal'), step: 2 }, other: {} });
    const values = { value: 'a', other: 'b' };
    expect(await isAccepted(form, values, { step: 1 })).toBe(true);
    expect(await isAccepted(form, values, { step: 2 })).toBe(false);
  });

  it('does not repeat a long answer in the errors of others', async () => {
    const form = formOf({ value: { ...NUMBER, rules: naming('min') }, other: NUMBER });
    const errors = await errorsOf(form, { value: '1', other: '9'.repeat(60_000) });
    expect(errors['value']?.[0]?.params['min']).toBe(`${'9'.repeat(100)}…`);
  });

  it('reads a long answer once, even if thousands of rules name it', async () => {
    const plan = Array.from({ length: 5_000 }, (_, index) => [
      `f${index}`,
      { ...NUMBER, rules: naming('min') },
    ]);
    const form = formOf({ ...Object.fromEntries(plan), other: NUMBER });
    const values = Object.fromEntries(plan.map(([code]) => [code, '1']));
    const timeWith = async (other: string) => {
      const start = performance.now();
      await errorsOf(form, { ...values, other });
      return performance.now() - start;
    };
    await timeWith('9');
    const short = await timeWith('9');
    expect(await timeWith('9'.repeat(65_535))).toBeLessThan(4 * short + 100);
  });
});

describe('J10: a rule of the sum of all values', () => {
  const sumForm = (rules: readonly RulePlan[]) =>
    formOf({ share: { ...NUMBER, ...REPEATED, rules, hiddenBy: ['kind', 'off'] }, kind: REPEATED });
  const HUNDRED = sumForm([
    { kind: 'min_sum', value: '100' },
    { kind: 'max_sum', value: '100' },
  ]);
  const records = [1, 2, 3];

  it('adds the values exactly, in records and outside of them, and leaves out hidden ones', async () => {
    const values = { share: '0.1', 'share.1': '49.95', 'share.2': '49.95' };
    expect(await isAccepted(HUNDRED, values, { records })).toBe(true);
    const hidden = { 'share.1': '49.95', 'share.2': '50.05', 'share.3': '7', 'kind.3': 'off' };
    expect(await isAccepted(HUNDRED, hidden, { records })).toBe(true);
    expect(await isAccepted(HUNDRED, { ...hidden, 'kind.3': '' }, { records })).toBe(false);
    expect(await errorsOf(HUNDRED, { ...values, share: '0.2' }, { records })).toEqual({
      share: [
        {
          code: 'sum_above_maximum',
          message: 'The sum of all share must be at most 100, but is 100.1.',
          params: { max: '100', sum: '100.1' },
        },
      ],
    });
    expect(await messagesOf(HUNDRED, { 'share.1': '99.99', 'share.2': ' ' }, { records })).toEqual({
      share: ['The sum of all share must be at least 100, but is 99.99.'],
    });
  });

  it('is not judged if no value counts', async () => {
    expect(await isAccepted(HUNDRED, {}, { records })).toBe(true);
    expect(await isAccepted(HUNDRED, { 'share.1': '5', 'kind.1': 'off' }, { records })).toBe(true);
    expect(await messagesOf(HUNDRED, { 'share.1': 'five' }, { records })).toEqual({
      'share.1': ['The share must be a decimal number.'],
    });
  });

  it('rejects a number of more than 1,000 digits under its own key, and does not count it', async () => {
    const values = { share: '1e5000', 'share.1': '100', 'share.2': '1e-1001' };
    const error = {
      code: 'number_too_long',
      message: 'The share must have at most 1000 digits when it is written out.',
      params: { max: 1_000 },
    };
    expect(await errorsOf(HUNDRED, values, { records })).toEqual({
      share: [error],
      'share.2': [error],
    });
  });

  it('compares a sum exactly, even if the sum itself has more than 1,000 digits', async () => {
    const values = { 'share.1': '1e-900', 'share.2': '1e900' };
    expect(await isAccepted(sumForm([{ kind: 'max_sum', value: '1e901' }]), values, { records })).toBe(true);
    expect(await isAccepted(sumForm([{ kind: 'max_sum', value: '1e900' }]), values, { records })).toBe(false);
  });

  it('is left out together with a rule that it contradicts (J5)', async () => {
    const rules: RulePlan[] = [
      { kind: 'min_sum', value: '2' },
      { kind: 'max_sum', value: '1' },
    ];
    expect(await isAccepted(sumForm(rules), { 'share.1': '9' }, { records })).toBe(true);
  });
});

describe('J12: a choice that excludes others', () => {
  const form = formOf({
    symptoms: {
      component: 'checkbox-input',
      options: ['fever', 'cough', 'none', 'a,b', 'a', 'b'],
      exclusive: ['none', 'a'],
    },
    one: { component: 'radio-input', options: ['none', 'fever'], exclusive: ['none'] },
  });

  it.each([
    ['none', undefined],
    ['none,none', undefined],
    ['fever, cough', undefined],
    // This text can be read as "a,b", or as "a" and "b".
    ['a,b', undefined],
    ['fever, none ', 'none'],
    ['none,cough', 'none'],
    ['a,none', 'a'],
  ])('%j: %j', async (symptoms, value) => {
    const errors = await errorsOf(form, { symptoms, one: 'none' });
    expect(errors['symptoms']).toEqual(
      value && [
        {
          code: 'exclusive_choice',
          message: `The symptoms must not have another choice beside "${value}".`,
          params: { value },
        },
      ],
    );
  });
});
