import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { PDF, filesFolder, storeFile } from './support/files.js';
import { client } from './support/client.js';
import { buildForm } from './support/forms.js';
import { onOneServer as describe } from './support/it-on-one-server.js';
import { newUser, useService } from './support/service.js';

const SERVER = path.resolve(__dirname, '../examples/bff/server.mjs');
const ORIGIN = 'http://localhost:8080';
const PAGE = { Origin: ORIGIN, 'Sec-Fetch-Site': 'same-origin' };

describe('examples/bff', () => {
  const storage = filesFolder();
  const use = useService({ FILES_URL: storage.url });
  const processes: ChildProcess[] = [];
  let url: string;

  /** Starts the server, and returns the address that it prints. */
  async function start(origin: string): Promise<string> {
    const child = spawn(process.execPath, [SERVER], {
      env: { FORMTRAIL_URL: use.service.url, ORIGIN: origin, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    processes.push(child);
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    return line;
  }

  beforeAll(async () => {
    url = await start(ORIGIN);
  });
  afterAll(async () => {
    for (const child of processes) child.kill();
    await storage.remove();
  });

  const publicForm = async () => {
    const { form } = await buildForm(use.database.dataSource, {
      form: { access: 'public' },
      steps: [{ name: {}, cv: { type: 'file' } }],
    });
    return form;
  };

  /** Sends a request as the page does. */
  const send = (
    method: string,
    target: string,
    body?: unknown,
    headers: Record<string, string> = {},
    to = url,
  ) =>
    fetch(to + target, {
      method,
      headers: { ...PAGE, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  async function begin(to = url) {
    const { uuid } = await publicForm();
    const response = await send('POST', '/api/v1/respondents', { form_uuid: uuid }, {}, to);
    const cookie = response.headers.get('set-cookie') ?? '';
    return { uuid, response, cookie, Cookie: cookie.split(';')[0]! };
  }

  /** Sends a path that `fetch` would normalise. */
  async function statusOf(target: string, headers: Record<string, string> = {}): Promise<number | undefined> {
    const sent = request(url, { path: target, headers }).end();
    const [answer] = await once(sent, 'response');
    answer.resume();
    return answer.statusCode;
  }

  it('fills in a form with the cookie alone, and never shows the token', async () => {
    const { uuid, response, cookie, Cookie } = await begin();
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(cookie).toMatch(/^formtrail=ftr_\S+; HttpOnly; SameSite=Strict; Path=\/api\/v1$/);
    const token = Cookie.split('=')[1]!;

    const page = client(url, { ...PAGE, Cookie });
    const begun = await page.post('/api/v1/submissions', { form_uuid: uuid });
    const submission = `/api/v1/submissions/${begun.body.data.uuid}`;
    const values = [{ field_code: 'name', value: 'Ada' }];
    const stored = await page.post(`${submission}/values`, { values });
    await storeFile(page, submission, PDF, { field_code: 'cv' });
    const answers = [
      ...[begun, stored, await page.patch(submission, { status: 'completed' })],
      ...[await page.get(`${submission}?x=1`), await page.post('/api/v1/resume-codes')],
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 201]);
    for (const { body, headers } of answers) expect(JSON.stringify([body, ...headers])).not.toContain(token);

    const ended = await send('DELETE', '/api/v1/respondents/me', undefined, { Cookie });
    expect(ended.status).toBe(204);
    expect(ended.headers.get('set-cookie')).toMatch(/^formtrail=; .*Path=\/api\/v1; Max-Age=0$/);
    const direct = await use.service.anyone.get(submission, { Authorization: `Bearer ${token}` });
    expect(direct.status).toBe(401);
  });

  it('continues on another device: the token of a resume code is in a cookie too', async () => {
    const { Cookie } = await begin();
    const made = await send('POST', '/api/v1/resume-codes', undefined, { Cookie });
    const { data } = (await made.json()) as { data: { code: string } };
    const response = await send('POST', '/api/v1/resume', { code: data.code });
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(response.headers.get('set-cookie')).toMatch(/^formtrail=ftr_/);
    expect((await send('POST', '/api/v1/resume', { code: data.code })).status).toBe(422);
  });

  it('sends the cookie over HTTPS only, unless the page is on the loopback', async () => {
    const secure = await start('https://forms.example.org');
    const { uuid } = await publicForm();
    const headers = { Origin: 'https://forms.example.org' };
    const response = await send('POST', '/api/v1/respondents', { form_uuid: uuid }, headers, secure);
    expect(response.headers.get('set-cookie')).toMatch(/^__Secure-formtrail=.*; Path=\/api\/v1; Secure$/);
    start('http://forms.example.org').catch(() => undefined);
    const [code] = await once(processes.at(-1)!, 'exit');
    expect(code).toBe(1);
  });

  it.each([
    ...['/', '/health/ready', '/docs-json', '/api/v1/users', '/api/v1/forms/../../docs-json'],
    ...['/api/v1/forms/%2e%2e/docs-json', '//example.org/api/v1/forms', 'http://example.org/api/v1/forms'],
  ])('%s is 404', async (target) => {
    expect(await statusOf('/api/v1/forms')).toBe(200);
    expect(await statusOf(target)).toBe(404);
  });

  it.each([
    [{ Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
    [{ Origin: ORIGIN, 'Sec-Fetch-Site': 'same-site' }],
    [{ Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' }],
    [{ Origin: 'null', 'Sec-Fetch-Site': 'same-origin' }],
  ])('refuses an unsafe method with %j, and creates nothing', async (headers) => {
    const { uuid, Cookie } = await begin();
    const refused = await send('POST', '/api/v1/submissions', { form_uuid: uuid }, { ...headers, Cookie });
    expect(refused.status).toBe(403);
    const listed = await send('GET', '/api/v1/submissions', undefined, { Cookie });
    expect(((await listed.json()) as { data: unknown[] }).data).toEqual([]);
  });

  it('refuses an unsafe method that names no origin', async () => {
    const { uuid } = await publicForm();
    expect(
      (await fetch(`${url}/api/v1/respondents`, { method: 'POST', body: `{"form_uuid":"${uuid}"}` })).status,
    ).toBe(403);
  });

  it("does not forward the browser's Authorization, nor a token of a user in the cookie", async () => {
    const { plainToken, client: direct } = await newUser(use);
    expect((await direct.get('/api/v1/submissions')).status).toBe(200);
    const credentials = { Authorization: `Bearer ${plainToken}` };
    expect(await statusOf('/api/v1/submissions', credentials)).toBe(401);
    expect(await statusOf('/api/v1/submissions', { Cookie: `formtrail=${plainToken}` })).toBe(401);
  });

  it('rejects a body that is too large or has no length', async () => {
    const headers = { ...PAGE, 'Content-Type': 'application/json' };
    const post = async (more: Record<string, string>) => {
      const sent = request(`${url}/api/v1/respondents`, { method: 'POST', headers: { ...headers, ...more } });
      sent.on('error', () => undefined).flushHeaders();
      const [answer] = await once(sent, 'response');
      sent.destroy();
      return answer.statusCode;
    };
    expect(await post({ 'Content-Length': String(25 * 1024 * 1024 + 1) })).toBe(413);
    expect(await post({ 'Transfer-Encoding': 'chunked' })).toBe(411);
  });
});
