import type { ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, openEmbeddedPostgres } from './index.js';
import type { EmbeddedPostgresOptions, LauncherOverrides } from './launcher-options.js';
import { isServerProcess, readPostmasterFile } from './postmaster-file.js';

type Options = Omit<EmbeddedPostgresOptions, 'dataDir'>;

/** A folder for data directories. After each test, servers are released and child processes are killed. */
export function embeddedServers() {
  const opened: EmbeddedPostgres[] = [];
  const children: ChildProcess[] = [];
  const use = {
    base: '',
    children,
    freshDirectory: async (prefix = 'd'): Promise<string> => {
      const parent = await mkdtemp(path.join(use.base, prefix));
      // If root has no user namespaces, the server runs as another user, who needs access.
      await chmod(parent, 0o755);
      return path.join(parent, '.data');
    },
    open: async (dataDir: string, options: Options = {}, overrides?: LauncherOverrides) => {
      const database = await openEmbeddedPostgres({ dataDir, ...options }, overrides);
      opened.push(database);
      return database;
    },
  };
  beforeAll(async () => {
    use.base = await realpath(await mkdtemp(path.join(os.tmpdir(), 'formtrail-spec-')));
    await chmod(use.base, 0o755);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const database of opened.splice(0)) await database.release();
  });
  afterAll(() => rm(use.base, { recursive: true }));
  return use;
}

export async function query(connection: pg.ClientConfig | string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(connection);
  // pg also emits the error as an event. Ignore the event, because the query rejects with the same error.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<pg.QueryResultRow>(sql)).rows;
  } finally {
    await client.end();
  }
}

export async function serverPid(dataDir: string): Promise<number> {
  return (await readPostmasterFile(path.join(dataDir, 'postgres')))?.pid ?? 0;
}

export async function serverRuns(dataDir: string): Promise<boolean> {
  const pid = await serverPid(dataDir);
  return pid !== 0 && isServerProcess(path.join(dataDir, 'postgres'), pid);
}
