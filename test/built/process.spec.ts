import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MIGRATIONS } from '../../src/schema.js';
import { issueToken, User } from '../../src/entities.js';
import {
  build,
  type BuiltService,
  killBuilt,
  preload,
  runBuilt,
  runListening,
  within,
} from '../support/built-service.js';
import { client } from '../support/client.js';
import { startDatabaseProxy } from '../support/database-proxy.js';
import { eventually } from '../support/eventually.js';
import { filesFolder } from '../support/files.js';
import { type BuiltForm, buildForm } from '../support/forms.js';
import { itOnOneServer, onOneServer } from '../support/it-on-one-server.js';
import { openSocket, readRaw } from '../support/raw.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';
import { asAnotherProgram, testServer, withDatabase } from '../support/test-server.js';

let database: TestDatabase;
let built: BuiltForm;
let plainToken: string;

beforeAll(async () => {
  await build();
  database = await testDatabase();
  const { manager } = database.dataSource;
  built = await buildForm(database.dataSource, { steps: [{ name: {} }, { note: {} }] });
  const user = await manager.save(manager.create(User, { email: 'ada@example.org' }));
  ({ plainToken } = await issueToken(manager, { userId: user.id }));
}, 120_000);

afterAll(() => database.close());

afterEach(killBuilt);

async function startListening(variables: Record<string, string> = {}) {
  const server = await runListening({ DATABASE_URL: database.url, ...variables });
  return Object.assign(server, { own: client(server.url, { Authorization: `Bearer ${plainToken}` }) });
}

async function newDraft(own: ReturnType<typeof client>): Promise<string> {
  const created = await own.post('/api/v1/submissions', { form_uuid: built.form.uuid });
  expect(created.status).toBe(201);
  return `/api/v1/submissions/${created.body.data.uuid}`;
}

const stopped = { code: 0, signal: null };
const ended = (server: BuiltService) => within(server.ended, 'the end');

/** Runs `request`, and `meanwhile` once the request waits for the locked table of submissions. */
async function whileWaiting<T>(request: () => Promise<T>, meanwhile: () => Promise<unknown>): Promise<T> {
  return asAnotherProgram(database.connection, async (program) => {
    await program.query('begin');
    await program.query('lock table submissions in exclusive mode');
    const response = request();
    await eventually('the request waits for the table', async () => {
      const [row] = await database.dataSource.query<{ waits: boolean }[]>(
        `select exists (select from pg_stat_activity where datname = current_database()
           and application_name = 'formtrail' and wait_event_type = 'Lock') as waits`,
      );
      return row?.waits;
    });
    await meanwhile();
    await program.query('rollback');
    return response;
  });
}

async function createDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const { connection, prefix } = testServer();
  const name = `${prefix}_${randomBytes(4).toString('hex')}`;
  await asAnotherProgram(connection, (program) => program.query(`create database ${name}`));
  return {
    url: withDatabase({ connectionString: database.url }, name).connectionString ?? '',
    drop: async () => {
      await asAnotherProgram(connection, (program) => program.query(`drop database ${name} with (force)`));
    },
  };
}

/** `act` runs in the service when a server of Node.js begins to listen. */
const onListening = (act: string) => `
  import { Server } from 'node:http';
  const { emit } = Server.prototype;
  Server.prototype.emit = function (name, ...rest) {
    if (name === 'listening') { ${act} }
    return emit.call(this, name, ...rest);
  };
`;

/** Starts a TCP server on a free port of this machine. */
async function listenElsewhere(
  onConnection: (socket: Socket) => void,
): Promise<{ port: number; server: Server }> {
  const server = createServer(onConnection).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, server };
}

