import { once } from 'node:events';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createDraft } from '../support/drafts.js';
import { type BuiltForm, buildForm } from '../support/forms.js';
import { type DocumentedOperation, GUARDED } from '../support/operations.js';
import { openSocket, readRaw, sendHttp, sendRaw } from '../support/raw.js';
import { expectInvalid, expectRefusal } from '../support/refusal.js';
import { newUser, useService } from '../support/service.js';
import { wholeDatabase } from '../support/whole-database.js';

const MIB = 1_048_576;
/** Maximum milliseconds until a response that waits for nothing. */
const PATIENCE = 5_000;
/** The operations with a JSON body. PUT uploads a file. */
const WRITES = GUARDED.filter(({ method }) => method !== 'GET' && method !== 'PUT');

const use = useService();
let built: BuiltForm;
let user: Awaited<ReturnType<typeof newUser>>;
let bearer: string;
let draft: { uuid: string; path: string };

beforeAll(async () => {
  built = await buildForm(use.database.dataSource);
  user = await newUser(use);
  bearer = `Authorization: Bearer ${user.plainToken}`;
});
beforeEach(async () => {
  draft = await createDraft(user.client, built);
});

const targetOf = ({ path }: DocumentedOperation) => path.replace('{uuid}', draft.uuid);

function send(to: DocumentedOperation, body: string | Uint8Array<ArrayBuffer>, headers = {}) {
  return user.client.send(to.method, targetOf(to), body, headers);
}

function headOf(to: DocumentedOperation, lines: readonly string[]): string {
  const all = [
    `${to.method} ${targetOf(to)} HTTP/1.1`,
    'Host: a',
    'Content-Type: application/json',
    ...lines,
  ];
  return `${all.join('\r\n')}\r\n\r\n`;
}

/** Returns the response to a request whose body begins with `beginning` and never ends. */
async function answerBeforeEnd(
  to: DocumentedOperation,
  lines: readonly string[],
  beginning: string | Buffer = '',
) {
  const socket = await openSocket(use.service.url);
  socket.setTimeout(PATIENCE, () => socket.destroy(new Error('No answer.')));
  try {
    socket.write(headOf(to, lines));
    socket.write(beginning);
    const [text] = (await once(socket, 'data')) as [Buffer];
    return readRaw(text.toString());
  } finally {
    socket.destroy();
  }
}

/** Bodies of a given size that are as expensive as possible. */
const HOSTILE: [string, (size: number) => string][] = [
  ['arrays in arrays', (size) => '['.repeat(size / 2) + ']'.repeat(size / 2)],
  ['objects in objects', (size) => '{"a":'.repeat(size / 6) + '1' + '}'.repeat(size / 6 - 1)],
  ['nesting that never ends', (size) => `{"meta": ${'['.repeat(size - 10)}`],
  ['as many keys as fit', (size) => `{"meta": {${fill(size, (i) => `"k${i}":1`)}}}`],
  ['keys that are numbers', (size) => `{"meta": {${fill(size, (i) => `"${i * 7}":1`)}}}`],
  ['the same key again and again', (size) => `{"meta": {${fill(size, () => '"a":1')}}}`],
  ['a number of that many digits', (size) => `{"meta": {"a": ${'9'.repeat(size - 20)}}}`],
  ['a fraction of that many digits', (size) => `{"meta": {"a": 0.${'9'.repeat(size - 20)}}}`],
  ['an exponent of that many digits', (size) => `{"meta": {"a": 1e${'9'.repeat(size - 20)}}}`],
  ['escapes', (size) => `{"values": [{"field_code": "name", "value": "${'\\u00e9'.repeat(size / 6 - 9)}"}]}`],
  ['backslashes', (size) => `{"status": "${'\\\\'.repeat(size / 2 - 9)}"}`],
  ['quotes without an end', (size) => `{"status": ${'"'.repeat(size - 20)}`],
  ['white space', (size) => `${' '.repeat(size - 2)}{}`],
  ['entries that are empty objects', (size) => `{"values": [${fill(size, () => '{}')}]}`],
  ['entries that are numbers', (size) => `{"values": [${fill(size, () => '0')}]}`],
];

/** Returns as many elements, separated by commas, as fit into this size. */
function fill(size: number, elementOf: (index: number) => string): string {
  const elements: string[] = [];
  for (let left = size - 20; ;) {
    const element = elementOf(elements.length);
    left -= element.length + 1;
    if (left < 0) return elements.join(',');
    elements.push(element);
  }
}

