import type { BuiltForm, FormPlan } from '../support/forms.js';
import { buildForm } from '../support/forms.js';
import { createDraft, newDraftOf } from '../support/drafts.js';
import { complete, store } from '../support/draft-requests.js';
import { newUser, useService } from '../support/service.js';
import { type TextPlan, translate } from '../support/translations.js';

const use = useService();
const query = <Row = never>(sql: string, values: readonly unknown[] = []) =>
  use.database.dataSource.query<Row[]>(sql, [...values]);

const PLAN: FormPlan = {
  form: { name: 'Survey', description: 'All about you', locale: 'en', completion: 'strict' },
  steps: [
    {
      colour: {
        ...{
          type: 'select',
          label: 'Colour',
          placeholder: 'Choose',
          description: 'Any',
          options: ['red', 'sky blue'],
        },
      },
      pin: { label: 'PIN', rules: { pattern: '[0-9]{4}', max_length: '4' } },
    },
    { note: { label: 'Note', isRepeatable: true } },
  ],
  entities: [{ name: 'child', label: 'Child', isRepeatable: true, of: ['note'] }],
};

interface Multilingual extends BuiltForm {
  /** Ids of options by value, of the entity, and of the rule with a message. */
  readonly ids: Readonly<Record<string, number>>;
}

async function multilingual(plan: FormPlan = PLAN): Promise<Multilingual> {
  const built = await buildForm(use.database.dataSource, plan);
  await query(
    `update field_rules set message = 'Enter 4 digits.' from fields
      where fields.id = field_id and form_id = $1 and kind = 'pattern'`,
    [built.form.id],
  );
  const rows = await query<{ name: string; id: number }>(
    `select value as name, options.id from options join fields on fields.id = field_id where form_id = $1
     union all select name, id from entities where form_id = $1
     union all select kind::text, field_rules.id from field_rules join fields on fields.id = field_id where form_id = $1`,
    [built.form.id],
  );
  return { ...built, ids: Object.fromEntries(rows.map(({ name, id }) => [name, id])) };
}

const german = ({ steps, fields, ids }: Multilingual): TextPlan[] => [
  [{}, 'name', 'Umfrage'],
  [{}, 'description', 'Alles über Sie'],
  [{ stepId: steps[0]!.id }, 'title', 'Schritt 1'],
  [{ fieldId: fields['colour']!.id }, 'label', 'Farbe'],
  [{ fieldId: fields['colour']!.id }, 'placeholder', 'Wählen Sie'],
  [{ fieldId: fields['colour']!.id }, 'description', 'Beliebig'],
  [{ optionId: ids['red']! }, 'label', 'rot'],
  [{ optionId: ids['sky blue']! }, 'label', 'himmelblau'],
  [{ entityId: ids['child']! }, 'label', 'Kind'],
  [{ ruleId: ids['pattern']! }, 'message', 'Geben Sie 4 Ziffern ein.'],
];

const into = (form: Multilingual, locale: string, texts: readonly TextPlan[]) =>
  use.service.hearing(() => translate(use.database.dataSource, form, locale, texts));

const get = (path: string, headers?: Record<string, string>) =>
  use.service.anyone.get(`/api/v1/forms${path}`, headers);

async function inGerman(): Promise<Multilingual> {
  const form = await multilingual();
  await into(form, 'de', german(form));
  return form;
}

