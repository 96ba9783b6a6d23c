import { transformFile } from '@swc/core';
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, EmbeddedPostgresError, openEmbeddedPostgres } from './embedded-postgres.js';
import { type LauncherOverrides } from './launcher-options.js';
import { isServerOf, processExists, readPostmasterFile } from './postmaster-file.js';
import { closedPath } from './server-account.js';

jest.setTimeout(30_000);

/**
 * Another user can start the server only with access to the checkout. Other users have no access to root's home
 * directory.
 */
const isOpenToOthers = closedPath(__dirname, { uid: 65534, gid: 65534 }) === undefined;
const describeAsRoot = process.geteuid?.() === 0 && isOpenToOthers ? describe : describe.skip;

/** The directory for everything that these tests create. */
let base: string;
/** A data directory with a stopped server. Every test that starts this server must stop it again. */
let ready: string;
let opened: EmbeddedPostgres[] = [];
let children: ChildProcess[] = [];

beforeAll(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), 'formtrail-spec-')));
  // If root has no user namespaces, the server runs as another user, who needs access.
  await chmod(base, 0o755);
  ready = path.join(base, 'ready');
  await (await openEmbeddedPostgres({ dataDir: ready })).release();
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const database of opened) await database.release();
  opened = [];
  children = [];
});

afterAll(() => rm(base, { recursive: true }));

async function freshDirectory(prefix = 'd'): Promise<string> {
  const parent = await mkdtemp(path.join(base, prefix));
  await chmod(parent, 0o755);
  return path.join(parent, '.data');
}

/** Copies a data directory, for tests that would damage the shared directory. */
async function copied(dataDir: string): Promise<string> {
  const copy = await freshDirectory();
  await cp(dataDir, copy, { recursive: true });
  await chmod(path.join(copy, 'postgres'), 0o700);
  return copy;
}

async function open(dataDir: string, overrides?: LauncherOverrides): Promise<EmbeddedPostgres> {
  const database = await openEmbeddedPostgres({ dataDir }, overrides);
  opened.push(database);
  return database;
}

async function ask<Row extends pg.QueryResultRow>(database: EmbeddedPostgres, sql: string): Promise<Row[]> {
  const client = new pg.Client(database.connection);
  // pg also emits the error as an event. Ignore the event, because the query rejects with the same error.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

const serverPid = async (dataDir: string): Promise<number> =>
  (await readPostmasterFile(path.join(dataDir, 'postgres')))?.pid ?? 0;

async function serverRuns(dataDir: string): Promise<boolean> {
  const cluster = path.join(dataDir, 'postgres');
  const pid = await serverPid(dataDir);
  return pid !== 0 && isServerOf(cluster, pid);
}

async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('The condition did not become true within 10 s.');
    await sleep(10);
  }
}

