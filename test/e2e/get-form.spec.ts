import { randomUUID } from 'node:crypto';
import { type Field, FieldType, type Form } from '../../src/entities.js';
import { etagOf } from '../support/answers.js';
import { type BuiltForm, buildForm } from '../support/forms.js';
import { expectRefusal } from '../support/refusal.js';
import { useService } from '../support/service.js';

const use = useService();
const read = (path: string, headers: Record<string, string> = {}) =>
  use.service.anyone.get(`/api/v1/forms/${path}`, headers);
const query = (sql: string, parameters: unknown[] = []) =>
  use.database.dataSource.query<any[]>(sql, parameters);

/** The addresses of one form. */
const ADDRESSES: [string, (form: Pick<Form, 'uuid' | 'slug'>) => string][] = [
  ['{uuid}', ({ uuid }) => uuid],
  ['{slug}/by-slug', ({ slug }) => `${slug}/by-slug`],
  ['{uuid}/schema', ({ uuid }) => `${uuid}/schema`],
];

describe.each(ADDRESSES)('GET /api/v1/forms/%s', (address, pathOf) => {
  it('returns an inactive form, without credentials (F4)', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { isActive: false } });
    const { status, headers, body } = await read(pathOf(form));
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body.data).toMatchObject({ uuid: form.uuid, slug: form.slug, is_active: false });
  });

  it('returns 304 for a current ETag, and the form with a new ETag after a change (F10)', async () => {
    const { form, steps } = await buildForm(use.database.dataSource);
    const first = await read(pathOf(form));
    const etag = etagOf(first);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    for (const known of [etag, `W/${etag}`, '*', `"with, comma", ${etag}`]) {
      const { status, headers, body } = await read(pathOf(form), { 'If-None-Match': known });
      expect([known, status, body]).toEqual([known, 304, undefined]);
      expect([headers.get('etag'), headers.get('cache-control')]).toEqual([etag, 'no-cache']);
    }
    expect((await read(pathOf(form), { 'If-None-Match': '"other"' })).body).toEqual(first.body);

    await use.service.hearing(() => query(`update steps set title = 'New' where id = $1`, [steps[0]!.id]));
    const changed = await read(pathOf(form), { 'If-None-Match': etag });
    expect([changed.status, changed.body.data.version]).toEqual([200, Number(first.body.data.version) + 1]);
    expect(etagOf(changed)).not.toBe(etag);
  });

  it('returns 404 for what no form has, even with If-None-Match (F5, F6)', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { slug: `exact-${randomUUID()}` } });
    const others = address.includes('slug')
      ? [form.uuid, `${form.slug}x`, form.slug.slice(0, -1), form.slug.toUpperCase(), 'x'.repeat(256)]
      : [form.slug, form.uuid.slice(0, -1), `${form.uuid}0`, form.uuid.replaceAll('-', ''), `{${form.uuid}}`];
    const malformed = [
      '-',
      'a_b',
      'a%2Fb',
      'a--b',
      '%0A',
      '%25',
      '%F0%9F%92%A9',
      '__proto__',
      "'%20or%201=1--",
    ];
    for (const text of [randomUUID(), ...others, ...malformed, `${others[0]}%00`, `${others[0]}%20`]) {
      const answer = await read(pathOf({ uuid: text, slug: text }), { 'If-None-Match': '*' });
      expect([text, answer.status]).toEqual([text, 404]);
      expectRefusal(answer, 404, { message: 'Form not found.' });
    }
  });
});

