import { Field, FieldRule } from '../../src/entities.js';
import { complete, store } from '../support/draft-requests.js';
import { type Draft, newDraftOf } from '../support/drafts.js';
import { buildRecords, type FieldPlan } from '../support/forms.js';
import { useService } from '../support/service.js';

const use = useService();
const DETAILS = { Accept: 'application/json, application/problem+json' };

type Plan = Record<string, FieldPlan>[];
type Values = Readonly<Record<string, string>>;

/** `item`: the codes of the fields in records. */
async function draftOf(steps: Plan, values: Values = {}, item: readonly string[] = []) {
  const entities = item.length === 0 ? [] : [{ name: 'item', isRepeatable: true, of: item }];
  const draft = await newDraftOf(use, { form: { completion: 'strict' }, steps, entities });
  await store(draft, values);
  return draft;
}

/** The field errors with their codes and params, from validation. Strict completion must reject the draft if there are any. */
async function mistakesOf(draft: Draft, query = '') {
  const { body } = await draft.client.get(`${draft.path}/validation${query}`, DETAILS);
  if (!body.data.valid) expect((await complete(draft)).status).toBe(422);
  return body.data.mistakes as { field: string; code: string; detail: string; params: object }[];
}

/** Stores a value for each record, or outside of the records for the record null. */
async function storeInRecords(
  draft: Draft,
  field_code: string,
  values: readonly [record: number | null, value: string][],
) {
  const body = {
    values: values.map(([entity_record_id, value]) => ({ field_code, value, entity_record_id })),
  };
  expect((await draft.client.post(`${draft.path}/values`, body)).status).toBe(200);
}

describe('rules that name another field (J9)', () => {
  const TRIP: Plan = [
    { departure_date: { type: 'date' }, email: { type: 'email' } },
    {
      return_date: {
        type: 'date',
        rules: { min_date: { field: 'departure_date', days: 1 }, max_date: '2030-12-31' },
      },
      email_again: { type: 'email', rules: { equal: { field: 'email' } } },
      count: { type: 'number', rules: { not_equal: { field: 'rooms' }, min: { field: 'rooms' }, max: '9' } },
      rooms: { type: 'number' },
    },
  ];
  const VALUES = {
    ...{ departure_date: '2030-05-01', return_date: '2030-05-01', email: 'a@example.org' },
    ...{ email_again: 'b@example.org', count: '2.0', rooms: ' 2 ' },
  };
  const TOO_EARLY = {
    ...{ field: 'return_date', code: 'too_early' },
    detail: 'The return_date must not be before departure_date plus 1 day.',
    params: { min: '2030-05-02', other_field_code: 'departure_date' },
  };

  it('are judged by validation and completion, on the step of their field', async () => {
    const draft = await draftOf(TRIP, VALUES);
    const errors = [
      TOO_EARLY,
      {
        ...{ field: 'email_again', code: 'not_equal_to' },
        detail: 'The email_again must be the same as email.',
        params: { other_field_code: 'email' },
      },
      {
        ...{ field: 'count', code: 'equal_to' },
        detail: 'The count must not be the same as rooms.',
        params: { other_field_code: 'rooms' },
      },
    ];
    expect(await mistakesOf(draft)).toEqual(errors);
    expect(await mistakesOf(draft, '?step=1')).toEqual([]);
    expect(await mistakesOf(draft, '?step=2')).toEqual(errors);
    await store(draft, { return_date: '2030-05-02', email_again: ' a@example.org', count: '3' });
    expect(await mistakesOf(draft)).toEqual([]);
    expect((await complete(draft)).status).toBe(200);
  });

  it('are judged by advance?validate=true, and not when a value is stored', async () => {
    const draft = await draftOf([TRIP[1]!, TRIP[0]!, {}], VALUES);
    const advance = () => draft.client.post(`${draft.path}/advance?validate=true`, undefined, DETAILS);
    const { status, body } = await advance();
    expect([status, body.errors]).toEqual([422, await mistakesOf(draft, '?step=1')]);
    await store(draft, { departure_date: '', email: '', rooms: '' });
    expect((await advance()).status).toBe(200);
  });

  it('are not judged if the other answer is hidden or its field retired', async () => {
    const draft = await draftOf([
      {
        trip: {},
        out: { type: 'date', conditions: [['trip', 'equals', 'one way', 'hide']] },
        back: { type: 'date', rules: { min_date: { field: 'out' } } },
      },
    ]);
    await store(draft, { out: '2030-05-02', back: '2030-05-01' });
    expect(await mistakesOf(draft)).toHaveLength(1);
    await store(draft, { trip: 'one way' });
    expect(await mistakesOf(draft)).toEqual([]);
    await store(draft, { trip: '' });
    const retire = (retiredAt: Date | null) =>
      use.service.hearing(() =>
        use.database.dataSource.manager.update(Field, { id: draft.fields['out']!.id }, { retiredAt }),
      );
    await retire(new Date());
    expect(await mistakesOf(draft)).toEqual([]);
    await retire(null);
    expect(await mistakesOf(draft)).toHaveLength(1);
  });

  it('compare in the same record, and show the message of the author', async () => {
    const draft = await draftOf(
      [
        {
          begin: { type: 'date', isRepeatable: true },
          end: {
            ...{ type: 'date', isRepeatable: true },
            rules: { min_date: { field: 'begin' }, max_date: { field: 'limit' } },
          },
          limit: { type: 'date' },
        },
      ],
      {},
      ['begin', 'end'],
    );
    const [first, second] = await buildRecords(use.database.dataSource, draft.form.id, draft.uuid, 2);
    await storeInRecords(draft, 'begin', [
      [first!, '2030-02-01'],
      [second!, '2030-01-01'],
    ]);
    await storeInRecords(draft, 'end', [
      [first!, '2030-01-31'],
      [second!, '2030-01-31'],
    ]);
    await store(draft, { limit: '2030-12-31' });
    expect((await mistakesOf(draft)).map(({ field }) => field)).toEqual([`end.${first}`]);
    const rule = { fieldId: draft.fields['end']!.id, kind: 'min_date' } as const;
    await use.service.hearing(() =>
      use.database.dataSource.manager.update(FieldRule, rule, { message: 'It ends too early.' }),
    );
    expect(await mistakesOf(draft)).toEqual([
      {
        ...{ field: `end.${first}`, code: 'too_early', detail: 'It ends too early.' },
        params: { min: '2030-02-01', other_field_code: 'begin', authored: true },
      },
    ]);
  });
});