describe('a first start', () => {
  it('creates the database, and a second start finds the stored rows', async () => {
    const dataDir = path.join(await mkdtemp(path.join(base, 'o\'dd, "näme" ')), '.data');
    await chmod(path.dirname(dataDir), 0o755);
    const sentences: string[] = [];
    const onProgress = (sentence: string): number => sentences.push(sentence);
    const first = await openEmbeddedPostgres({ dataDir, onProgress });
    opened.push(first);
    const [settings] = await ask(
      first,
      `select current_database() as name, current_user as role, lower('ÄÖ') as lower,
              current_setting('server_encoding') as encoding, current_setting('TimeZone') as zone,
              current_setting('fsync') as fsync, current_setting('listen_addresses') as addresses`,
    );
    expect(settings).toEqual({
      ...{ name: 'formtrail', role: 'formtrail', lower: 'äö', encoding: 'UTF8', zone: 'UTC' },
      ...{ fsync: 'on', addresses: '' },
    });
    await ask(first, 'create table kept as select 42 as answer');
    await first.release();
    await first.release();
    await expect(serverRuns(dataDir)).resolves.toBe(false);
    const modes = await Promise.all(
      [dataDir, first.connection.host].map(async (place) => (await stat(place)).mode),
    );
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o700]);

    const second = await openEmbeddedPostgres({ dataDir, onProgress });
    opened.push(second);
    await expect(ask(second, 'select answer from kept')).resolves.toEqual([{ answer: 42 }]);
    expect(sentences).toEqual([
      `Creating the database in ${dataDir} (first start)`,
      'Starting the database',
      'Starting the database',
    ]);
  });

  it('by two callers at once creates one cluster, whose server runs until the last release', async () => {
    const dataDir = await freshDirectory();
    const unfinished = path.join(dataDir, 'postgres.new-99999999-0');
    await mkdir(unfinished, { recursive: true });
    const [one, other] = await Promise.all([open(dataDir), open(dataDir)]);
    await ask(one, 'create table shared as select 1 as n');
    await one.release();
    await expect(ask(other, 'select n from shared')).resolves.toEqual([{ n: 1 }]);
    await other.release();
    await expect(serverRuns(dataDir)).resolves.toBe(false);
    await expect(readdir(dataDir)).resolves.toEqual(['postgres', 'postgres.log']);
  });

  it('puts the socket into another directory if its path would be too long, and removes that directory', async () => {
    const dataDir = path.join(base, 'x'.repeat(60), 'y'.repeat(60), '.data');
    await mkdir(dataDir, { recursive: true });
    const database = await open(dataDir);
    expect(Buffer.byteLength(database.connection.host)).toBeLessThan(94);
    await expect(ask(database, 'select 1 as n')).resolves.toEqual([{ n: 1 }]);
    await database.release();
    await expect(stat(database.connection.host)).rejects.toThrow('ENOENT');
  });

  it('uses the loopback and a password if there are no sockets', async () => {
    const dataDir = await freshDirectory();
    const first = await open(dataDir, { transport: 'tcp' });
    expect(first.connection).toMatchObject({
      host: '127.0.0.1',
      password: expect.stringMatching(/^\S{32}$/) as string,
    });
    expect((await stat(path.join(dataDir, 'postgres', 'formtrail-password'))).mode & 0o777).toBe(0o600);
    const intruder = { ...first, connection: { ...first.connection, password: 'guessed' } };
    await expect(ask(intruder, 'select 1')).rejects.toThrow('password authentication failed');
    const joined = await open(dataDir, { transport: 'tcp' });
    expect(joined.connection).toEqual(first.connection);
    await Promise.all([first.release(), joined.release()]);
    await expect(serverRuns(dataDir)).resolves.toBe(false);
  });

  it('also listens on the configured port of the loopback, with a password', async () => {
    const dataDir = await copied(ready);
    const options = (port: number) => ({ dataDir, port });
    const database = await openEmbeddedPostgres(options(0));
    opened.push(database);
    const url = new URL(database.url);
    expect(database.connection.host).toBe(path.join(dataDir, 'postgres'));
    expect(url).toMatchObject({ hostname: '127.0.0.1', port: String(database.connection.port) });
    const asking = (connectionString: string) =>
      ask({ ...database, connection: { connectionString } as never }, 'select 1 as n');
    await expect(asking(database.url)).resolves.toEqual([{ n: 1 }]);
    url.password = 'guessed';
    await expect(asking(url.href)).rejects.toThrow('password authentication failed');

    const joined = await openEmbeddedPostgres(options(database.connection.port));
    opened.push(joined, await open(dataDir));
    expect(opened.map((one) => one.url)).toEqual(opened.map(() => database.url));
    await expect(openEmbeddedPostgres(options(1))).rejects.toThrow('does not listen on port 1. Stop');
    const taken = { dataDir: ready, port: database.connection.port };
    await expect(openEmbeddedPostgres(taken)).rejects.toThrow(/EADDRINUSE.* Set another DATABASE_PORT/);
  });
});

