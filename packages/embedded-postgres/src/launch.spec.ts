import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { processExists } from './postmaster-file.js';
import { closedPath } from './server-account.js';
import { embeddedServers, query, serverPid, serverRuns } from './testing.js';
import { eventually } from '../../../test/support/eventually.js';

/**
 * Another user can start the server only with access to the checkout. Other users have no access to root's home
 * directory.
 */
const isOpenToOthers = closedPath(__dirname, { uid: 65534, gid: 65534 }) === undefined;
const describeAsRoot = process.geteuid?.() === 0 && isOpenToOthers ? describe : describe.skip;

const servers = embeddedServers();
const { freshDirectory, open } = servers;
/** A data directory with a stopped server. Every test that starts this server must stop it again. */
let ready: string;

beforeAll(async () => {
  ready = path.join(servers.base, 'ready');
  await (await open(ready)).release();
});

const ONE = [{ n: 1 }];
const ask = (connection: pg.ClientConfig) => query(connection, 'select 1 as n');

/** Copies a data directory, for tests that would damage the shared directory. */
async function copied(dataDir: string): Promise<string> {
  const copy = await freshDirectory();
  await cp(dataDir, copy, { recursive: true });
  await chmod(path.join(copy, 'postgres'), 0o700);
  return copy;
}

/** Starts a process that opens the database, prints "open", and releases the database when the process's input ends. */
async function startProcess(dataDir: string): Promise<ChildProcess> {
  const script = `import { openEmbeddedPostgres } from '${path.resolve(__dirname, '../dist/index.js')}';
     const database = await openEmbeddedPostgres({ dataDir: process.argv[1] });
     console.log('open');
     process.stdin.resume().on('end', () => database.release());`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  servers.children.push(child);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await eventually('the process has opened the database', () => output.includes('open'));
  return child;
}

describe('a first start', () => {
  it('by two callers at once creates one cluster, whose server runs until the last release', async () => {
    const dataDir = await freshDirectory();
    await mkdir(path.join(dataDir, 'postgres.new-99999999-0'), { recursive: true });
    const [one, other] = await Promise.all([open(dataDir), open(dataDir)]);
    await query(one.connection, 'create table shared as select 1 as n');
    await one.release();
    expect(await query(other.connection, 'select n from shared')).toEqual(ONE);
    await other.release();
    expect(await serverRuns(dataDir)).toBe(false);
    expect(await readdir(dataDir)).toEqual(['postgres', 'postgres.log']);
  });

  it('puts the socket into another directory if its path would be too long, and removes that directory', async () => {
    const dataDir = path.join(servers.base, 'x'.repeat(60), 'y'.repeat(60), '.data');
    await mkdir(dataDir, { recursive: true });
    const { connection, release } = await open(dataDir);
    expect(Buffer.byteLength(connection.host)).toBeLessThan(94);
    expect(await ask(connection)).toEqual(ONE);
    await release();
    await expect(stat(connection.host)).rejects.toThrow('ENOENT');
  });

  it('uses the loopback and a password if there are no sockets', async () => {
    const dataDir = await freshDirectory();
    const { connection, release } = await open(dataDir, {}, { transport: 'tcp' });
    expect(connection).toMatchObject({
      host: '127.0.0.1',
      password: expect.stringMatching(/^\S{32}$/) as string,
    });
    expect((await stat(path.join(dataDir, 'postgres', 'formtrail-password'))).mode & 0o777).toBe(0o600);
    await expect(ask({ ...connection, password: 'guessed' })).rejects.toThrow(
      'password authentication failed',
    );
    const joined = await open(dataDir, {}, { transport: 'tcp' });
    expect(joined.connection).toEqual(connection);
    await Promise.all([release(), joined.release()]);
    expect(await serverRuns(dataDir)).toBe(false);
  });
});

describe('a running server', () => {
  it('can be joined after the process that started it was killed, and is stopped by its last user', async () => {
    const starter = await startProcess(ready);
    const pid = await serverPid(ready);
    starter.kill('SIGKILL');
    await eventually('the process has ended', () => starter.signalCode !== null);
    const { connection, release } = await open(ready);
    expect(await ask(connection)).toEqual(ONE);
    expect(await serverPid(ready)).toBe(pid);
    await release();
    await eventually('the server has ended', () => !processExists(pid));
  });

  it('keeps running for another process, which then stops it', async () => {
    const { release } = await open(ready);
    const other = await startProcess(ready);
    await release();
    expect(await serverRuns(ready)).toBe(true);
    other.stdin?.end();
    await eventually('the process has ended', () => other.exitCode === 0);
    expect(await serverRuns(ready)).toBe(false);
  });

  it('keeps running for a connection of another program', async () => {
    const { connection, release } = await open(ready);
    const client = new pg.Client(connection);
    await client.connect();
    await release();
    expect((await client.query('select 1 as n')).rows).toEqual(ONE);
    await client.end();
    await (await open(ready)).release();
    expect(await serverRuns(ready)).toBe(false);
  });

  it('is started again for a process that opens it while it stops', async () => {
    const leaving = await open(ready);
    const [, joining] = await Promise.all([leaving.release(), open(ready)]);
    expect(await ask(joining.connection)).toEqual(ONE);
  });

  it('can be released without an error after it was killed, and opened again', async () => {
    const { release } = await open(ready);
    const pid = await serverPid(ready);
    process.kill(pid, 'SIGKILL');
    await eventually('the server has ended', () => !processExists(pid));
    await release();
    expect(await ask((await open(ready)).connection)).toEqual(ONE);
  });

  it('is stopped even if it has restarted after a crash', async () => {
    const { connection, release } = await open(ready);
    const crashing = new pg.Client(connection);
    crashing.on('error', () => undefined);
    await crashing.connect();
    const { rows } = await crashing.query<{ pid: number }>('select pg_backend_pid() as pid');
    const over = new Promise<void>((resolve) => crashing.on('end', resolve));
    process.kill(rows[0]!.pid, 'SIGKILL');
    await over;
    await eventually('the server responds again', () => ask(connection).then(Boolean, () => false));
    expect(await serverRuns(ready)).toBe(true);
    await release();
    expect(await serverRuns(ready)).toBe(false);
  });

  it('is not mistaken for the server of a copied data directory', async () => {
    const copy = await copied(ready);
    const original = await open(ready);
    // Copies only this file of the running server, because the server's other files would change during a copy.
    await cp(path.join(ready, 'postgres', 'postmaster.pid'), path.join(copy, 'postgres', 'postmaster.pid'));
    const { connection } = await open(copy);
    expect(connection.host).not.toBe(original.connection.host);
    expect(await serverPid(copy)).not.toBe(await serverPid(ready));
  });
});

describe('a data directory', () => {
  it('may have a postmaster.pid whose pid now belongs to another process', async () => {
    const cluster = path.join(ready, 'postgres');
    const named = ['-e', 'process.stdin.resume()', '--', `postgres -D ${cluster}`];
    const stranger = spawn(process.execPath, named, { stdio: 'pipe' });
    servers.children.push(stranger);
    await writeFile(
      path.join(cluster, 'postmaster.pid'),
      `${stranger.pid}\n${cluster}\n1795259055\n5432\n${cluster}\n\n`,
    );
    expect(await ask((await open(ready)).connection)).toEqual(ONE);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
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
    expect(await ask((await open(dataDir, {}, overrides)).connection)).toEqual(ONE);
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
    await expect(open(dataDir, {}, overrides)).rejects.toThrow(`has no access to ${closed}.`);
  });
});