describe('a form', () => {
  it('has timestamps in UTC to the microsecond', async () => {
    const text = { name: 'Pâtés & "quotes" 💩', description: 'Line 1\nline 2' };
    const { form } = await buildForm(use.database.dataSource, { form: text });
    await query(
      `alter table forms disable trigger forms_version;
       update forms set version = 41, created_at = '2024-02-29 23:59:59.000001+02', updated_at = '2025-01-01 00:00:00Z'
        where id = ${form.id};
       alter table forms enable trigger forms_version;`,
    );
    expect((await read(form.uuid)).body).toEqual({
      data: {
        id: form.id,
        uuid: form.uuid,
        ...text,
        slug: form.slug,
        is_active: true,
        version: 41,
        completion: null,
        access: 'token',
        proof_of_work: null,
        opens_at: null,
        closes_at: null,
        closes_drafts: false,
        max_submissions: null,
        max_per_user: null,
        locale: null,
        locales: [],
        created_at: '2024-02-29T21:59:59.000001Z',
        updated_at: '2025-01-01T00:00:00.000000Z',
      },
    });
  });

  it('has a UUID in any letter case (F6)', async () => {
    const { form } = await buildForm(use.database.dataSource);
    for (const suffix of ['', '/schema']) {
      const asStored = await read(form.uuid + suffix);
      const answer = await read(form.uuid.toUpperCase() + suffix);
      expect([answer.status, answer.body, etagOf(answer)]).toEqual([200, asStored.body, etagOf(asStored)]);
    }
  });

  it.each(['0', 'by-slug', 'schema', 'constructor', 'x'.repeat(255)])(
    'with the slug %.20s is the same by its slug as by its UUID (F5)',
    async (slug) => {
      const { form } = await buildForm(use.database.dataSource, { form: { slug } });
      const [bySlug, byUuid] = [await read(`${slug}/by-slug`), await read(form.uuid)];
      expect([bySlug.status, bySlug.body, etagOf(bySlug)]).toEqual([200, byUuid.body, etagOf(byUuid)]);
    },
  );

  it('is found by a slug that looks like the UUID of another form, with unnecessary escapes', async () => {
    const { form: other } = await buildForm(use.database.dataSource);
    const { form } = await buildForm(use.database.dataSource, { form: { slug: other.uuid } });
    const escaped = other.uuid.replaceAll('-', '%2D');
    for (const slug of [other.uuid, escaped])
      expect((await read(`${slug}/by-slug`)).body.data.uuid).toBe(form.uuid);
    expect((await read(other.uuid)).body.data.uuid).toBe(other.uuid);
    expectRefusal(await read(`${form.uuid}/by-slug`), 404);
  });
});