describe('a start', () => {
  it('with a migrated database serves, and prints its address and a command to try', async () => {
    const { url, own, stdout, stderr } = await startListening();
    expect((await own.get('/health/ready')).status).toBe(200);
    expect((await own.get('/docs-json')).status).toBe(200);
    expect((await own.get('/docs')).status).toBe(200);
    const path = await newDraft(own);
    expect((await own.get(`${path}/conditions`)).status).toBe(200);

    expect(stderr).toBe('');
    expect(stdout).toContain(`${url}/docs`);
    const tried = /curl -sS (http\S+)/.exec(stdout)?.[1] ?? '';
    expect(tried.startsWith(url)).toBe(true);
    expect((await fetch(tried)).status).toBe(200);
  });

  it('in a terminal logs readable lines', async () => {
    const { stdout, stderr } = await startListening({
      LOG_LEVEL: 'info',
      NO_COLOR: '1',
      NODE_OPTIONS: preload('process.stdout.isTTY = true'),
    });
    expect(stdout).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: listening \{"url":"http[^"]+"\}$/m);
    expect(stderr).toBe('');
  });

  it('with MIGRATE_ON_START=true creates the schema of an empty database, once if two start at once', async () => {
    const empty = await createDatabase();
    try {
      const variables = { DATABASE_URL: empty.url, MIGRATE_ON_START: 'true', LOG_LEVEL: 'info' };
      const servers = await Promise.all([startListening(variables), startListening(variables)]);
      const migrated = servers.flatMap(({ stdout }) =>
        [...stdout.matchAll(/"migration":"(\w+)"/g)].map(([, name]) => name),
      );
      expect(migrated).toEqual(MIGRATIONS.map(({ name }) => name));
      for (const { own } of servers) {
        const { status, body } = await own.get('/api/v1/forms');
        expect([status, body.data]).toEqual([200, []]);
      }
      // The schema exists now, so this server needs no MIGRATE_ON_START.
      const third = await startListening({ DATABASE_URL: empty.url });
      expect((await third.own.get('/health/ready')).status).toBe(200);
      for (const server of [...servers, third]) {
        server.child.kill('SIGTERM');
        expect(await ended(server)).toEqual(stopped);
      }
    } finally {
      await empty.drop();
    }
  });
});

onOneServer('a start with files', () => {
  const storage = filesFolder();
  afterEach(() => storage.remove());

  const warningsOf = ({ stdout }: { stdout: string }) =>
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { level: number; msg: string })
      .filter(({ level }) => level >= 40);

  it('creates a missing folder, and in production warns that it was missing', async () => {
    const variables = { FILES_URL: storage.url, NODE_ENV: 'production' };
    const folder = path.join(storage.folder, 'files');
    expect(warningsOf(await startListening(variables))).toMatchObject([
      { msg: expect.stringContaining(`${folder}, was missing, so the service created it.`) },
    ]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(warningsOf(await startListening(variables))).toEqual([]);
  });

  it('serves without clamd, and warns with its address', async () => {
    const { port, server } = await listenElsewhere(() => undefined);
    server.close();
    await once(server, 'close');
    const CLAMD_URL = `tcp://127.0.0.1:${port}`;
    const service = await startListening({ FILES_URL: storage.url, CLAMD_URL });
    const [warning] = await eventually('it warns', () => {
      const warnings = warningsOf(service);
      return warnings.length > 0 && warnings;
    });
    expect(warning).toMatchObject({
      context: 'Files',
      reason: `connect ECONNREFUSED 127.0.0.1:${port}`,
      msg: `clamd does not respond at ${CLAMD_URL}. New files stay unscanned until it does. Start clamd, or change CLAMD_URL.`,
    });
    expect((await service.own.get('/health/ready')).status).toBe(200);
  });
});

