import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiToken, issueToken, User } from '../../src/entities.js';
import { useService } from '../support/service.js';
import { useBrowser } from './support/browser.js';
import { describeInBrowser } from './support/chromium.js';
import { PanelPage } from './support/panel-page.js';
import { type PanelProcess, startPanel } from './support/panel-process.js';
import { logIn, openSession, type Session, sessionCookie } from './support/panel-session.js';
import { serveFolder, type StaticServer } from './support/static-server.js';

const NEW_USER = '/admin/api/resources/users/actions/new';
const FOREIGN = 'https://evil.example';

const use = useService();
let panel: PanelProcess;
let own: string;

beforeAll(async () => {
  panel = await startPanel(use.database.url, 'http://127.0.0.1:5173/');
  own = new URL(panel.url).origin;
}, 300_000);
afterAll(() => panel.stop());

let addresses = 0;
const newAddress = () => `user-${(addresses += 1)}@example.org`;
const isThere = (email: string) => use.database.dataSource.manager.existsBy(User, { email });

type Body = string | URLSearchParams | FormData;

/** Bodies that a page can send to another origin without a preflight. */
const STYLES: readonly [style: string, bodyOf: (email: string) => Body][] = [
  ['a form', (email) => new URLSearchParams({ email })],
  ['fetch with text/plain', (email) => JSON.stringify({ email })],
  [
    'fetch with multipart/form-data',
    (email) => {
      const form = new FormData();
      form.set('email', email);
      return form;
    },
  ],
];

describe('a request from a page of another origin', () => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession(panel.url);
  });

  const HEADERS: readonly Record<string, string>[] = [
    { Origin: FOREIGN },
    { Origin: 'null' },
    { Origin: 'http://127.0.0.1:1' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'cross-site', Origin: FOREIGN },
    { 'Sec-Fetch-Site': 'none', Origin: FOREIGN },
  ];
  const cases = STYLES.flatMap(([style, bodyOf]) =>
    HEADERS.map((headers) => [style, JSON.stringify(headers), headers, bodyOf] as const),
  );

  it.each(cases)(
    'is rejected and changes nothing: %s, with %s',
    async (_style, _headers, headers, bodyOf) => {
      const email = newAddress();
      const { status, text } = await session(NEW_USER, { method: 'POST', headers, body: bodyOf(email) });
      expect(status).toBe(403);
      expect(JSON.parse(text)).toMatchObject({
        message: expect.stringContaining('Other origins cannot change anything') as string,
      });
      expect(await isThere(email)).toBe(false);
    },
  );

  it('is rejected for every method and route that changes something, including login and logout', async () => {
    const { manager } = use.database.dataSource;
    const user = await manager.save(manager.create(User, { email: newAddress() }));
    const { token } = await issueToken(manager, { userId: user.id, name: null });
    for (const [method, address] of [
      ['POST', `/admin/api/resources/users/records/${user.id}/delete`],
      ['POST', `/admin/api/resources/users/records/${user.id}/edit`],
      ['POST', `/admin/api/resources/api_tokens/records/${token.id}/delete`],
      ['POST', '/admin/api/resources/api_tokens/actions/new'],
      ['POST', '/admin/api/resources/forms/records/1/arrange'],
      ['POST', '/admin/api/resources/forms/records/1/addStep'],
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
    expect((await session('/admin/api/resources/forms/actions/list')).status).toBe(200);
  });
});