describe('a form in several languages', () => {
  it('has a message for each other field that rules of one kind compare with (J9)', async () => {
    const built = await multilingual({
      form: { locale: 'en', completion: 'strict' },
      steps: [{ 'a.b': { type: 'date' }, start: { type: 'date' }, end: { type: 'date' } }],
    });
    const { fields } = built;
    const rows = await query<{ id: number }>(
      `insert into field_rules (field_id, kind, value, other_field_id, message)
       values ($1, 'min_date', '2026-01-01', null, 'one'), ($1, 'min_date', null, $2, 'two'), ($1, 'min_date', null, $3, 'three')
       returning id`,
      [fields['end']!.id, fields['start']!.id, fields['a.b']!.id],
    );
    const messages = ['eins', 'zwei', 'drei'];
    const texts = rows.map(({ id }, at): TextPlan => [{ ruleId: id }, 'message', messages[at]!]);
    await into(built, 'de', texts);
    const { body } = await get(`/${built.form.uuid}/schema?locale=de`);
    expect(
      body.data.steps[0].fields[2].rules.map(({ other_field_code, message }: any) => [
        other_field_code,
        message,
      ]),
    ).toEqual([
      [null, 'eins'],
      ['a.b', 'drei'],
      ['start', 'zwei'],
    ]);
  });

  it('is shown in the language that the request names, with everything in it (L2)', async () => {
    const built = await inGerman();
    const { uuid, slug } = built.form;
    const expected = { name: 'Umfrage', description: 'Alles über Sie', locale: 'de', locales: ['en', 'de'] };
    for (const path of [`/${uuid}?locale=de`, `/${slug}/by-slug?locale=de`]) {
      const { status, body, headers } = await get(path);
      expect([status, headers.get('content-language')]).toEqual([200, 'de']);
      expect(body.data).toMatchObject(expected);
    }
    const { body, headers } = await get(`/${uuid}/schema?locale=de`);
    expect(headers.get('content-language')).toBe('de');
    expect(body.data).toMatchObject(expected);
    const [first, second] = body.data.steps;
    expect([first.title, second.title]).toEqual(['Schritt 1', 'Step 2']);
    expect(first.fields[0]).toMatchObject({
      label: 'Farbe',
      placeholder: 'Wählen Sie',
      description: 'Beliebig',
    });
    expect(first.fields[0].options.map(({ label, value }: any) => [label, value])).toEqual([
      ['rot', 'red'],
      ['himmelblau', 'sky blue'],
    ]);
    expect(first.fields[1].rules).toEqual([
      { kind: 'max_length', value: '4', other_field_code: null, offset_days: null, message: null },
      {
        ...{ kind: 'pattern', value: '[0-9]{4}', other_field_code: null, offset_days: null },
        message: 'Geben Sie 4 Ziffern ein.',
      },
    ]);
    expect(body.data.entities[0].label).toBe('Kind');
    const own = await get(`/${uuid}/schema`);
    expect(own.headers.get('content-language')).toBe('en');
    // Everything else is the same, in the same order.
    expect(Object.keys(body.data)).toEqual(Object.keys(own.body.data));
    expect(Object.keys(first.fields[0])).toEqual(Object.keys(own.body.data.steps[0].fields[0]));
    expect(own.body.data).toMatchObject({ name: 'Survey', locale: 'en', locales: ['en', 'de'] });
  });

  it.each([
    ['de-AT', 'de'],
    ['DE-ch-1996', 'de'],
    ['de-x-ab', 'de'],
    ['zh-Hant-TW', 'zh-Hant'],
    ['zh', 'en'],
    ['fr', 'en'],
    ['en', 'en'],
    ['en-GB', 'en'],
  ])('is looked up by its tag: %s gets %s (RFC 4647)', async (asked, expected) => {
    const built = await inGerman();
    await into(built, 'zh-Hant', [[{}, 'name', '調查']]);
    const { body, headers } = await get(`/${built.form.uuid}/schema?locale=${asked}`);
    expect([body.data.locale, headers.get('content-language')]).toEqual([expected, expected]);
    expect(body.data.locales).toEqual(['en', 'de', 'zh-Hant']);
  });

  it('has each text by itself from the nearest language of the chain', async () => {
    const built = await inGerman();
    await into(built, 'de-AT', [[{ stepId: built.steps[0]!.id }, 'title', 'Erster Schritt']]);
    const { body } = await get(`/${built.form.uuid}/schema?locale=de-AT`);
    expect(body.data).toMatchObject({ locale: 'de-AT', name: 'Umfrage' });
    expect(body.data.steps.map(({ title }: any) => title)).toEqual(['Erster Schritt', 'Step 2']);
  });

  it('has its own texts rather than those of a broader language', async () => {
    const built = await multilingual({ ...PLAN, form: { ...PLAN.form, locale: 'de-AT' } });
    await into(built, 'de', german(built));
    expect((await get(`/${built.form.uuid}?locale=de-AT-1996`)).body.data).toMatchObject({
      ...{ name: 'Survey', locale: 'de-AT' },
    });
    expect((await get(`/${built.form.uuid}?locale=de`)).body.data).toMatchObject({
      name: 'Umfrage',
      locale: 'de',
    });
  });

  it('that does not say its own language has null there, and no header', async () => {
    const built = await multilingual({ ...PLAN, form: { ...PLAN.form, locale: null } });
    const none = await get(`/${built.form.uuid}?locale=de`);
    expect([none.body.data.locale, none.body.data.locales, none.headers.get('content-language')]).toEqual([
      ...[null, [], null],
    ]);
    await into(built, 'de', german(built));
    const { body } = await get(`/${built.form.uuid}?locale=fr`);
    expect([body.data.locale, body.data.locales]).toEqual([null, ['de']]);
    expect((await get(`/${built.form.uuid}?locale=de`)).body.data.locale).toBe('de');
  });

  it('ignores a translation of a text that it lacks', async () => {
    const built = await multilingual();
    await into(built, 'de', [
      [{ fieldId: built.fields['pin']!.id }, 'placeholder', 'Vier Ziffern'],
      [{ stepId: built.steps[0]!.id }, 'description', 'Beschreibung'],
      [{ ruleId: built.ids['max_length']! }, 'message', 'Zu lang'],
    ]);
    const { body } = await get(`/${built.form.uuid}/schema?locale=de`);
    const [{ description, fields }] = body.data.steps;
    expect([description, fields[1].placeholder, fields[1].rules[0].message]).toEqual(['', null, null]);
    expect(body.data.locale).toBe('de');
  });

  it.each([
    '',
    '*',
    'x-private',
    'de_AT',
    'd',
    'de&locale=en',
    `de-x-${'abcdefgh-'.repeat(3)}abcd`,
    'de%00',
    '%F0%9F%98%80',
  ])('is 422 under locale for ?locale=%s', async (locale) => {
    const { form } = await multilingual();
    const problem = { Accept: 'application/problem+json' };
    for (const path of ['', `/${form.uuid}`, `/${form.slug}/by-slug`, `/${form.uuid}/schema`])
      expect(await get(`${path}?locale=${locale}`, problem)).toMatchObject({
        ...{ status: 422, body: { errors: [{ field: 'locale', code: 'malformed_locale' }] } },
      });
  });

  it('has an ETag for each language, and 304', async () => {
    const { form } = await inGerman();
    const etagOf = async (path: string) => (await get(path)).headers.get('etag')!;
    const [own, german] = [
      await etagOf(`/${form.uuid}/schema`),
      await etagOf(`/${form.uuid}/schema?locale=de`),
    ];
    expect(own).not.toBe(german);
    expect(await etagOf(`/${form.uuid}/schema?locale=de-AT`)).toBe(german);
    expect(await etagOf(`/${form.uuid}/schema?locale=en`)).toBe(own);
    const answer = await get(`/${form.uuid}/schema?locale=de`, { 'If-None-Match': german });
    expect([answer.status, answer.headers.get('content-language')]).toEqual([304, 'de']);
    expect((await get(`/${form.uuid}/schema?locale=de`, { 'If-None-Match': own })).status).toBe(200);
  });

  it('is read once for each language, and again after each change, which moves the version (F8, F9)', async () => {
    const built = await inGerman();
    const path = `/${built.form.uuid}/schema?locale=de`;
    const before = (await get(path)).body.data;
    expect(await use.service.statementsDuring(() => get(path))).toEqual([]);
    const changes: (() => Promise<unknown>)[] = [
      () =>
        query(`update translations set text = 'Neu' where form_id = $1 and key = 'name'`, [built.form.id]),
      () => query(`delete from translations where form_id = $1 and key = 'name'`, [built.form.id]),
      () => translate(use.database.dataSource, built, 'de', [[{}, 'name', 'Wieder']]),
      () => query(`update forms set name = 'Poll' where id = $1`, [built.form.id]),
      () => query(`delete from translations where form_id = $1`, [built.form.id]),
    ];
    const seen: unknown[] = [];
    for (const change of changes) {
      await use.service.hearing(change);
      const { body } = await get(path);
      seen.push([body.data.version - before.version, body.data.name, body.data.locales.join()]);
    }
    expect(seen).toEqual([
      [1, 'Neu', 'en,de'],
      [2, 'Survey', 'en,de'],
      [3, 'Wieder', 'en,de'],
      [4, 'Wieder', 'en,de'],
      [5, 'Poll', 'en'],
    ]);
  });

  it('is listed in the language, and the links keep it', async () => {
    const built = await inGerman();
    const other = await multilingual();
    const { body } = await get('?per_page=100&locale=DE-at');
    const listed = async (query: string) => {
      const pages = Array.from({ length: body.meta.last_page }, (_, index) => index + 1);
      const all = await Promise.all(pages.map((page) => get(`?per_page=100&page=${page}${query}`)));
      return all.flatMap((page) => page.body.data);
    };
    const items = (await listed('&locale=DE-at')).filter(({ id }: any) =>
      [built.form.id, other.form.id].includes(id),
    );
    expect(
      items.map(({ name, description, locale, locales }: any) => [name, description, locale, locales]),
    ).toEqual([
      ['Umfrage', 'Alles über Sie', 'de', ['en', 'de']],
      ['Survey', 'All about you', 'en', ['en']],
    ]);
    expect(body.links.first).toMatch(/\?page=1&per_page=100&locale=de-AT$/i);
    const own = (await listed('')).find(({ id }: any) => id === built.form.id);
    expect(own).toMatchObject({ name: 'Survey', locale: 'en' });
  });

  it('can have 200 languages, and no more', async () => {
    const built = await multilingual();
    const tags = Array.from({ length: 201 }, (_, index) => `de-x-${String(index).padStart(3, '0')}`);
    const insert = (some: readonly string[]) =>
      query(
        `insert into translations (form_id, locale, key, text) select $1, tag, 'name', tag from unnest($2::text[]) tag`,
        [...[built.form.id, some]],
      );
    await expect(insert(tags)).rejects.toMatchObject({
      driverError: { constraint: 'translations_locales_check' },
    });
    await use.service.hearing(() => insert(tags.slice(1)));
    const { body } = await get(`/${built.form.uuid}?locale=de-x-200`);
    expect([body.data.name, body.data.locale, body.data.locales.length]).toEqual([
      'de-x-200',
      'de-x-200',
      201,
    ]);
  });
});

