import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Connection } from '../../src/database/connection.js';
import { eventually } from './eventually.js';
import { startDatabaseProxy } from './database-proxy.js';
import { asAnotherProgram } from './test-server.js';

const NOBODY = 65_534;

export interface Pooler {
  readonly connection: Connection;
  close(): Promise<void>;
}

export function isPgBouncerInstalled(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts PgBouncer in transaction mode, with `size` connections to the database. */
export async function startPooler(target: Connection, size: number): Promise<Pooler> {
  // PgBouncer connects over TCP, because it does not run as root and could not open the embedded server's socket.
  const proxy = await startDatabaseProxy(target);
  const { host, port, user, password, database } = proxy.connection;
  const directory = await mkdtemp(path.join(tmpdir(), 'formtrail-pooler-'));
  const file = path.join(directory, 'pgbouncer.ini');
  const secret = typeof password === 'string' ? ` password=${password}` : '';
  await writeFile(
    file,
    `[databases]
${database} = host=${host} port=${port} user=${user}${secret}
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = ${directory}
auth_type = any
pool_mode = transaction
default_pool_size = ${size}
max_client_conn = 1000
`,
  );
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const owned of [directory, file]) chownSync(owned, NOBODY, NOBODY);
  const child = spawn('pgbouncer', ['--quiet', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
  const ended = once(child, 'close');
  const connection: Connection = { host: directory, port: 6432, user: 'anyone', database: database ?? '' };
  await eventually('the pooler answers', () =>
    asAnotherProgram(connection, (client) => client.query('select 1')).then(
      () => true,
      () => false,
    ),
  );
  return {
    connection,
    close: async () => {
      child.kill('SIGKILL');
      await ended;
      await proxy.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