describe("a request from the panel's own pages, or from a program that is not a browser,", () => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession(panel.url);
  });

  const proxied = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'panel.example.org' };
  it.each<[string, () => Record<string, string>]>([
    ['without Origin, like curl', () => ({})],
    ["with the panel's origin", () => ({ Origin: own })],
    ["with the panel's origin and Sec-Fetch-Site", () => ({ Origin: own, 'Sec-Fetch-Site': 'same-origin' })],
    ['behind a proxy with TLS', () => ({ ...proxied, Origin: 'https://panel.example.org' })],
    [
      'behind a proxy that forwards the port',
      () => ({
        ...proxied,
        'X-Forwarded-Host': 'panel.example.org:443',
        Origin: 'https://panel.example.org',
      }),
    ],
    [
      'behind a proxy that forwards neither scheme nor host',
      () => ({ Origin: 'https://panel.example.org', 'Sec-Fetch-Site': 'same-origin' }),
    ],
  ])('is executed: %s', async (_, headersOf) => {
    const email = newAddress();
    const body = new URLSearchParams({ email });
    const { status } = await session(NEW_USER, { method: 'POST', headers: headersOf(), body });
    expect([status, await isThere(email)]).toEqual([200, true]);
  });

  it('is rejected behind a proxy with TLS if the origin differs, with advice', async () => {
    for (const Origin of ['http://panel.example.org', own, 'https://panel.example.org:8443']) {
      const { status, text } = await session(NEW_USER, { method: 'POST', headers: { ...proxied, Origin } });
      expect([Origin, status]).toEqual([Origin, 403]);
      expect(text).toContain(`The request comes from ${Origin}, the panel is at https://panel.example.org`);
      expect(text).toContain('name it in TRUST_PROXY');
    }
  });

  it('is executed without a session if it is a login', async () => {
    expect((await logIn(panel.url, { Origin: own })).headers.get('location')).toBe('/admin');
  });
});

describe("the panel's cookie", () => {
  it('is HttpOnly and SameSite, and Secure only if it was set over https', async () => {
    const attributesOf = (cookie = '') => cookie.replace(/^[^;]*; Path=\/; Expires=[^;]*; /, '');
    expect(attributesOf(sessionCookie(await logIn(panel.url)))).toBe('HttpOnly; SameSite=Strict');
    expect(attributesOf(sessionCookie(await logIn(panel.url, { 'X-Forwarded-Proto': 'https' })))).toBe(
      'HttpOnly; Secure; SameSite=Strict',
    );
    const session = await openSession(panel.url);
    const later = await session('/admin/api/resources/forms/actions/list');
    expect(attributesOf(later.headers.getSetCookie()[0])).toBe('HttpOnly; SameSite=Strict');
  });
});

describeInBrowser('a page on another port, which is the same site for a browser,', () => {
  const browser = useBrowser();
  let folder: string;
  let server: StaticServer;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'formtrail-origin-'));
    await writeFile(path.join(folder, 'index.html'), '<!doctype html><title>Elsewhere</title>');
    server = await serveFolder(folder);
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  it('cannot change anything through the browser of a logged-in operator', async () => {
    const page = new PanelPage(await browser.newPage(), panel.url);
    await page.logIn();
    const elsewhere = await page.page.context().newPage();
    await elsewhere.goto(server.url);
    browser.forgive(/status of 40[34]|ERR_BLOCKED_BY_RESPONSE/);
    const emails = [newAddress(), newAddress(), newAddress()] as const;

    await elsewhere.evaluate(
      async ([target, text, multipart]) => {
        const post = (body: string | FormData) =>
          // `fetch` may fail because the browser hides the response. The browser sends the request anyway.
          fetch(target!, { method: 'POST', mode: 'no-cors', credentials: 'include', body }).catch(
            () => undefined,
          );
        await post(JSON.stringify({ email: text }));
        const form = new FormData();
        form.set('email', multipart!);
        await post(form);
      },
      [panel.url + NEW_USER, emails[0], emails[1]],
    );
    await elsewhere.setContent(
      `<form method="post" action="${panel.url}${NEW_USER}"><input name="email" value="${emails[2]}"><button>Win</button></form>`,
    );
    const sent = elsewhere.waitForResponse((response) => response.url().endsWith(NEW_USER));
    await elsewhere.getByRole('button').click();
    expect((await sent).status()).toBe(403);
    expect(await Promise.all(emails.map(isThere))).toEqual([false, false, false]);

    await page.open('Users', 'users');
    await page.follow('New user');
    await page.fill({ 'E-mail address': emails[0] });
    await page.press('Save');
    await page.page.getByText(emails[0]).waitFor();
    expect(await isThere(emails[0])).toBe(true);
  });
});
