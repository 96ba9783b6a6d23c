import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { ApiToken, Form, issueToken, Step, User } from '../../src/entities.js';
import { createDraft } from '../support/drafts.js';
import { buildEntity, buildForm } from '../support/forms.js';
import { newUser, useService } from '../support/service.js';
import { type PanelProcess, startPanel } from './support/panel-process.js';
import { fromNewAddress, openSession, type Session } from './support/panel-session.js';

const use = useService();
let panel: PanelProcess;
let session: Session;

beforeAll(async () => {
  panel = await startPanel(use.database.url, 'http://127.0.0.1:5173/');
  session = await openSession(panel.url);
}, 300_000);
afterAll(() => panel.stop());

const RESOURCES = [
  'forms',
  'steps',
  'entities',
  'fields',
  'field_types',
  'submissions',
  'users',
  'api_tokens',
];
const ACTIONS = [
  'list',
  'search',
  'show',
  'new',
  'edit',
  'delete',
  'bulkDelete',
  'arrange',
  'addStep',
  'preview',
];

describe('a request for something that the panel does not have', () => {
  it.each([
    '/admin/resources/nowhere',
    '/admin/resources/nowhere/actions/list',
    '/admin/resources/forms/actions/nothing',
    '/admin/resources/nowhere/records/1/show',
    '/admin/pages/nowhere',
    '/admin/nowhere',
    '/nowhere',
    '/admin/api/pages/nowhere',
    '/admin/api/resources/nowhere/actions/list',
    '/admin/api/resources/__proto__/actions/list',
    '/admin/api/resources/nowhere/search/a',
    '/admin/api/resources/nowhere/records/1/show',
    '/admin/api/resources/nowhere/bulk/bulkDelete?recordIds=1',
    '/admin/api/resources/forms/actions/nothing',
    '/admin/api/resources/forms/actions/constructor',
    '/admin/api/resources/forms/actions/delete',
    '/admin/api/resources/forms/records/1/nothing',
    '/admin/api/resources/forms/records/1/list',
    '/admin/api/resources/forms/bulk/list?recordIds=1',
    '/admin/export/nowhere.csv',
    '/admin/export/nowhere.ndjson',
    '/admin/export/No%20Slug.csv',
    '/admin/export/nowhere.xlsx',
  ])('is 404: %s', async (address) => {
    expect((await session(address)).status).toBe(404);
  });

  it('names the missing form, resource or action', async () => {
    const messageOf = async (address: string) => JSON.parse((await session(address)).text).message;
    expect(await messageOf('/admin/export/nowhere.csv')).toBe('There is no form with the slug "nowhere".');
    expect(await messageOf('/admin/api/resources/nowhere/actions/list')).toBe(
      'There is no resource "nowhere".',
    );
    expect(await messageOf('/admin/api/resources/forms/actions/nothing')).toBe(
      'There is no action "nothing" at this address.',
    );
  });
});

describe('a list', () => {
  it.each([
    'forms/actions/list?page=1&perPage=10&sortBy=name&direction=asc&filters.name=a',
    'submissions/actions/list?filters.createdAt~~from=2026-11-21&filters.createdAt~~to=2026-11-22T00:00:00Z',
    'steps/actions/search?filters.formId=1&perPage=500',
    'users/actions/search?searchProperty=email',
    'users/search/a',
  ])('can be sorted, filtered and paginated: %s', async (address) => {
    expect((await session(`/admin/api/resources/${address}`)).status).toBe(200);
  });

  it.each([
    ['asc', (uuids: readonly string[]) => uuids],
    ['desc', (uuids: readonly string[]) => uuids.toReversed()],
  ])('can be sorted by the key of its rows: %s', async (direction, inOrder) => {
    const form = await buildForm(use.database.dataSource);
    const { client } = await newUser(use);
    const drafts = [await createDraft(client, form), await createDraft(client, form)];
    const filter = `filters.formId=${form.form.id}&sortBy=uuid&direction=${direction}`;
    const { text } = await session(`/admin/api/resources/submissions/actions/list?${filter}`);
    const { records } = JSON.parse(text) as { records: { params: { uuid: string } }[] };
    const sorted = drafts.map(({ uuid }) => uuid).sort();
    expect(records.map(({ params }) => params.uuid)).toEqual(inOrder(sorted));
  });

  it('can be filtered by the reference that a user reads out', async () => {
    const form = await buildForm(use.database.dataSource);
    const { client } = await newUser(use);
    const { uuid } = await createDraft(client, form);
    await createDraft(client, form);
    const [first, last] = [uuid.slice(-8, -4), uuid.slice(-4)];
    for (const reference of [`${first}-${last}`.toUpperCase(), ` ${first} ${last} `, first + last, uuid]) {
      const filter = `filters.uuid=${encodeURIComponent(reference)}`;
      const { text } = await session(`/admin/api/resources/submissions/actions/list?${filter}`);
      const { records } = JSON.parse(text) as { records: { params: { uuid: string } }[] };
      expect([reference, records.map(({ params }) => params.uuid)]).toEqual([reference, [uuid]]);
    }
  });
});

