import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Sessions, SESSION_LIFETIME } from '../../../examples/panel/src/sessions.js';
import { ApiToken, Form, issueToken, Step, User } from '../../../src/entities.js';
import { createDraft } from '../../support/drafts.js';
import { buildEntity, buildForm } from '../../support/forms.js';
import { newUser } from '../../support/service.js';
import { EMAIL, PASSWORD } from './support/panel-process.js';
import { fromNewAddress, logIn, type Session, sessionCookie } from './support/panel-session.js';
import { usePanel } from './support/use-panel.js';

const RESOURCES = [
  ...['forms', 'steps', 'entities', 'fields'],
  ...['field_types', 'submissions', 'users', 'api_tokens'],
];
const ACTIONS = [
  ...['list', 'search', 'show', 'new', 'edit'],
  ...['delete', 'bulkDelete', 'arrange', 'addStep', 'addGroup', 'preview'],
  ...['makeLive', 'share', 'copy', 'prepare', 'publish', 'discard', 'prepareAgain', 'keep'],
  ...['hold', 'release'],
];
const API = '/admin/api/resources';
const FOREIGN = 'https://evil.example';

const { use, panel, managerOf, openSession } = usePanel();
let session: Session;

beforeAll(async () => {
  session = await openSession();
}, 300_000);