describe('a start fails with status 1 and one sentence because of', () => {
  async function expectRefusal(variables: Record<string, string>, sentence: RegExp) {
    const server = runBuilt(variables);
    expect(await ended(server)).toEqual({ code: 1, signal: null });
    expect(server.stdout).toBe('');
    expect(server.stderr).toMatch(/^formtrail: [^\n]+\.\n$/);
    expect(server.stderr).toMatch(sentence);
    for (const secret of ['hunter2', 'node_modules', '    at ']) expect(server.stderr).not.toContain(secret);
  }

  it.each<[string, Record<string, string>, RegExp]>([
    [
      'a bad escape in DATABASE_URL',
      { DATABASE_URL: 'postgres://u:hunter2%zz@127.0.0.1:1/x' },
      /: .*DATABASE_URL/,
    ],
    [
      'an unreachable database',
      { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x' },
      /: Cannot connect to the database .*Check DATABASE_URL/,
    ],
    ['a bad escape in FILES_URL', { FILES_URL: 'file:///data/%zz' }, /: FILES_URL must be/m],
    ['a bad escape in CLAMD_URL', { CLAMD_URL: 'unix:///run/%zz' }, /: CLAMD_URL must be/m],
    ['a bad escape in REDIS_URL', { REDIS_URL: 'redis://:%zz@127.0.0.1:1' }, /: REDIS_URL must be/m],
  ])('%s', (_, variables, sentence) => expectRefusal({ PORT: '0', ...variables }, sentence));

  it('a server that is no database: it speaks another protocol, is silent or closes the connection', async () => {
    const behaviours: ((socket: Socket) => void)[] = [
      (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      () => undefined,
      (socket) => socket.destroy(),
    ];
    await Promise.all(
      behaviours.map(async (onConnection) => {
        const sockets = new Set<Socket>();
        const { port, server } = await listenElsewhere((socket) => {
          sockets.add(socket.on('error', () => undefined));
          onConnection(socket);
        });
        try {
          const DATABASE_URL = `postgres://u:hunter2@127.0.0.1:${port}/x`;
          await expectRefusal({ PORT: '0', DATABASE_URL }, /: Cannot connect to the database .*DATABASE_URL/);
        } finally {
          for (const socket of sockets) socket.destroy();
          server.close();
        }
      }),
    );
  });

  it('an unreadable certificate, or a database without TLS', async () => {
    const { port, server } = await listenElsewhere((socket) => socket.once('data', () => socket.end('N')));
    try {
      for (const parameters of ['sslmode=verify-full&sslrootcert=/nowhere.pem', 'sslmode=verify-full']) {
        const DATABASE_URL = `postgres://u:hunter2@127.0.0.1:${port}/x?${parameters}`;
        await expectRefusal({ PORT: '0', DATABASE_URL }, /: Cannot connect to the database .*DATABASE_URL/);
      }
    } finally {
      server.close();
    }
  });

  it('pending migrations, and says how to migrate', async () => {
    const empty = await createDatabase();
    try {
      const sentence = /schema.*behind.*db migrate.*MIGRATE_ON_START=true/;
      await expectRefusal({ PORT: '0', DATABASE_URL: empty.url }, sentence);
      const { rows } = await asAnotherProgram({ connectionString: empty.url }, (program) =>
        program.query(`select from pg_tables where schemaname = 'public'`),
      );
      expect(rows).toEqual([]);
    } finally {
      await empty.drop();
    }
  });

  it.each(['PORT', 'METRICS_PORT'])('a %s that is in use', async (name) => {
    const { port, server } = await listenElsewhere(() => undefined);
    try {
      const variables = { DATABASE_URL: database.url, PORT: '0', [name]: String(port) };
      await expectRefusal(variables, new RegExp(`Port ${port} .*in use.*${name}`));
    } finally {
      server.close();
    }
  });

  itOnOneServer('a folder of files that it cannot create', async () => {
    const FILES_URL = `file:///${'x'.repeat(256)}`;
    const sentence = /cannot write to the folder of FILES_URL, \/x+ \(ENAMETOOLONG\)\. Create the folder/;
    await expectRefusal({ DATABASE_URL: database.url, PORT: '0', FILES_URL }, sentence);
  });

  it('a HOST that is not an address of this machine', () =>
    expectRefusal({ DATABASE_URL: database.url, PORT: '0', HOST: '203.0.113.1' }, /203\.0\.113\.1.*HOST/));
});

describe('an uncaught error', () => {
  it.each([
    ['uncaughtException', "throw new Error('out of order')"],
    ['unhandledRejection', "Promise.reject(new Error('out of order'))"],
  ])('ends the server with status 1 and one log line: %s', async (origin, fault) => {
    const server = await startListening({
      NODE_ENV: 'production',
      NODE_OPTIONS: preload(`process.on('SIGUSR2', () => { ${fault}; })`),
    });
    server.child.kill('SIGUSR2');
    expect(await ended(server)).toEqual({ code: 1, signal: null });
    expect(server.stderr).toBe('');
    expect(JSON.parse(server.stdout.trim().split('\n').at(-1)!)).toEqual({
      level: 60,
      time: expect.any(String),
      msg: expect.stringMatching(/uncaught error.+go back/),
      origin,
      err: { type: 'Error', message: 'out of order', stack: expect.stringMatching(/\n +at /) },
    });
  });
});

it('a server in production logs JSON lines, and the summary of repeated lines when the process ends', async () => {
  const server = await startListening({
    NODE_ENV: 'production',
    // Delays the timer of the summaries, so that a summary is logged only when the process ends.
    NODE_OPTIONS: preload(
      `const { setInterval: start } = globalThis;
       globalThis.setInterval = (work, after, ...rest) => start(work, after === 1_000 ? 2 ** 30 : after, ...rest);
       process.on('SIGUSR2', () => process.exit(0));`,
    ),
  });
  for (let request = 0; request < 30; request += 1)
    expect((await server.own.get('/nothing/here')).status).toBe(404);
  server.child.kill('SIGUSR2');
  expect(await ended(server)).toEqual(stopped);
  expect(server.stderr).toBe('');
  const lines = server.stdout.trim().split('\n');
  const logged = lines.map((line) => JSON.parse(line) as { msg: string; status?: number; repeated?: number });
  const url = expect.stringMatching(/^http/) as unknown;
  expect(logged).toContainEqual(expect.objectContaining({ msg: 'listening', url }));
  const refused = logged.filter(({ status }) => status === 404);
  expect(refused.map(({ repeated }) => repeated)).toEqual([undefined, 29]);
});

describe('a server that receives a signal to stop', () => {
  async function expectNoNewConnections(url: string) {
    const { hostname, port } = new URL(url);
    await eventually(
      'nobody is let in any more',
      () =>
        new Promise<boolean>((resolve) => {
          const socket = connect(Number(port), hostname);
          socket.once('connect', () => {
            socket.destroy();
            resolve(false);
          });
          socket.once('error', () => {
            resolve(true);
          });
        }),
    );
  }

  it('before it listens, ends at once with status 0', async () => {
    let isAsked = false;
    const { port, server: silent } = await listenElsewhere((socket) => {
      isAsked = true;
      socket.on('error', () => undefined);
    });
    try {
      const server = runBuilt({ PORT: '0', DATABASE_URL: `postgres://u@127.0.0.1:${port}/x` });
      await eventually('it waits for the database', () => isAsked);
      server.child.kill('SIGTERM');
      expect(await ended(server)).toEqual(stopped);
      expect(server.stdout + server.stderr).toBe('Stopped before the start was complete.\n');
    } finally {
      silent.close();
    }
  });

  it('just when it begins to listen, ends with status 0 too', async () => {
    const server = runBuilt({
      ...{ PORT: '0', DATABASE_URL: database.url },
      NODE_OPTIONS: preload(onListening(`process.kill(process.pid, 'SIGTERM');`)),
    });
    expect(await ended(server)).toEqual(stopped);
  });

  it('ends with status 0 if no request is in flight, even with open connections', async () => {
    const server = await startListening({ LOG_LEVEL: 'info' });
    expect((await server.own.get('/health/ready')).status).toBe(200);
    const [silent, served] = [await openSocket(server.url), await openSocket(server.url)];
    served.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(served, 'data');

    server.child.kill('SIGTERM');
    expect(await ended(server)).toEqual(stopped);
    expect(server.stderr).toBe('');
    expect(server.stdout.trim().split('\n').at(-1)).toContain('"signal":"SIGTERM","msg":"stopping"');
    silent.destroy();
    served.destroy();
    await eventually('no connection to the database is left', async () => {
      const [row] = await database.dataSource.query<{ left: number }[]>(
        `select count(*)::int as left from pg_stat_activity where datname = current_database()
           and application_name = 'formtrail-listener'`,
      );
      return row?.left === 0;
    });
  });

  it('finishes a request whose body is still arriving', async () => {
    const server = await startListening();
    const body = JSON.stringify({ form_uuid: built.form.uuid });
    const socket = await openSocket(server.url);
    const answer: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => answer.push(chunk));
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    socket.write(
      `POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${plainToken}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    // "100 Continue" means that the head of the request has arrived.
    await eventually('the server asks for the body', () =>
      Buffer.concat(answer).toString().includes('100 Continue'),
    );
    socket.write(body.slice(0, 10));

    server.child.kill('SIGTERM');
    await expectNoNewConnections(server.url);
    expect(server.child.exitCode).toBeNull();
    socket.write(body.slice(10));
    await within(closed, 'the answer');
    const text = Buffer.concat(answer).toString();
    expect(readRaw(text.slice(text.indexOf('\r\n\r\n') + 4)).status).toBe(201);
    expect(await ended(server)).toEqual(stopped);
  });

  it('finishes a request that waits for the database on SIGINT', async () => {
    const server = await startListening();
    const draft = await newDraft(server.own);
    const { status, body } = await whileWaiting(
      () => server.own.patch(draft, { meta: { finished: true } }),
      () => {
        server.child.kill('SIGINT');
        return expectNoNewConnections(server.url);
      },
    );
    expect([status, body.data.meta]).toEqual([200, { finished: true }]);
    expect(await ended(server)).toEqual(stopped);
  });
});

describe('the first start on the embedded database', () => {
  let DATA_DIR: string;
  beforeEach(async () => {
    DATA_DIR = await mkdtemp(path.join(tmpdir(), 'formtrail-first-start-'));
  });
  afterEach(() => rm(DATA_DIR, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }));

  /** The signal is sent with the first query that contains `text`. */
  const onQuery = (text: string) => (kill: string) => `
    import { Socket } from 'node:net';
    const { write } = Socket.prototype;
    Socket.prototype.write = function (bytes, ...rest) {
      if (String(bytes).includes('${text}')) { ${kill} }
      return write.call(this, bytes, ...rest);
    };
  `;
  /** The signal is sent with the first write to standard output or standard error that contains \`text\`. */
  const onOutput = (text: string) => (kill: string) => `
    for (const stream of [process.stdout, process.stderr]) {
      const write = stream.write;
      stream.write = function (written, ...rest) {
        if (String(written).includes('${text}')) { ${kill} }
        return write.call(this, written, ...rest);
      };
    }
  `;

  it('lists all example forms from the first request on', async () => {
    const server = await runListening({
      DATA_DIR,
      NODE_OPTIONS: preload(
        onListening(
          `void fetch('http://127.0.0.1:' + this.address().port + '/api/v1/forms')
             .then((response) => response.json())
             .then(({ meta }) => process.stdout.write('first list: ' + meta.total + '\\n'));`,
        ),
      ),
    });
    await eventually('the first response', () => server.stdout.includes('first list: 4\n'));
    server.child.kill('SIGINT');
    expect(await ended(server)).toEqual(stopped);
    expect(server.stdout).toContain(`Stopped. The data stays in ${DATA_DIR}.`);
  });

  it.each<[string, NodeJS.Signals, (kill: string) => string]>([
    ['the database is created', 'SIGINT', onOutput('Creating the database')],
    ['the database starts', 'SIGTERM', onOutput('Starting the database')],
    ['the database is migrated', 'SIGINT', onQuery('create table forms')],
    ['the example forms are imported', 'SIGINT', onQuery('formtrail import')],
    ['the example forms are imported', 'SIGTERM', onQuery('formtrail import')],
    ['it begins to listen', 'SIGINT', onListening],
  ])('is ended while %s by %s, cleanly, with one line, and can be repeated', async (_, signal, sendOn) => {
    const variables = { PORT: '0', LOG_LEVEL: 'info', DATA_DIR };
    const NODE_OPTIONS = preload(sendOn(`globalThis.isSent ||= process.kill(process.pid, '${signal}');`));
    const server = runBuilt({ ...variables, NODE_OPTIONS });
    expect(await ended(server)).toEqual(stopped);
    expect(server.stderr.split('\n').slice(-2)).toEqual(['Stopped before the start was complete.', '']);
    expect(server.stderr + server.stdout).not.toMatch(/Error|error|report/);
    expect(existsSync(path.join(DATA_DIR, 'postgres/postmaster.pid'))).toBe(false);

    const again = await runListening(variables);
    const { body } = await client(again.url).get('/api/v1/forms');
    expect(body.meta.total).toBe(4);
    // The first start prints the token if it had issued it when the signal arrived.
    expect(server.stdout + again.stdout).toMatch(/Token {5}ftk_/);
    again.child.kill('SIGTERM');
    expect(await ended(again)).toEqual(stopped);
  });
});

describe('a server whose Redis never responds', () => {
  it('starts and serves, logs one warning without the password, and ends with status 0', async () => {
    const { port, server: silent } = await listenElsewhere(() => undefined);
    try {
      const server = await startListening({
        REDIS_URL: `redis://:hunter2@127.0.0.1:${port}`,
        THROTTLE_USER_LIMIT: '5',
      });
      const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => server.own.get('/api/v1/forms')));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429]);
      server.child.kill('SIGTERM');
      expect(await ended(server)).toEqual(stopped);
      const said = server.stdout.split('\n').filter((line) => line.includes('Rate limits cannot be counted'));
      expect(said).toHaveLength(1);
      expect(said[0]).toMatch(/no reply within \d+ ms.+each instance counts its own requests/);
      expect(server.stdout + server.stderr).not.toContain('hunter2');
      expect(server.stderr).toBe('');
    } finally {
      silent.close();
    }
  });
});

