import { createDraft } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { OPERATIONS } from '../support/operations.js';
import { readRaw, sendRaw } from '../support/raw.js';
import { newUser, useOwnService } from '../support/service.js';

/** Texts that requests contain, so that a test finds them if they leak into response headers or the log. */
const MARK = 'x-injected-7f3a';
const SECRET = 'secret-91c5';

const use = useOwnService({}, { logLevel: 'trace' });

/** Returns the log of `work`, as text and as lines. Waits until `requests` requests are logged. */
async function logDuring(work: () => Promise<unknown>, requests = 0) {
  const from = (await use.service.logLines()).length;
  await work();
  const text = await eventually('the requests are logged', async () => {
    const logged = (await use.service.logLines()).slice(from);
    return countRequests(logged) >= requests && `${logged.join('')} `;
  });
  return { text, lines: text.split('\n').slice(0, -1) };
}

/** Counts the requests in the lines. A line can stand for several requests. */
function countRequests(lines: readonly string[]): number {
  return lines
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line) as { repeated?: number })
    .reduce((sum, { repeated = 1 }) => sum + repeated, 0);
}

/** All properties that a log line may have. */
const FIELDS = [
  ...['level', 'time', 'msg', 'context', 'reason', 'err', 'first_request_id', 'repeated'],
  ...['request_id', 'method', 'route', 'user_id', 'submission_uuid', 'status', 'duration_ms'],
];

function expectJsonLines(lines: readonly string[]) {
  for (const line of lines) {
    const entry = JSON.parse(line) as object;
    expect(Object.keys(entry)).toEqual(expect.arrayContaining(['level', 'time', 'msg']));
  }
}

describe('text from a request', () => {
  const LINES = [`%0d%0a${MARK}: 1`, `%0D%0A%0D%0A{"level":60,"msg":"${MARK}"}%E2%80%A8%1b[2J%00`];
  const HEADERS = [
    ...['X-Request-Id', 'X-Correlation-Id', 'Traceparent', 'Idempotency-Key', 'If-Match', 'If-None-Match'],
    ...['Origin', 'User-Agent', 'Cookie', 'Accept', 'X-Forwarded-For', 'X-Forwarded-Host', 'Forwarded'],
    ...['X-Forwarded-Proto', 'X-HTTP-Method-Override', 'X-Original-URL', 'Access-Control-Request-Headers'],
  ];

  it.each(LINES)('appears in no response header, and stays within its line of the log: %j', async (line) => {
    const { plainToken } = await newUser(use);
    const { form } = await buildForm(use.database.dataSource);
    const body = JSON.stringify({ form_uuid: form.uuid });
    const encoded = encodeURI(line).replaceAll('%25', '%');
    const injected = HEADERS.map((name) => `${name}: ${line}`);
    const { lines } = await logDuring(async () => {
      for (const { method, path } of OPERATIONS) {
        for (const authorization of [line, `Bearer ${plainToken}`]) {
          const head = [
            `${method} ${path.replace(/\{\w+\}/, encoded)}?page=${encoded}&${encoded}=1 HTTP/1.1`,
            ...['Host: a', 'Connection: close', `Authorization: ${authorization}`, ...injected],
            ...['Content-Type: application/json', `Content-Length: ${body.length}`],
          ];
          const { status, headers } = readRaw(
            await sendRaw(use.service.url, `${head.join('\r\n')}\r\n\r\n${body}`),
          );
          expect(status).toBeGreaterThanOrEqual(200);
          expect(JSON.stringify([...headers])).not.toContain(MARK);
        }
      }
    }, OPERATIONS.length * 2);
    expectJsonLines(lines);
  });

  it('is rejected with 400 if a header contains a line break or U+0000', async () => {
    const { lines } = await logDuring(async () => {
      for (const name of HEADERS) {
        for (const breakOf of ['\r', '\n', '\u0000']) {
          const header = `${name}: a${breakOf}${MARK}`;
          const text = await sendRaw(
            use.service.url,
            `GET /api/v1/forms HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${header}\r\n\r\n`,
          );
          expect({ header, status: readRaw(text).status }).toEqual({ header, status: 400 });
          expect(text).not.toContain(MARK);
        }
      }
    });
    expectJsonLines(lines);
  });
});

describe('the log', () => {
  it('records each request and each error, but no token, query, header, key, value or meta', async () => {
    const { dataSource } = use.database;
    const built = await buildForm(dataSource);
    const { client, plainToken } = await newUser(use);
    const { path } = await createDraft(client, built);
    // PostgreSQL's error for a violated check constraint contains the whole row.
    await dataSource.query(`alter table submission_values add check (value not like 'refused%')`);
    await dataSource.query(`alter table submissions add check (meta::text not like '%refused%')`);

    const { text, lines } = await logDuring(async () => {
      const values = (value: string) => ({ values: [{ field_code: 'name', value }] });
      const headers = { 'If-None-Match': `"${SECRET}"`, Cookie: SECRET, 'X-Request-Id': `${SECRET}\u00a0` };
      const answers = [
        await client.post(`${path}/values?access_token=${SECRET}`, values(SECRET), headers),
        await client.patch(`${path}?${SECRET}`, { meta: { [SECRET]: SECRET } }, headers),
        await client.post(`${path}/values`, { values: [{ field_code: SECRET, value: SECRET }] }),
        await client.post(`${path}/values`, values('x'), { 'If-Match': `"${SECRET}"` }),
        await client.post('/api/v1/submissions', { form_uuid: SECRET }, { 'Idempotency-Key': SECRET }),
        await client.get(`${path}/conditions?shape=${SECRET}`),
        await client.send('PATCH', path, `{"meta": ${SECRET}`),
        await client.send('PATCH', path, SECRET, { 'Content-Type': 'text/plain' }),
        await use.service.anyone.get(`${path}?token=${plainToken}`, { Authorization: `Bearer ${SECRET}` }),
        await use.service.anyone.get(`/api/v1/forms/%zz?${SECRET}`),
        await use.service.anyone.get(`/nothing?${SECRET}`),
        await client.get(`/api/v1/submissions/${plainToken}`),
        await client.get(`/api/v1/submissions/${SECRET}/conditions`),
        await client.get(`${path}${SECRET}`),
        await client.post(`${path}/values?${SECRET}`, values(`refused ${SECRET}`)),
        await client.patch(`${path}?${SECRET}`, { meta: { a: `refused ${SECRET}` } }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([
        200, 200, 422, 412, 422, 422, 400, 415, 401, 400, 404, 404, 404, 404, 500, 500,
      ]);
    }, 16);
    expectJsonLines(lines);
    for (const line of lines) {
      const entry = JSON.parse(line) as Record<string, unknown>;
      expect(Object.keys(entry).filter((name) => !FIELDS.includes(name))).toEqual([]);
      expect(path).toContain(entry['submission_uuid'] ?? path);
    }
    expect(lines.filter((line) => line.includes('violates check constraint'))).toHaveLength(2);
    expect(text).toContain('"route":"/api/v1/submissions/:uuid/values"');
    for (const secret of [SECRET, plainToken, plainToken.slice(4)]) expect(text).not.toContain(secret);
  });
});