describe('an invalid request', () => {
  const list = '/admin/api/resources/forms/actions/list';
  it.each([
    `${list}?sortBy=nothing`,
    `${list}?sortBy=steps`,
    `${list}?sortBy=id&sortBy=slug`,
    `${list}?page=-1`,
    `${list}?page=99999999999999999999`,
    `${list}?perPage=-1`,
    `${list}?perPage=many`,
    `${list}?filters.createdAt~~from=yesterday`,
    `${list}?filters.createdAt=2026`,
    `${list}?filters.slug=%00`,
    `${list}?filters.steps=1`,
    `${list}?filters.constructor=1`,
    `${list}?sortBy=constructor`,
    '/admin/api/resources/users/actions/list?filters.toString=true',
    '/admin/api/resources/submissions/actions/list?filters.meta=a',
    '/admin/api/resources/submissions/actions/list?sortBy=meta',
    '/admin/api/resources/forms/bulk/bulkDelete?recordIds=one,2',
    '/admin/api/resources/forms/bulk/bulkDelete?recordIds=99999999999999',
    '/admin/api/resources/forms/bulk/bulkDelete?recordIds=1&recordIds=2',
    '/admin/resources/forms/bulk/bulkDelete',
    '/admin/export/%00.csv',
  ])('is 400: %s', async (address) => {
    const { status, text } = await session(address);
    expect([status, text]).toEqual([400, expect.stringContaining('"message":')]);
  });

  it.each([
    ['text/plain', 'x', 415],
    ['application/xml', 'x', 415],
    ['application/json', '{', 400],
    ['application/json', '"text"', 400],
    ['application/json', '[]', 400],
    ['application/json', '{"name":null}', 400],
    ['multipart/form-data', 'x', 400],
  ])('is rejected: a body of %s, %j', async (type, body, expected) => {
    for (const address of ['/admin/login', '/admin/api/resources/forms/actions/new']) {
      const headers = { 'Content-Type': type, ...fromNewAddress() };
      expect((await session(address, { method: 'POST', headers, body })).status).toBe(expected);
    }
  });

  it('is rejected: a login without a body, and a new record by GET', async () => {
    const login = await session('/admin/login', { method: 'POST', headers: fromNewAddress() });
    expect(login.status).toBe(400);
    const { status, headers } = await session('/admin/api/resources/forms/actions/new');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('a new step of a form', () => {
  it('is rejected without a title that fits', async () => {
    const { form } = await buildForm(use.database.dataSource);
    for (const title of [undefined, '', '  ', 'x'.repeat(256)]) {
      const { status } = await session(`/admin/api/resources/forms/records/${form.id}/addStep`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ title }),
      });
      expect([title, status]).toEqual([title, 400]);
    }
    expect(await use.database.dataSource.manager.countBy(Step, { formId: form.id })).toBe(1);
  });
});

describe('an arrangement of a form', () => {
  const arrange = async (id: number, body: unknown) => {
    const { status, text } = await session(`/admin/api/resources/forms/records/${id}/arrange`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status, body: JSON.parse(text) };
  };
  const build = () =>
    buildForm(use.database.dataSource, { steps: [{ a: { order: 7 }, b: { order: 7 } }, { c: {} }] });
  const stateOf = (formId: number) =>
    use.database.dataSource.query<{ version: number }[]>(
      `select code, step_number, "order", version from fields join steps on steps.id = step_id
       join forms on forms.id = fields.form_id where forms.id = $1 order by step_number, "order", code`,
      [formId],
    );

  it('moves steps and fields, makes one version, and responds with the outline', async () => {
    const { form, steps, fields } = await build();
    const { version } = (await stateOf(form.id))[0]!;
    const idOf = (code: string) => fields[code]!.id;
    const wanted = {
      version,
      steps: [
        { id: steps[1]!.id, fields: [idOf('b'), idOf('c')] },
        { id: steps[0]!.id, fields: [idOf('a')] },
      ],
    };
    const arranged = await arrange(form.id, wanted);
    expect(arranged.status).toBe(200);
    expect(JSON.parse(arranged.body.record.params.outline)).toMatchObject({
      version: version + 1,
      steps: wanted.steps.map(({ id, fields }) => ({ id, fields: fields.map((id) => ({ id })) })),
    });
    const expected = [
      ['b', 1, 1],
      ['c', 1, 2],
      ['a', 2, 1],
    ].map(([code, step_number, order]) => ({ code, step_number, order, version: version + 1 }));
    expect(await stateOf(form.id)).toEqual(expected);
    // The same arrangement again moves nothing.
    expect((await arrange(form.id, { ...wanted, version: version + 1 })).status).toBe(200);
    expect(await stateOf(form.id)).toEqual(expected);
    expect((await arrange(form.id, wanted)).status).toBe(409);
  });

  it('is rejected if it does not name each step and each field of the form once', async () => {
    const { form, steps, fields } = await build();
    const other = await build();
    const before = await stateOf(form.id);
    const { version } = before[0]!;
    const [one, two] = [steps[0]!.id, steps[1]!.id];
    const [a, b, c] = ['a', 'b', 'c'].map((code) => fields[code]!.id);
    for (const wrong of [
      {},
      { version, steps: 'x' },
      { version, steps: [null] },
      { version: 'x', steps: [] },
      { version, steps: [] },
      { version, steps: [{ id: one, fields: [a, b, c] }] },
      {
        version,
        steps: [
          { id: one, fields: [a, b] },
          { id: two, fields: [] },
        ],
      },
      {
        version,
        steps: [
          { id: one, fields: [a, b] },
          { id: two, fields: [a] },
        ],
      },
      {
        version,
        steps: [
          { id: one, fields: [a, b] },
          { id: one, fields: [c] },
        ],
      },
      {
        version,
        steps: [
          { id: one, fields: [a, b] },
          { id: two, fields: [other.fields['c']!.id] },
        ],
      },
      {
        version,
        steps: [
          { id: one, fields: [a, b] },
          { id: other.steps[1]!.id, fields: [c] },
        ],
      },
      {
        version,
        steps: [
          { id: one, fields: [a, b] },
          { id: two, fields: [`${c}`] },
        ],
      },
    ])
      expect([wrong, (await arrange(form.id, wrong)).status]).toEqual([wrong, 400]);
    expect(await stateOf(form.id)).toEqual(before);
    expect(await stateOf(other.form.id)).toHaveLength(3);
  });
});

describe('a request target that is not a path', () => {
  it('causes no server error', async () => {
    const { port } = new URL(panel.url);
    const asked = request({ host: '127.0.0.1', port, method: 'OPTIONS', path: '*' }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBeLessThan(500);
  });
});

describe('a GET', () => {
  it('changes nothing and never fails, for any action', async () => {
    const { dataSource } = use.database;
    const { manager } = dataSource;
    const built = await buildForm(dataSource);
    await buildEntity(dataSource, built, { name: 'e' }, []);
    const user = await manager.save(manager.create(User, { email: 'kept@example.org' }));
    const { token } = await issueToken(manager, { userId: user.id, name: 'kept' });
    const state = () =>
      manager.query(
        `select (select json_agg(forms order by id) from forms) as forms, (select json_agg(users order by id) from users) as users,
                (select json_agg(api_tokens order by id) from api_tokens) as tokens, (select json_agg(fields order by id) from fields) as fields`,
      );
    const before = await state();
    const body = `userId=${user.id}&email=new@example.org&name=New&slug=new`;
    for (const resource of RESOURCES) {
      for (const action of ACTIONS) {
        const base = `/admin/api/resources/${resource}`;
        for (const address of [
          `${base}/actions/${action}?${body}`,
          `${base}/records/${resource === 'api_tokens' ? token.id : 1}/${action}?${body}`,
          `${base}/records/no-id/${action}`,
          `${base}/bulk/${action}?recordIds=1`,
        ]) {
          const { status } = await session(address);
          expect([address, status < 500]).toEqual([address, true]);
        }
      }
    }
    expect(await state()).toEqual(before);
    const { text } = await session(`/admin/api/resources/api_tokens/records/${token.id}/delete`);
    expect(JSON.parse(text)).not.toHaveProperty('notice');
    await session(`/admin/api/resources/api_tokens/records/${token.id}/delete`, { method: 'POST' });
    expect((await manager.findOneByOrFail(ApiToken, { id: token.id })).revokedAt).not.toBeNull();
  });
});

describe('an export', () => {
  it('is a table with labels for Excel', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      steps: [{ name: { label: 'Ihr Name, bitte: ä' } }],
    });
    const { status, text, headers } = await session(`/admin/export/${form.slug}.csv`);
    expect([status, headers.get('content-disposition')]).toEqual([
      200,
      `attachment; filename="${form.slug}.csv"`,
    ]);
    // `fetch` removes the byte order mark that the file has for Excel.
    expect(text).toMatch(/,meta,"Ihr Name, bitte: ä"\r\n$/);
    const json = await session(`/admin/export/${form.slug}.ndjson`);
    expect([json.status, json.text]).toEqual([200, '']);
  });

  it('of a form with a new slug is 404 by the old slug', async () => {
    const { form } = await buildForm(use.database.dataSource);
    await use.database.dataSource.manager.update(Form, form.id, { slug: 'renamed-form' });
    expect((await session(`/admin/export/${form.slug}.csv`)).status).toBe(404);
    expect((await session('/admin/export/renamed-form.csv')).status).toBe(200);
  });
});