describe('a server with METRICS_PORT', () => {
  it('logs the URL of its metrics, and serves them until the last request has finished', async () => {
    const server = await startListening({ METRICS_PORT: '0', LOG_LEVEL: 'info' });
    // The line may be logged after the welcome.
    const line = await eventually('it logs', () => /^\{.*metricsUrl.*\}$/m.exec(server.stdout)?.[0]);
    const { metricsUrl } = JSON.parse(line) as { metricsUrl: string };
    const scrape = async () => (await fetch(metricsUrl)).text();
    const draft = await newDraft(server.own);
    expect(await scrape()).toContain('route="/api/v1/submissions",status="201"} 1');

    // Allow 2 connections, because the scrape may use a connection itself.
    const inUse = /^formtrail_database_pool_connections\{state="in_use"\} [12]$/m;
    const { status } = await whileWaiting(
      () => server.own.patch(draft, { meta: { finished: true } }),
      async () => {
        server.child.kill('SIGTERM');
        await eventually('it stops', () => server.stdout.includes('"stopping"'));
        expect(await scrape()).toMatch(inUse);
      },
    );
    expect(status).toBe(200);
    expect(await ended(server)).toEqual(stopped);
    expect(server.stderr).toBe('');
  });
});

describe('a server that loses its database', () => {
  it('keeps running, even if it loses it during a transaction, and serves again', async () => {
    const proxy = await startDatabaseProxy(database.connection);
    try {
      const server = await startListening({ DATABASE_URL: proxy.url, LOG_LEVEL: 'warn' });
      const draft = await newDraft(server.own);
      let advance: ReturnType<typeof server.own.post> | undefined;
      await whileWaiting(
        () => (advance = server.own.post(`${draft}/advance`, undefined, { 'Idempotency-Key': 'once' })),
        async () => {
          await proxy.refuse();
          const { status, headers } = await advance!;
          expect(status).toBe(503);
          expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
        },
      );
      expect((await server.own.get(draft)).status).toBe(503);
      expect((await server.own.get('/health/live')).status).toBe(200);

      await proxy.heal();
      await eventually('it serves again', async () => (await server.own.get(draft)).status === 200);
      expect(server.child.exitCode).toBeNull();
      expect(server.stderr).toBe('');
      server.child.kill('SIGTERM');
      expect(await ended(server)).toEqual(stopped);
    } finally {
      await proxy.close();
    }
  });
});