/**
 * Throws if four times the size takes at least eight times as long, like quadratic work. Measures repeatedly, because
 * other work on the machine can disturb it. Work that is not linear fails all attempts.
 */
async function expectLinear(work: (size: number) => Promise<void>, size = MIB) {
  const ratios: number[] = [];
  while (ratios.length < 10) {
    const small = await milliseconds(() => work(size / 4));
    const ratio = (await milliseconds(() => work(size))) / small;
    if (ratio < 8) return;
    ratios.push(ratio);
  }
  throw new Error(`Four times the size takes longer by ${ratios.map(Math.round).join(', ')}`);
}

async function milliseconds(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** A decompression bomb: it inflates to about a thousand times its size. */
const bomb = new Uint8Array(gzipSync(Buffer.alloc(64 * MIB)));

describe.each(WRITES)('$route', (to) => {
  it('rejects a request without a valid token before it reads the body', async () => {
    for (const authorization of ['X-Nothing: here', `Authorization: Bearer ftk_${'x'.repeat(43)}`]) {
      const { status } = await answerBeforeEnd(to, [authorization, `Content-Length: ${MIB}`]);
      expect(status).toBe(401);
    }
  });

  it('rejects a compressed body with 415 and does not inflate it', async () => {
    const json = Buffer.from('{"meta": {}, "status": "completed", "values": []}');
    const bodies: [string, string | Uint8Array<ArrayBuffer>][] = [
      ['gzip', bomb],
      ['gzip', new Uint8Array(gzipSync(json))],
      ['GZIP', new Uint8Array(gzipSync(gzipSync(json)))],
      ['br', new Uint8Array(brotliCompressSync(json))],
      ['deflate', new Uint8Array(deflateSync(json))],
      ...['gzip', 'x-gzip', 'zstd', 'compress', 'gzip, gzip', 'identity, br', 'nonsense'].map(
        (coding): [string, string] => [coding, json.toString()],
      ),
    ];
    const before = await wholeDatabase(use.database.dataSource);
    for (const [coding, body] of bodies) {
      const answer = await send(to, body, { 'Content-Encoding': coding });
      expectRefusal(answer, 415, { message: expect.stringContaining('Content-Encoding') });
      expect(answer.headers.get('accept-encoding')).toBe('identity');
    }
    const unread = ['Content-Encoding: gzip', `Content-Length: ${bomb.length}`];
    expect((await answerBeforeEnd(to, [bearer, ...unread])).status).toBe(415);
    expect(await wholeDatabase(use.database.dataSource)).toEqual(before);
    expect((await send(to, '[', { 'Content-Encoding': 'identity' })).status).toBe(400);
  });

  it('rejects a body of more than 1 MiB as soon as its size is known', async () => {
    const announced = await answerBeforeEnd(to, [bearer, `Content-Length: ${MIB + 1}`]);
    const chunk = Buffer.concat([Buffer.from(`${(MIB + 1).toString(16)}\r\n`), Buffer.alloc(MIB + 1, ' ')]);
    const chunked = await answerBeforeEnd(to, [bearer, 'Transfer-Encoding: chunked'], chunk);
    expect([announced.status, chunked.status]).toEqual([413, 413]);
  });

  it('does not execute the rest of a body as a request if Content-Length is too small', async () => {
    const before = await wholeDatabase(use.database.dataSource);
    const body = `{}${headOf(to, [bearer, 'Content-Length: 1']).slice(0, 20)}`;
    const text = await sendRaw(
      use.service.url,
      headOf(to, ['Authorization: Bearer none', 'Content-Length: 2']) + body.repeat(2) + '\r\n\r\n',
    );
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    // The connection may end before the 401 is ready.
    expect(statuses.join(' ')).toMatch(/^(401 )?400$/);
    expect(await wholeDatabase(use.database.dataSource)).toEqual(before);
  });
});

describe('the response time for a body of up to 1 MiB is linear in its length', () => {
  it.each(HOSTILE)('%s', async (_, bodyOf) => {
    for (const [method, path] of [
      ['PATCH', draft.path],
      ['POST', `${draft.path}/values`],
    ] as const) {
      await expectLinear(async (size) => {
        const { status } = await user.client.send(method, path, bodyOf(size));
        expect(status).toBeLessThan(500);
      });
    }
  });
});

describe('other clients', () => {
  it('are served while some bodies never end', async () => {
    const sockets = await Promise.all(Array.from({ length: 50 }, () => openSocket(use.service.url)));
    try {
      for (const [index, socket] of sockets.entries()) {
        const to = WRITES[index % WRITES.length]!;
        socket.write(
          `${headOf(to, [bearer, `Content-Length: ${MIB}`])}{"meta": {"a": "${'x'.repeat(60_000)}`,
        );
      }
      expect((await use.service.anyone.get('/api/v1/forms')).status).toBe(200);
      expect((await user.client.patch(draft.path, { meta: { a: 1 } })).status).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});

it('more than 500 entries are rejected before any entry is validated', async () => {
  const values = (count: number) => ({
    values: Array.from({ length: count }, () => ({ field_id: 'no', value: 1 })),
  });
  const tooMany = await user.client.post(`${draft.path}/values`, values(501));
  expectInvalid(tooMany, 'values');
  const { body } = await user.client.post(`${draft.path}/values`, values(500));
  expect(Object.keys(body.errors as object)).toHaveLength(1000);
});

describe('text for the regular expressions of the service is matched in time linear in its length', () => {
  const REPEATED = ['a', 'a-', '0', '"', 'W/"', ' ', '%20', ':'];
  const form = () => `/api/v1/forms/${built.form.uuid}`;
  // Each text ends in a character that does not match, because vulnerable expressions are slow only if they fail.
  const places: [string, (text: string) => { path: string; method?: string; headers?: object }][] = [
    ['a slug', (text) => ({ path: `/api/v1/forms/${encodeURI(text)}!/by-slug` })],
    ['a UUID', (text) => ({ path: `/api/v1/submissions/${encodeURI(text)}!` })],
    ['an unknown path', (text) => ({ path: `/api/v1/${encodeURI(text)}!` })],
    ['a number of a page', (text) => ({ path: `/api/v1/forms?page=${encodeURI(text)}!` })],
    ['a query', (text) => ({ path: `/api/v1/forms?${encodeURI(text)}!` })],
    ['Authorization', (text) => ({ path: draft.path, headers: { Authorization: `Bearer ${text} !` } })],
    ['If-Match', (text) => ({ path: draft.path, headers: { 'If-Match': `${text}!` } })],
    ['If-None-Match', (text) => ({ path: form(), headers: { 'If-None-Match': `${text}!` } })],
    [
      'Idempotency-Key',
      (text) => ({
        path: `${draft.path}/advance`,
        method: 'POST',
        headers: { 'Idempotency-Key': `${text}\u00ff` },
      }),
    ],
    ['Host', (text) => ({ path: form(), headers: { Host: `${text}!` } })],
    ['Origin', (text) => ({ path: form(), headers: { Origin: `${text}!` } })],
  ];

  it.each(places)('%s', async (_, requestOf) => {
    for (const repeated of REPEATED) {
      const ask = async (size: number) => {
        // The text must fit into the head of a request, in which each percent-escape takes three bytes.
        const text = repeated.repeat(size / encodeURI(repeated).length);
        const { path, method = 'GET', headers } = requestOf(text);
        const { status } = await sendHttp(use.service.url, path, {
          method,
          headers: { Authorization: `Bearer ${user.plainToken}`, ...headers },
        });
        expect([431, 500]).not.toContain(status);
      };
      // Test a small size first, because an exponential expression would never finish at full size.
      for (const size of [28, 15_000]) await expectLinear(ask, size);
    }
  });
});

describe('stored text is evaluated in time linear in its length', () => {
  it.each([
    ['digits', '1', 'x'],
    ['zeros', '0', 'x'],
    ['white space', ' ', 'x'],
    ['an exponent', '1', 'e9x'],
    ['commas', ',', 'x'],
  ])('%s', async (_, repeated, end) => {
    const numbers = ['greater_than', 'less_than', 'in', 'contains', 'equals'] as const;
    const tests = numbers.map((operator) => ['text', operator, '10', 'show'] as const);
    const { form } = await buildForm(use.database.dataSource, {
      steps: [{ text: {}, shown: { conditions: tests } }],
    });
    const { path } = await createDraft(user.client, { ...built, form });
    await expectLinear(async (size) => {
      const value = repeated.repeat(size - 10) + end;
      await user.client.post(`${path}/values`, { values: [{ field_code: 'text', value }] });
      expect((await user.client.get(`${path}/conditions`)).status).toBe(200);
    }, 65_000);
  });
});