describe('the schema of a form', () => {
  /** Builds a form whose rows are not in the order of the schema. */
  async function buildEverything(): Promise<BuiltForm> {
    const { manager } = use.database.dataSource;
    const name = `signature ${randomUUID()}`;
    await manager.insert(FieldType, { name, component: 'signature-input' });
    const built = await buildForm(use.database.dataSource, {
      form: { name: 'Everything', description: 'All keys.', isActive: false },
      steps: [
        {},
        { hidden: {} },
        {
          late: {
            order: 5,
            conditions: [
              ['hidden', 'not_empty', '', 'show'],
              ['early', 'in', 'a, b', 'require'],
              ['tied_two', 'equals', 'x', 'hide'],
            ],
          },
          tied_one: { order: 3, type: name },
          tied_two: { order: 3 },
          early: {
            order: -1,
            type: 'select',
            options: ['z', 'b', 'a', 'y'],
            placeholder: 'Choose',
            description: 'One of these',
            isRequired: true,
            isRepeatable: true,
            defaultValue: 'b',
            meta: { nested: [{ a: null }], autocomplete: 'tel' },
          },
        },
      ],
    });
    const [last, second, first] = built.steps.map(({ id }) => id);
    await manager.transaction(async (panel) => {
      await panel.query('set constraints all deferred');
      await panel.query('update steps set step_number = 30 where id = $1', [last]);
      await panel.query(
        `update steps set step_number = 7, is_visible = false, description = 'Hidden.' where id = $1`,
        [second],
      );
      await panel.query('update steps set step_number = 2, meta = $2 where id = $1', [
        first,
        { icon: 'user', nested: { list: [1, null, 'x'] } },
      ]);
      await panel.query(
        `update options set "order" = case value when 'z' then 9 when 'y' then 1 else 2 end where field_id = $1`,
        [built.fields['early']!.id],
      );
      // PostgreSQL writes a changed row to another place in the table.
      await panel.query('update fields set label = label where id = $1', [built.fields['tied_one']!.id]);
    });
    return built;
  }

  it('has everything in one response, in order, with every key (F4, F7, F11, F12)', async () => {
    const { form, steps, fields } = await buildEverything();
    const [last, second, first] = steps;
    const { version } = (await read(form.uuid)).body.data;

    const { body } = await read(`${form.uuid}/schema`);

    const [{ name: signature }] = await query('select name from field_types where id = $1', [
      fields['tied_one']!.fieldTypeId,
    ]);
    const plain = (code: string) => ({
      id: fields[code]!.id,
      code,
      label: code,
      placeholder: null as string | null,
      description: null as string | null,
      is_required: false,
      is_repeatable: false,
      default_value: null as string | null,
      computed: null,
      max_bytes: null,
      accept: null,
      meta: null as unknown,
      order: fields[code]!.order,
      field_type: { name: 'text', component: 'text-input' },
      entity: null,
      options: [] as unknown[],
      conditions: [] as unknown[],
      rules: [],
    });
    const condition = (code: string, operator: string, value: string, action: string) => ({
      depends_on_field_id: fields[code]!.id,
      depends_on_field_code: code,
      operator,
      value,
      value_field_code: null,
      action,
      group: null,
    });
    const step = (id: number, step_number: number, title: string) => ({
      id,
      step_number,
      title,
      description: '',
      is_visible: true,
      meta: null as unknown,
      fields: [] as unknown[],
      conditions: [],
    });
    const expected = {
      data: {
        uuid: form.uuid,
        name: 'Everything',
        slug: form.slug,
        description: 'All keys.',
        is_active: false,
        version,
        completion: null,
        access: 'token',
        proof_of_work: null,
        opens_at: null,
        closes_at: null,
        closes_drafts: false,
        max_submissions: null,
        max_per_user: null,
        locale: null,
        locales: [],
        time_zone: null,
        steps: [
          {
            ...step(first!.id, 2, 'Step 3'),
            meta: { icon: 'user', nested: { list: [1, null, 'x'] } },
            fields: [
              {
                ...plain('early'),
                placeholder: 'Choose',
                description: 'One of these',
                is_required: true,
                is_repeatable: true,
                default_value: 'b',
                meta: { nested: [{ a: null }], autocomplete: 'tel' },
                field_type: { name: 'select', component: 'select-input' },
                options: [
                  { label: 'y', value: 'y', order: 1, is_exclusive: false, places: null },
                  { label: 'b', value: 'b', order: 2, is_exclusive: false, places: null },
                  { label: 'a', value: 'a', order: 2, is_exclusive: false, places: null },
                  { label: 'z', value: 'z', order: 9, is_exclusive: false, places: null },
                ],
              },
              { ...plain('tied_one'), field_type: { name: signature, component: 'signature-input' } },
              plain('tied_two'),
              {
                ...plain('late'),
                conditions: [
                  condition('hidden', 'not_empty', '', 'show'),
                  condition('early', 'in', 'a, b', 'require'),
                  condition('tied_two', 'equals', 'x', 'hide'),
                ],
              },
            ],
          },
          {
            ...step(second!.id, 7, 'Step 2'),
            description: 'Hidden.',
            is_visible: false,
            fields: [plain('hidden')],
          },
          step(last!.id, 30, 'Step 1'),
        ],
        entities: [],
      },
    };
    // Comparing the text also compares the order of the keys.
    expect(body).toEqual(expected);
    expect(JSON.stringify(body)).toBe(JSON.stringify(expected));
  });

  it('has an empty list of steps if the form has none', async () => {
    const { form } = await buildForm(use.database.dataSource, { steps: [] });
    expect((await read(`${form.uuid}/schema`)).body.data).toMatchObject({
      version: 1,
      steps: [],
      entities: [],
    });
  });

  it('has fields with codes such as constructor and __proto__, and a field that depends on itself', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      steps: [
        { constructor: {}, ['__proto__']: {}, itself: { conditions: [['itself', 'empty', '', 'hide']] } },
      ],
    });
    const { fields } = (await read(`${form.uuid}/schema`)).body.data.steps[0];
    expect(fields.map(({ code }: Field) => code)).toEqual(['constructor', '__proto__', 'itself']);
    expect(fields[2].conditions).toMatchObject([{ depends_on_field_code: 'itself' }]);
  });

  it('shows comparisons between fields, exclusive options and formulas by codes of fields (C17, J9, J12, K1)', async () => {
    const computed = { op: 'days_between', of: ['start', { value: 'today' }] } as const;
    const { form, fields } = await buildForm(use.database.dataSource, {
      steps: [
        {
          start: { type: 'date' },
          end: {
            type: 'date',
            rules: {
              max_date: 'today+1y',
              min_date: { field: 'start', days: 1 },
              not_equal: { field: 'start' },
            },
            conditions: [['start', 'before', { field: 'end' }, 'show']],
          },
          days: { type: 'number', computed },
          drinks: { type: 'checkbox', options: ['tea', 'none'], exclusive: ['none'] },
        },
      ],
    });
    const [start, end, days, drinks] = (await read(`${form.uuid}/schema`)).body.data.steps[0].fields;
    expect([start.computed, days.computed]).toEqual([null, computed]);
    const other = { value: null, other_field_code: 'start', message: null };
    expect(end.rules).toEqual([
      { ...other, kind: 'min_date', offset_days: 1 },
      { kind: 'max_date', value: 'today+1y', other_field_code: null, offset_days: null, message: null },
      { ...other, kind: 'not_equal', offset_days: null },
    ]);
    expect(end.conditions).toEqual([
      {
        ...{ depends_on_field_id: fields['start']!.id, depends_on_field_code: 'start', operator: 'before' },
        ...{ value: '', value_field_code: 'end', action: 'show', group: null },
      },
    ]);
    expect(drinks.options.map(({ is_exclusive }: any) => is_exclusive)).toEqual([false, true]);
  });
});