describe('the language of a submission (L3)', () => {
  const problem = { Accept: 'application/problem+json' };

  it('is stored at the beginning, and shown in get and list', async () => {
    const { client } = await newUser(use);
    const { form } = await multilingual();
    const created = await client.post('/api/v1/submissions', { form_uuid: form.uuid, locale: 'DE-at' });
    expect([created.status, created.body.data.locale]).toEqual([201, 'de-AT']);
    const path = `/api/v1/submissions/${created.body.data.uuid}`;
    expect((await client.get(path)).body.data.locale).toBe('de-AT');
    expect((await client.get('/api/v1/submissions')).body.data[0].locale).toBe('de-AT');
    const without = await createDraft(client, { form } as BuiltForm);
    expect((await client.get(without.path)).body.data.locale).toBeNull();
  });

  it.each(['', 'de_AT', 'x-private', 5, ['de'], {}])('is 422 under locale for %j', async (locale) => {
    const { client, path, form } = await newDraftOf(use, PLAN);
    const expected = { status: 422, body: { errors: [{ field: 'locale', code: 'malformed_locale' }] } };
    const before = (await client.get(path)).body.data;
    expect(await client.post('/api/v1/submissions', { form_uuid: form.uuid, locale }, problem)).toMatchObject(
      expected,
    );
    expect(await client.patch(path, { locale, meta: { a: 1 } }, problem)).toMatchObject(expected);
    expect((await client.get(path)).body.data).toEqual(before);
  });

  it('is changed by PATCH like meta, also after completion, and null clears it', async () => {
    const draft = await newDraftOf(use, { ...PLAN, form: { ...PLAN.form, completion: 'lenient' } });
    const { client, path } = draft;
    const locale = async () => (await client.get(path)).body.data.locale;
    const { body, headers } = await client.patch(path, { locale: 'de' });
    expect([await locale(), Object.keys(body.data)]).toEqual(['de', expect.not.arrayContaining(['locale'])]);
    expect((await client.patch(path, { meta: { a: 1 } })).body.data.meta).toEqual({ a: 1 });
    expect(await locale()).toBe('de');
    // The first ETag is stale.
    const stale = await client.patch(path, { locale: 'fr' }, { 'If-Match': headers.get('etag')! });
    expect([stale.status, await locale()]).toEqual([412, 'de']);
    expect((await client.patch(path, { status: 'completed', locale: 'es' })).status).toBe(200);
    expect(await locale()).toBe('es');
    expect((await client.patch(path, { locale: 'ar', meta: null })).status).toBe(200);
    expect(await locale()).toBe('ar');
    expect((await client.patch(path, { locale: null })).status).toBe(200);
    expect(await locale()).toBeNull();
  });

  it('belongs to the request that an Idempotency-Key names', async () => {
    const { client } = await newUser(use);
    const { form } = await multilingual();
    const begin = (locale: string) =>
      client.post('/api/v1/submissions', { form_uuid: form.uuid, locale }, { 'Idempotency-Key': 'k' });
    const first = await begin('de');
    expect((await begin('de')).body.data).toEqual(first.body.data);
    expect((await begin('fr')).status).toBe(422);
  });

  it('decides about the messages of rules: in completion, validation, steps and records', async () => {
    const plan: FormPlan = {
      ...{ form: { completion: 'strict', locale: 'en' } },
      steps: [
        {
          pin: { rules: { pattern: '[0-9]{4}' } },
          code: { isRepeatable: true, rules: { pattern: '[a-z]' } },
        },
        {},
      ],
      entities: [{ name: 'child', isRepeatable: true, of: ['code'] }],
    };
    const built = await buildForm(use.database.dataSource, plan);
    await query(
      `update field_rules set message = 'Not so.' from fields where fields.id = field_id and form_id = $1`,
      [built.form.id],
    );
    const rules = await query<{ id: number; code: string }>(
      `select field_rules.id, code from field_rules join fields on fields.id = field_id where form_id = $1`,
      [built.form.id],
    );
    await use.service.hearing(() =>
      translate(
        use.database.dataSource,
        built,
        'de',
        rules.map(({ id, code }) => [{ ruleId: id }, 'message', `So nicht: ${code}.`]),
      ),
    );
    const { client } = await newUser(use);
    const created = await client.post('/api/v1/submissions', { form_uuid: built.form.uuid, locale: 'de-CH' });
    const draft = { client, path: `/api/v1/submissions/${created.body.data.uuid}` };
    const record = (await client.post(`${draft.path}/records`, { entity: 'child' })).body.data.id;
    await store(draft, { pin: 'x' });
    await store(draft, { code: '1' }, record);
    const mistakes = (suffix: (code: string) => string) => [
      {
        field: 'pin',
        code: 'pattern_mismatch',
        detail: suffix('pin'),
        params: { pattern: '[0-9]{4}', authored: true },
      },
      {
        ...{ field: `code.${record}`, code: 'pattern_mismatch', detail: suffix('code') },
        params: { pattern: '[a-z]', authored: true },
      },
    ];
    const german = mistakes((code) => `So nicht: ${code}.`);
    expect((await client.get(`${draft.path}/validation`, problem)).body.data.mistakes).toEqual(german);
    expect((await complete(draft, problem)).body.errors).toEqual(german);
    expect(
      (await client.post(`${draft.path}/advance?validate=true`, undefined, problem)).body.errors,
    ).toEqual(german);
    expect((await complete(draft)).body.errors.pin).toEqual(['So nicht: pin.']);
    // The language of the same request counts.
    const changed = await client.patch(draft.path, { status: 'completed', locale: 'fr' }, problem);
    expect(changed.body.errors).toEqual(mistakes(() => 'Not so.'));
    expect((await client.get(draft.path)).body.data.locale).toBe('de-CH');
    await client.patch(draft.path, { locale: null });
    expect((await complete(draft, problem)).body.errors).toEqual(mistakes(() => 'Not so.'));
  });

  it('has errors in English for rules without a message, unmarked', async () => {
    const draft = await newDraftOf(use, {
      form: { completion: 'strict' },
      steps: [{ pin: { rules: { max_length: '1' } } }],
    });
    await store(draft, { pin: 'xx' });
    expect((await complete(draft, problem)).body.errors).toEqual([
      {
        field: 'pin',
        code: 'too_long',
        detail: 'The pin must have at most 1 character.',
        params: { max: 1 },
      },
    ]);
  });
});