describe('a running server', () => {
  it('can be joined after the process that started it was killed, and is stopped by its last user', async () => {
    const starter = await startProcess(ready);
    const pid = await serverPid(ready);
    starter.kill('SIGKILL');
    await eventually(() => starter.signalCode !== null);
    const database = await open(ready);
    await expect(ask(database, 'select 1 as n')).resolves.toEqual([{ n: 1 }]);
    await expect(serverPid(ready)).resolves.toBe(pid);
    await database.release();
    await eventually(() => !processExists(pid));
  });

  it('keeps running for another process, which then stops it', async () => {
    const database = await open(ready);
    const other = await startProcess(ready);
    await database.release();
    await expect(serverRuns(ready)).resolves.toBe(true);
    other.stdin?.end();
    await eventually(() => other.exitCode === 0);
    await expect(serverRuns(ready)).resolves.toBe(false);
  });

  it('keeps running for a connection of another program', async () => {
    const database = await open(ready);
    const client = new pg.Client(database.connection);
    await client.connect();
    await database.release();
    await expect(client.query('select 1 as n')).resolves.toMatchObject({ rows: [{ n: 1 }] });
    await client.end();
    await (await open(ready)).release();
    await expect(serverRuns(ready)).resolves.toBe(false);
  });

  it('is started again for a process that opens it while it stops', async () => {
    const leaving = await open(ready);
    const [, joining] = await Promise.all([leaving.release(), open(ready)]);
    await expect(ask(joining, 'select 1 as n')).resolves.toEqual([{ n: 1 }]);
  });

  it('can be released without an error after it was killed, and opened again', async () => {
    const database = await open(ready);
    const pid = await serverPid(ready);
    process.kill(pid, 'SIGKILL');
    await eventually(() => !processExists(pid));
    await expect(database.release()).resolves.toBeUndefined();
    const next = await open(ready);
    await expect(ask(next, 'select 1 as n')).resolves.toEqual([{ n: 1 }]);
  });

  it('is stopped even if it has restarted after a crash', async () => {
    const database = await open(ready);
    const crashing = new pg.Client(database.connection);
    crashing.on('error', () => undefined);
    await crashing.connect();
    const { rows } = await crashing.query<{ pid: number }>('select pg_backend_pid() as pid');
    const over = new Promise<void>((resolve) => crashing.on('end', resolve));
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
    await over;
    await eventually(() => ask(database, 'select 1').then(Boolean, () => false));
    await expect(serverRuns(ready)).resolves.toBe(true);
    await database.release();
    await expect(serverRuns(ready)).resolves.toBe(false);
  });

  it('is not mistaken for the server of a copied data directory', async () => {
    const copy = await copied(ready);
    const original = await open(ready);
    // Copies only this file of the running server, because the server's other files would change during a copy.
    await cp(path.join(ready, 'postgres', 'postmaster.pid'), path.join(copy, 'postgres', 'postmaster.pid'));
    const database = await open(copy);
    expect(database.connection.host).not.toBe(original.connection.host);
    expect(await serverPid(copy)).not.toBe(await serverPid(ready));
  });
});