describe('rules of sums (J10)', () => {
  it('are judged under the code of the field, on its step', async () => {
    const share: FieldPlan = {
      type: 'number',
      isRepeatable: true,
      rules: { min_sum: '100', max_sum: '100' },
    };
    const draft = await draftOf([{ name: {} }, { share }], {}, ['share']);
    const [first, second] = await buildRecords(use.database.dataSource, draft.form.id, draft.uuid, 2);
    expect(await mistakesOf(draft)).toEqual([]);
    await storeInRecords(draft, 'share', [
      [null, '0.1'],
      [first!, '66.6'],
      [second!, '33.2'],
    ]);
    const below = {
      ...{ field: 'share', code: 'sum_below_minimum', params: { min: '100', sum: '99.9' } },
      detail: 'The sum of all share must be at least 100, but is 99.9.',
    };
    expect(await mistakesOf(draft, '?step=1')).toEqual([]);
    expect(await mistakesOf(draft, '?step=2')).toEqual([below]);
    await storeInRecords(draft, 'share', [
      [null, '1e5000'],
      [second!, '33.4'],
    ]);
    expect(await mistakesOf(draft)).toEqual([
      {
        ...{ field: 'share', code: 'number_too_long', params: { max: 1_000 } },
        detail: 'The share must have at most 1000 digits when it is written out.',
      },
    ]);
    await storeInRecords(draft, 'share', [[null, '']]);
    expect(await mistakesOf(draft)).toEqual([]);
  });
});

describe('dates from today (J11)', () => {
  it('have months and years', async () => {
    const years = (count: number, days = 0) => {
      const date = new Date(Date.now() + days * 86_400_000);
      date.setUTCFullYear(date.getUTCFullYear() + count);
      return date.toISOString().slice(0, 10);
    };
    const draft = await draftOf(
      [
        {
          born: { type: 'date', rules: { max_date: 'today-18y' } },
          wedding: { type: 'date', rules: { min_date: 'today+6m', max_date: 'today+24m' } },
        },
      ],
      // Two days more than the difference between any two time zones.
      { born: years(-18, 3), wedding: years(2, 3) },
    );
    expect((await mistakesOf(draft)).map(({ field, code }) => [field, code])).toEqual([
      ['born', 'too_late'],
      ['wedding', 'too_late'],
    ]);
    await store(draft, { born: years(-18, -3), wedding: years(1) });
    expect(await mistakesOf(draft)).toEqual([]);
  });
});

describe('a choice that excludes others (J12)', () => {
  it('is an error beside another choice', async () => {
    const symptoms: FieldPlan = {
      type: 'checkbox',
      options: ['fever', 'cough', 'none'],
      exclusive: ['none'],
    };
    const draft = await draftOf([{ symptoms }], { symptoms: 'fever, none' });
    expect(await mistakesOf(draft)).toEqual([
      {
        ...{ field: 'symptoms', code: 'exclusive_choice', params: { value: 'none' } },
        detail: 'The symptoms must not have another choice beside "none".',
      },
    ]);
    for (const allowed of ['none', 'fever,cough']) {
      await store(draft, { symptoms: allowed });
      expect(await mistakesOf(draft)).toEqual([]);
    }
  });
});