describe('a kept version (N3, L7)', () => {
  it('keeps every language, immutably', async () => {
    const built = await inGerman();
    await into(built, 'zh-Hant', [[{}, 'name', '調查']]);
    const { client } = await newUser(use);
    const draft = { client, ...(await createDraft(client, built)) };
    expect((await complete(draft)).status).toBe(200);
    const { version } = (await get(`/${built.form.uuid}`)).body.data;
    const now = await Promise.all(
      ['', '&locale=de-AT', '&locale=zh-Hant-TW', '&locale=fr'].map(async (more) =>
        get(`/${built.form.uuid}/schema?_=1${more}`),
      ),
    );
    await use.service.hearing(() =>
      query(
        `with gone as (delete from translations where form_id = $1) update forms set name = 'Poll', locale = 'fr' where id = $1`,
        [built.form.id],
      ),
    );
    const kept = await Promise.all(
      ['', '&locale=de-AT', '&locale=zh-Hant-TW', '&locale=fr'].map(async (more) =>
        get(`/${built.form.uuid}/schema?version=${version}${more}`),
      ),
    );
    expect(kept.map(({ body }) => body)).toEqual(now.map(({ body }) => body));
    expect(kept.map(({ body }) => [body.data.name, body.data.locale, body.data.locales.join()])).toEqual([
      ['Survey', 'en', 'en,de,zh-Hant'],
      ['Umfrage', 'de', 'en,de,zh-Hant'],
      ['調查', 'zh-Hant', 'en,de,zh-Hant'],
      ['Survey', 'en', 'en,de,zh-Hant'],
    ]);
    for (const { headers, body } of kept) {
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('content-language')).toBe(body.data.locale);
    }
    expect((await get(`/${built.form.uuid}/schema?version=999999&locale=de`)).status).toBe(404);
    expect((await get(`/${built.form.uuid}/schema?version=${version}&locale=de_AT`)).status).toBe(422);
  });
});