describe('a data directory', () => {
  it('may have a postmaster.pid whose pid now belongs to another process', async () => {
    const cluster = path.join(ready, 'postgres');
    const stranger = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: 'pipe' });
    children.push(stranger);
    await writeFile(
      path.join(cluster, 'postmaster.pid'),
      `${stranger.pid}\n${cluster}\n1795259055\n5432\n${cluster}\n\n`,
    );
    const database = await open(ready);
    await expect(ask(database, 'select 1 as n')).resolves.toEqual([{ n: 1 }]);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
  });

  it.each([
    ['of another version', { PG_VERSION: '17\n' }, /created by PostgreSQL 17, but this is 18/],
    ['with other files', { 'notes.txt': '' }, /has files that are not a PostgreSQL database/],
  ])('%s is rejected', async (_, files, sentence) => {
    const dataDir = await freshDirectory();
    await mkdir(path.join(dataDir, 'postgres'), { recursive: true });
    for (const [name, text] of Object.entries(files))
      await writeFile(path.join(dataDir, 'postgres', name), text);
    const rejected = open(dataDir);
    await expect(rejected).rejects.toThrow(sentence);
    await expect(rejected).rejects.toBeInstanceOf(EmbeddedPostgresError);
  });

  it('with an invalid configuration is reported with the message of PostgreSQL', async () => {
    const configuration = path.join(ready, 'postgres', 'postgresql.conf');
    const sound = await readFile(configuration);
    await writeFile(configuration, 'nonsense = 1\n', { flag: 'a' });
    await expect(open(ready)).rejects.toThrow(
      /could not start.*unrecognized configuration parameter "nonsense"/,
    );
    await writeFile(configuration, sound);
  });

  it('gets a new log if the old one is too large', async () => {
    const log = path.join(ready, 'postgres.log');
    await writeFile(log, Buffer.alloc(11 * 1024 * 1024, 'x'));
    await (await open(ready)).release();
    expect((await stat(log)).size).toBeLessThan(100_000);
    expect(await readFile(log, 'utf8')).toContain('database system is ready');
  });
});

describeAsRoot('root without user namespaces', () => {
  const overrides = { allowNamespaces: false };

  it('makes an ordinary user the owner of the data directory', async () => {
    const dataDir = await copied(ready);
    const database = await open(dataDir, overrides);
    await expect(ask(database, 'select 1 as n')).resolves.toEqual([{ n: 1 }]);
    const owners = ['.', 'postgres', 'postgres/base', 'postgres/PG_VERSION', 'postgres.log'].map(
      async (name) => (await stat(path.join(dataDir, name))).uid,
    );
    expect(new Set(await Promise.all(owners)).size).toBe(1);
    await expect(owners[0]).resolves.toBeGreaterThan(0);
  });

  it('reports the directory that this user cannot access', async () => {
    const dataDir = await freshDirectory();
    const closed = path.dirname(dataDir);
    await chmod(closed, 0o700);
    await expect(open(dataDir, overrides)).rejects.toThrow(`has no access to ${closed}.`);
  });
});

/**
 * Starts a process that opens the database, prints "open", and releases the database when the process's input ends.
 */
async function startProcess(dataDir: string): Promise<ChildProcess> {
  const script = await compiledUser();
  const child = spawn(process.execPath, [script, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await eventually(() => output.includes('open'));
  return child;
}

/**
 * Compiles the launcher to ES modules for Node.js, because Jest transforms the sources to CommonJS. Returns the path
 * of the script.
 */
async function compiledUser(): Promise<string> {
  const sources = path.join(process.cwd(), 'src');
  const embedded = 'embedded';
  const compiled = await mkdtemp(path.join(base, 'compiled'));
  for (const folder of [embedded, 'process']) await mkdir(path.join(compiled, folder));
  const names = (await readdir(path.join(sources, embedded))).map((name) => path.join(embedded, name));
  for (const name of ['process/close-all.ts', ...names]) {
    if (!name.endsWith('.ts') || name.endsWith('.spec.ts')) continue;
    const { code } = await transformFile(path.join(sources, name), {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'es6' },
    });
    await writeFile(path.join(compiled, name.replace(/\.ts$/, '.js')), code);
  }
  await writeFile(path.join(compiled, 'package.json'), '{ "type": "module" }');
  await symlink(path.join(process.cwd(), 'node_modules'), path.join(compiled, 'node_modules'));
  const script = path.join(compiled, embedded, 'user.js');
  await writeFile(
    script,
    `import { openEmbeddedPostgres } from './embedded-postgres.js';
     const database = await openEmbeddedPostgres({ dataDir: process.argv[2] });
     console.log('open');
     process.stdin.resume().on('end', () => database.release());`,
  );
  return script;
}