const post = (address: string, body: unknown = {}) =>
  session(`${API}/${address}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
let addresses = 0;
const newAddress = () => `user-${(addresses += 1)}@panel.example.org`;
const isThere = (email: string) => managerOf().existsBy(User, { email });

describe('a request for something that the panel does not have', () => {
  it.each([
    '/nowhere',
    '/admin/nowhere',
    '/admin/pages/nowhere',
    '/admin/resources/nowhere',
    '/admin/resources/forms/actions/nothing',
    '/admin/resources/nowhere/records/1/show',
    '/admin/api/pages/nowhere',
    `${API}/__proto__/actions/list`,
    `${API}/nowhere/search/a`,
    `${API}/nowhere/records/1/show`,
    `${API}/nowhere/bulk/bulkDelete?recordIds=1`,
    `${API}/forms/actions/constructor`,
    `${API}/forms/actions/delete`,
    `${API}/forms/records/1/list`,
    `${API}/forms/bulk/list?recordIds=1`,
    '/admin/export/nowhere.ndjson',
    '/admin/export/No%20Slug.csv',
    '/admin/export/nowhere.xlsx',
  ])('is 404: %s', async (address) => {
    expect((await session(address)).status).toBe(404);
  });

  it.each([
    ['/admin/export/nowhere.csv', 'There is no form with the slug "nowhere".'],
    [`${API}/nowhere/actions/list`, 'There is no resource "nowhere".'],
    [`${API}/forms/actions/nothing`, 'There is no action "nothing" at this address.'],
  ])('names what is missing: %s', async (address, message) => {
    const { status, text } = await session(address);
    expect([status, JSON.parse(text).message]).toEqual([404, message]);
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
    expect((await session(`${API}/${address}`)).status).toBe(200);
  });

  it('can be sorted by the key of its rows, and filtered by the reference that a user reads out', async () => {
    const form = await buildForm(use.database.dataSource);
    const { client } = await newUser(use);
    const drafts = [await createDraft(client, form), await createDraft(client, form)];
    const listed = async (filter: string) => {
      const { text } = await session(`${API}/submissions/actions/list?${filter}`);
      const { records } = JSON.parse(text) as { records: { params: { uuid: string } }[] };
      return records.map(({ params }) => params.uuid);
    };
    const sorted = drafts.map(({ uuid }) => uuid).sort();
    const ofForm = `filters.formId=${form.form.id}&sortBy=uuid`;
    expect(await listed(`${ofForm}&direction=asc`)).toEqual(sorted);
    expect(await listed(`${ofForm}&direction=desc`)).toEqual(sorted.toReversed());
    const uuid = sorted[0]!;
    const [first, last] = [uuid.slice(-8, -4), uuid.slice(-4)];
    for (const reference of [`${first}-${last}`.toUpperCase(), ` ${first} ${last} `, first + last, uuid])
      expect([reference, await listed(`filters.uuid=${encodeURIComponent(reference)}`)]).toEqual([
        reference,
        [uuid],
      ]);
  });
});

describe('an invalid request', () => {
  const list = `${API}/forms/actions/list`;
  it.each([
    `${list}?sortBy=nothing`,
    `${list}?sortBy=steps`,
    `${list}?sortBy=constructor`,
    `${list}?sortBy=id&sortBy=slug`,
    `${list}?page=-1`,
    `${list}?page=99999999999999999999`,
    `${list}?perPage=many`,
    `${list}?filters.createdAt~~from=yesterday`,
    `${list}?filters.createdAt=2026`,
    `${list}?filters.slug=%00`,
    `${list}?filters.steps=1`,
    `${API}/users/actions/list?filters.toString=true`,
    `${API}/submissions/actions/list?filters.meta=a`,
    `${API}/submissions/actions/list?sortBy=meta`,
    `${API}/forms/bulk/bulkDelete?recordIds=one,2`,
    `${API}/forms/bulk/bulkDelete?recordIds=99999999999999`,
    `${API}/forms/bulk/bulkDelete?recordIds=1&recordIds=2`,
    '/admin/resources/forms/bulk/bulkDelete',
    '/admin/export/%00.csv',
  ])('is 400: %s', async (address) => {
    const { status, text } = await session(address);
    expect([status, text]).toEqual([400, expect.stringContaining('"message":')]);
  });

  it.each([
    ['text/plain', 'x', 415],
    ['application/json', '{', 400],
    ['application/json', '"text"', 400],
    ['application/json', '[]', 400],
    ['application/json', '{"name":null}', 400],
    ['multipart/form-data', 'x', 400],
  ])('is rejected: a body of %s, %j', async (type, body, expected) => {
    for (const address of ['/admin/login', `${API}/forms/actions/new`]) {
      const headers = { 'Content-Type': type, ...fromNewAddress() };
      expect((await session(address, { method: 'POST', headers, body })).status).toBe(expected);
    }
  });

  it('is rejected: a login without a body, and a new record by GET', async () => {
    const login = await session('/admin/login', { method: 'POST', headers: fromNewAddress() });
    expect(login.status).toBe(400);
    const { status, headers } = await session(`${API}/forms/actions/new`);
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('is rejected: a condition of a step that requires it', async () => {
    const { steps, fields } = await buildForm(use.database.dataSource);
    const { text } = await post(`steps/records/${steps[0]!.id}/edit`, {
      'conditions.0.action': 'require',
      'conditions.0.dependsOnFieldId': String(fields['name']!.id),
      'conditions.0.operator': 'not_empty',
    });
    expect(JSON.parse(text).record.errors['conditions.0.action'].message).toBe(
      'Conditions can only show or hide a step or an entity. Require its fields instead.',
    );
  });

  it('is rejected: a new step or group without a title that fits', async () => {
    const { form } = await buildForm(use.database.dataSource);
    for (const title of [undefined, '', '  ', 'x'.repeat(256)]) {
      for (const action of ['addStep', 'addGroup']) {
        const { status } = await post(`forms/records/${form.id}/${action}`, { title });
        expect([action, title, status]).toEqual([action, title, 400]);
      }
    }
    expect(await managerOf().countBy(Step, { formId: form.id })).toBe(1);
  });

  it('causes no server error if its target is not a path', async () => {
    const { port } = new URL(panel.url);
    const asked = request({ host: '127.0.0.1', port, method: 'OPTIONS', path: '*' }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBeLessThan(500);
  });
});

describe('an arrangement of a form', () => {
  const arrange = (id: number, body: unknown) => post(`forms/records/${id}/arrange`, body);
  const step = (id: number, fields: unknown[]) => ({
    id,
    fields: fields.map((field) => (typeof field === 'object' ? field : { id: field, entityId: null })),
  });
  const build = async () => {
    const { form, steps, fields } = await buildForm(use.database.dataSource, {
      steps: [{ a: { order: 7 }, b: { order: 7 } }, { c: {} }],
    });
    const [one, two] = steps.map(({ id }) => id) as [number, number];
    const [a, b, c] = ['a', 'b', 'c'].map((code) => fields[code]!.id) as [number, number, number];
    return { id: form.id, one, two, a, b, c };
  };
  const stateOf = (formId: number) =>
    managerOf().query<{ version: number }[]>(
      `select code, step_number, "order", version from fields join steps on steps.id = step_id
       join forms on forms.id = fields.form_id where forms.id = $1 order by step_number, "order", code`,
      [formId],
    );

  it('moves steps and fields, makes one version, and responds with the outline', async () => {
    const { id, one, two, a, b, c } = await build();
    const { version } = (await stateOf(id))[0]!;
    const wanted = { version, steps: [step(two, [b, c]), step(one, [a])] };
    const { status, text } = await arrange(id, wanted);
    expect(status).toBe(200);
    expect(JSON.parse(JSON.parse(text).record.params.outline)).toMatchObject({
      version: version + 1,
      steps: wanted.steps,
    });
    const expected = [
      ['b', 1, 1],
      ['c', 1, 2],
      ['a', 2, 1],
    ].map(([code, step_number, order]) => ({ code, step_number, order, version: version + 1 }));
    expect(await stateOf(id)).toEqual(expected);
    // The same arrangement again moves nothing.
    expect((await arrange(id, { ...wanted, version: version + 1 })).status).toBe(200);
    expect(await stateOf(id)).toEqual(expected);
    expect((await arrange(id, wanted)).status).toBe(409);
  });

  it('is rejected if it does not name each step and each field of the form once', async () => {
    const { id, one, two, a, b, c } = await build();
    const other = await build();
    const before = await stateOf(id);
    const { version } = before[0]!;
    for (const wrong of [
      {},
      { version, steps: 'x' },
      { version, steps: [null] },
      { version: 'x', steps: [] },
      { version, steps: [] },
      { version, steps: [step(one, [a, b, c])] },
      { version, steps: [step(one, [a, b]), step(two, [])] },
      { version, steps: [step(one, [a, b]), step(two, [a])] },
      { version, steps: [step(one, [a, b]), step(one, [c])] },
      { version, steps: [step(one, [a, b]), step(two, [other.c])] },
      { version, steps: [step(one, [a, b]), step(other.two, [c])] },
      { version, steps: [step(one, [a, b]), step(two, [`${c}`])] },
      { version, steps: [step(one, [a, b]), step(two, [{ id: c }])] },
      { version, steps: [step(one, [a, b]), step(two, [{ id: c, entityId: 99 }])] },
    ])
      expect([wrong, (await arrange(id, wrong)).status]).toEqual([wrong, 400]);
    expect(await stateOf(id)).toEqual(before);
    expect(await stateOf(other.id)).toHaveLength(3);
  });
});

describe('a GET', () => {
  it('changes nothing and never fails, for any action', async () => {
    const { dataSource } = use.database;
    const manager = managerOf();
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
        const base = `${API}/${resource}`;
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
    const { text } = await session(`${API}/api_tokens/records/${token.id}/delete`);
    expect(JSON.parse(text)).not.toHaveProperty('notice');
    await post(`api_tokens/records/${token.id}/delete`);
    expect((await manager.findOneByOrFail(ApiToken, { id: token.id })).revokedAt).not.toBeNull();
  });
});

describe('an export', () => {
  it('is a table with labels for Excel, at the slug that the form has now', async () => {
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
    await managerOf().update(Form, form.id, { slug: 'renamed-form' });
    expect((await session(`/admin/export/${form.slug}.csv`)).status).toBe(404);
    expect((await session('/admin/export/renamed-form.csv')).status).toBe(200);
  });
});

describe('the audit log', () => {
  it('names the signed-in operator for changes of tokens, users and forms, and for exports', async () => {
    const { dataSource } = use.database;
    const manager = managerOf();
    const { form: exported } = await buildForm(dataSource);
    const { form: deleted } = await buildForm(dataSource);
    const { id: userId } = await manager.save(manager.create(User, { email: 'ada@example.org' }));
    const [{ last }] = await manager.query('select coalesce(max(id), 0) as last from audit_log');
    const act = async (address: string, fields: Record<string, string> = {}) =>
      expect([address, (await post(address, fields)).status]).toEqual([address, 200]);
    await act('api_tokens/actions/new', { userId: String(userId), name: 'Made in the panel' });
    const [{ id: tokenId }] = await manager.query('select max(id) as id from api_tokens');
    await act(`api_tokens/records/${tokenId}/delete`);
    await act(`users/records/${userId}/edit`, { email: 'byron@example.org' });
    await act(`users/records/${userId}/delete`);
    await act(`forms/records/${deleted.id}/delete`);
    expect((await session(`/admin/export/${exported.slug}.csv`)).status).toBe(200);
    const rows = 'select actor, action, subject from audit_log where id > $1 order by id';
    expect(await manager.query(rows, [last])).toEqual(
      [
        ['token.issued', `token:${tokenId}`],
        ['token.revoked', `token:${tokenId}`],
        ['user.changed', `user:${userId}`],
        ['user.deleted', `user:${userId}`],
        ['token.deleted', `token:${tokenId}`],
        ['form.deleted', `form:${deleted.slug}`],
        ['submissions.exported', `form:${exported.slug}`],
      ].map(([action, subject]) => ({ actor: EMAIL, action, subject })),
    );
  });
});

describe('a login', () => {
  /** Logs in with a cookie, as a browser would, and returns the target of the redirect. */
  const logInFrom = async (cookie: string) => (await logIn(panel.url, { cookie })).headers.get('location');

  it('is what every request without a session is redirected to', async () => {
    for (const place of ['resources/forms', 'api/resources/forms/actions/list', 'export/claim.csv'])
      for (const query of ['', '?/admin/frontend/assets/app.bundle.js']) {
        const address = `${panel.url}/admin/${place}${query}`;
        const { status, headers } = await fetch(address, { redirect: 'manual' });
        expect([status, headers.get('location')]).toEqual([302, '/admin/login']);
      }
    // Browsers would guess the encoding of the page wrong.
    const { headers } = await fetch(`${panel.url}/admin/login`);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('redirects to the page that was requested before it, which only a cookie stores', async () => {
    const asked = await fetch(`${panel.url}/admin/resources/users?page=2`, { redirect: 'manual' });
    expect(sessionCookie(asked)).toBeUndefined();
    const [wanted = ''] = asked.headers.getSetCookie();
    expect(wanted).toMatch(/^formtrail-panel-wanted=[^;]+; Path=\/admin\/login; HttpOnly; SameSite=Strict$/);
    expect(await logInFrom(wanted.split(';')[0]!)).toBe('/admin/resources/users?page=2');
    // Not to the logout.
    const logout = await fetch(`${panel.url}/admin/logout`, { redirect: 'manual' });
    expect([logout.status, logout.headers.getSetCookie()]).toEqual([302, []]);
  });

  it.each(['//evil.example', 'https://evil.example/admin/', '/', '/administrator'])(
    'redirects only to the panel, not to %s',
    async (elsewhere) => {
      expect(await logInFrom(`formtrail-panel-wanted=${encodeURIComponent(elsewhere)}`)).toBe('/admin');
    },
  );

  it('sets a cookie that is HttpOnly and SameSite, and Secure only over https', async () => {
    const attributesOf = (cookie = '') => cookie.replace(/^[^;]*; Path=\/; Expires=[^;]*; /, '');
    expect(attributesOf(sessionCookie(await logIn(panel.url)))).toBe('HttpOnly; SameSite=Strict');
    const overHttps = await logIn(panel.url, { 'X-Forwarded-Proto': 'https' });
    expect(attributesOf(sessionCookie(overHttps))).toBe('HttpOnly; Secure; SameSite=Strict');
    const later = await session(`${API}/forms/actions/list`);
    expect(attributesOf(later.headers.getSetCookie()[0])).toBe('HttpOnly; SameSite=Strict');
  });

  it('may be attempted ten times a minute', async () => {
    const statuses: number[] = [];
    for (const password of [PASSWORD, ...Array<string>(10).fill('wrong')]) {
      const { status } = await fetch(`${panel.url}/admin/login`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'X-Forwarded-For': '203.0.113.7' },
        body: new URLSearchParams({ email: EMAIL, password }),
      });
      statuses.push(status);
    }
    expect(statuses).toEqual([302, ...Array<number>(9).fill(200), 429]);
  });

  it("ends with a logout from the panel's own page", async () => {
    const ending = await openSession();
    const list = async () => (await ending(`${API}/forms/actions/list`)).status;
    expect(await list()).toBe(200);
    const headers = { 'Sec-Fetch-Site': 'same-origin' };
    const { status, headers: answered } = await ending('/admin/logout', { headers });
    expect([status, answered.get('location'), await list()]).toEqual([302, '/admin/login', 302]);
  });
});

describe('sessions', () => {
  afterEach(() => jest.useRealTimers());
  const ignore = () => undefined;
  const found = (sessions: Sessions<object>, id: string) => {
    let session: unknown;
    sessions.get(id, (_, one) => (session = one));
    return session;
  };

  it('end twelve hours after the login, even if they are used', () => {
    jest.useFakeTimers();
    const sessions = new Sessions<object>();
    const session = { adminUser: {} };
    sessions.set('a', session, ignore);
    jest.advanceTimersByTime(SESSION_LIFETIME - 1);
    sessions.set('a', session, ignore);
    expect(found(sessions, 'a')).toBe(session);
    jest.advanceTimersByTime(1);
    expect([found(sessions, 'a'), sessions.size]).toEqual([null, 0]);
  });

  it('are stored only for logged-in users', () => {
    const sessions = new Sessions<object>();
    sessions.set('a', {}, ignore);
    expect([found(sessions, 'a'), sessions.size]).toEqual([null, 0]);
    sessions.set('b', { adminUser: {} }, ignore);
    sessions.destroy('b', ignore);
    expect(sessions.size).toBe(0);
  });
});

describe('a request from a page of another origin', () => {
  /** Bodies that a page can send to another origin without a preflight. */
  const STYLES: readonly ((email: string) => string | URLSearchParams | FormData)[] = [
    (email) => new URLSearchParams({ email }),
    (email) => JSON.stringify({ email }),
    (email) => {
      const form = new FormData();
      form.set('email', email);
      return form;
    },
  ];

  it.each<Record<string, string>>([
    { Origin: FOREIGN },
    { Origin: 'null' },
    { Origin: 'http://127.0.0.1:1' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'none', Origin: FOREIGN },
  ])('is rejected and changes nothing, in any style: %j', async (headers) => {
    for (const bodyOf of STYLES) {
      const email = newAddress();
      const body = bodyOf(email);
      const { status, text } = await session(`${API}/users/actions/new`, { method: 'POST', headers, body });
      expect(status).toBe(403);
      expect(JSON.parse(text).message).toContain('Other origins cannot change anything');
      expect(await isThere(email)).toBe(false);
    }
  });

  it('is rejected for every method and route that changes something, including login and logout', async () => {
    const manager = managerOf();
    const user = await manager.save(manager.create(User, { email: newAddress() }));
    const { token } = await issueToken(manager, { userId: user.id, name: null });
    for (const [method, address] of [
      ['POST', `${API}/users/records/${user.id}/delete`],
      ['POST', `${API}/users/records/${user.id}/edit`],
      ['POST', `${API}/api_tokens/records/${token.id}/delete`],
      ['POST', `${API}/api_tokens/actions/new`],
      ['POST', `${API}/forms/records/1/arrange`],
      ['POST', `${API}/forms/records/1/addStep`],
      ['POST', `${API}/forms/records/1/addGroup`],
      ['POST', '/admin/nowhere'],
      ['PUT', '/admin/nowhere'],
      ['GET', '/admin/logout'],
      ['HEAD', '/admin/logout'],
    ] as const) {
      const { status } = await session(address, { method, headers: { 'Sec-Fetch-Site': 'same-site' } });
      expect([method, address, status]).toEqual([method, address, 403]);
    }
    expect((await logIn(panel.url, { Origin: FOREIGN })).status).toBe(403);
    expect(await manager.existsBy(User, { id: user.id })).toBe(true);
    expect(await manager.findOneByOrFail(ApiToken, { id: token.id })).toMatchObject({ revokedAt: null });
    expect((await session(`${API}/forms/actions/list`)).status).toBe(200);
  });
});

describe("a request from the panel's own pages, or from a program that is not a browser,", () => {
  const own = () => new URL(panel.url).origin;
  const host = 'panel.example.org';
  const proxied = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': host };

  it.each<[string, () => Record<string, string>]>([
    ['without Origin, like curl', () => ({})],
    ["with the panel's origin", () => ({ Origin: own(), 'Sec-Fetch-Site': 'same-origin' })],
    ['behind a proxy with TLS', () => ({ ...proxied, Origin: `https://${host}` })],
    [
      'behind a proxy that forwards the port',
      () => ({ ...proxied, 'X-Forwarded-Host': `${host}:443`, Origin: `https://${host}` }),
    ],
    [
      'behind a proxy that forwards neither scheme nor host',
      () => ({ Origin: `https://${host}`, 'Sec-Fetch-Site': 'same-origin' }),
    ],
  ])('is executed: %s', async (_, headersOf) => {
    const email = newAddress();
    const body = new URLSearchParams({ email });
    const options = { method: 'POST', headers: headersOf(), body };
    const { status } = await session(`${API}/users/actions/new`, options);
    expect([status, await isThere(email)]).toEqual([200, true]);
  });

  it('is executed without a session if it is a login', async () => {
    expect((await logIn(panel.url, { Origin: own() })).headers.get('location')).toBe('/admin');
  });

  it('is rejected behind a proxy with TLS if the origin differs, with advice', async () => {
    for (const Origin of [`http://${host}`, own(), `https://${host}:8443`]) {
      const options = { method: 'POST', headers: { ...proxied, Origin } };
      const { status, text } = await session(`${API}/users/actions/new`, options);
      expect([Origin, status]).toEqual([Origin, 403]);
      expect(text).toContain(`The request comes from ${Origin}, the panel is at https://${host}`);
      expect(text).toContain('name it in TRUST_PROXY');
    }
  });
});
