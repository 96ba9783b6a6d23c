import { once } from 'node:events';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createDraft } from '../support/drafts.js';
import { type BuiltForm, buildForm } from '../support/forms.js';
import { type DocumentedOperation, GUARDED } from '../support/operations.js';
import { openSocket, readRaw, sendRaw } from '../support/raw.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, useOwnService } from '../support/service.js';
import { wholeDatabase } from '../support/whole-database.js';

const MIB = 1_048_576;
/** Maximum milliseconds until a response that waits for nothing. */
const PATIENCE = 5_000;
/** The operations with a JSON body. PUT uploads a file. */
const WRITES = GUARDED.filter(({ method }) => method !== 'GET' && method !== 'PUT');

const use = useOwnService();
let built: BuiltForm;
let user: Awaited<ReturnType<typeof newUser>>;
let bearer: string;
let draft: { uuid: string; path: string };

beforeAll(async () => {
  built = await buildForm(use.database.dataSource);
  user = await newUser(use);
  bearer = `Authorization: Bearer ${user.plainToken}`;
  draft = await createDraft(user.client, built);
});

const targetOf = ({ path }: DocumentedOperation) => path.replace('{uuid}', draft.uuid);

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

/** A decompression bomb: it inflates to about a thousand times its size. */
const bomb = new Uint8Array(gzipSync(Buffer.alloc(64 * MIB)));

describe.each(WRITES)('the route $route', (to) => {
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
      const headers = { 'Content-Encoding': coding };
      const answer = await user.client.send(to.method, targetOf(to), body, headers);
      expectRefusal(answer, 415, { message: expect.stringContaining('Content-Encoding') });
      expect(answer.headers.get('accept-encoding')).toBe('identity');
    }
    const unread = ['Content-Encoding: gzip', `Content-Length: ${bomb.length}`];
    expect((await answerBeforeEnd(to, [bearer, ...unread])).status).toBe(415);
    expect(await wholeDatabase(use.database.dataSource)).toEqual(before);
    const identity = { 'Content-Encoding': 'identity' };
    expect((await user.client.send(to.method, targetOf(to), '[', identity)).status).toBe(400);
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
