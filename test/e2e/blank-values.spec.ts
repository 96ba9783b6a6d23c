import { type Draft, newDraft } from '../support/drafts.js';
import { expectInvalid } from '../support/refusal.js';
import { useService } from '../support/service.js';

const use = useService();

const store = async ({ client, path }: Draft, values: Record<string, string>) => {
  const entries = Object.entries(values).map(([field_code, value]) => ({ field_code, value }));
  expect((await client.post(`${path}/values`, { values: entries })).status).toBe(200);
};
const complete = ({ client, path }: Draft) => client.patch(path, { status: 'completed' });
const validation = async ({ client, path }: Draft) => (await client.get(`${path}/validation`)).body.data;
const REQUIRED = { valid: false, errors: { name: ['The name is required.'] } };

describe('the value of a required field (J7)', () => {
  it.each([
    ['a space', ' '],
    ['line breaks and a tab', '\n\t\r\n'],
    ['a no-break space', '\u00a0'],
    ['a zero-width space', '\u200b'],
    ['directional marks and joiners', '\u200e\u200d\u2060'],
    ['a Hangul filler', '\u3164'],
    ['control characters', '\u0001\u007f'],
    ['65,535 invisible characters', '\u200b\u3000 '.repeat(21_845)],
  ])('counts as missing if it is %s', async (_, value) => {
    const draft = await newDraft(use, [{ name: { isRequired: true } }, {}], { completion: 'strict' });
    await store(draft, { name: value });

    expect(await validation(draft)).toEqual(REQUIRED);
    expectInvalid(await draft.client.post(`${draft.path}/advance?validate=true`), 'name');
    expectInvalid(await complete(draft), 'name');
    const { values } = (await draft.client.get(draft.path)).body.data;
    expect(values).toMatchObject([{ value }]);
  });

  it.each(['👩\u200d👩\u200d👧', '❤\ufe0f', ' a ', '\u200b.', '0'])(
    'counts if it has a visible character: %j',
    async (value) => {
      const draft = await newDraft(use, [{ name: { isRequired: true } }], { completion: 'strict' });
      await store(draft, { name: value });
      expect((await complete(draft)).status).toBe(200);
    },
  );

  it('counts as missing if it is blank, for every component, and a blank optional value is no error (J4)', async () => {
    const rules = { min_length: '3', pattern: '[a-z]+' };
    const draft = await newDraft(
      use,
      [
        {
          text: { rules },
          number: { type: 'number', rules: { min: '1' } },
          email: { type: 'email' },
          day: { type: 'date', rules: { min_date: 'today' } },
          choice: { type: 'select', options: ['a'] },
          ticked: { type: 'checkbox' },
        },
      ],
      { completion: 'strict' },
    );
    const codes = Object.keys(draft.fields);
    await store(draft, Object.fromEntries(codes.map((code) => [code, ' \u00a0'])));
    expect(await validation(draft)).toEqual({ valid: true, errors: {} });

    await use.service.hearing(() =>
      use.database.dataSource.query('update fields set is_required = true where form_id = $1', [
        draft.form.id,
      ]),
    );
    const errors = Object.fromEntries(codes.map((code) => [code, [`The ${code} is required.`]]));
    expect(await validation(draft)).toEqual({ valid: false, errors });
  });

  it('counts for conditions even if it is blank (C2)', async () => {
    const draft = await newDraft(
      use,
      [{ name: {}, more: { isRequired: true, conditions: [['name', 'not_empty', '', 'show']] } }],
      { completion: 'strict' },
    );
    await store(draft, { name: ' ' });
    expectInvalid(await complete(draft), 'more');
    await store(draft, { name: '' });
    expect((await complete(draft)).status).toBe(200);
  });
});
