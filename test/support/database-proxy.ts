import type { NetConnectOpts } from 'node:net';
import pg from 'pg';
import type { Connection } from '../../src/database/connection.js';
import { type Proxy, startProxy } from './proxy.js';

export interface DatabaseProxy extends Omit<Proxy, 'redirect'> {
  /** Connects to the database through the proxy over TCP, even if the database listens on a Unix socket. */
  readonly connection: Connection;
  readonly url: string;
  /** Sends new connections to another server, as after a failover. Existing connections stay. */
  redirect(to: Connection): void;
}

export async function startDatabaseProxy(connection: Connection): Promise<DatabaseProxy> {
  const { user, password, database } = new pg.Client(connection);
  const proxy = await startProxy(addressOf(connection));
  const secret = typeof password === 'string' ? `:${encodeURIComponent(password)}` : '';
  return {
    ...proxy,
    redirect: (to) => {
      proxy.redirect(addressOf(to));
    },
    connection: {
      host: '127.0.0.1',
      port: proxy.port,
      user: user ?? '',
      database: database ?? '',
      ...(typeof password === 'string' && { password }),
    },
    url: `postgres://${encodeURIComponent(user ?? '')}${secret}@127.0.0.1:${proxy.port}/${database}`,
  };
}

function addressOf(connection: Connection): NetConnectOpts {
  // pg parses every form of connection settings.
  const { host, port } = new pg.Client(connection);
  return host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${port}` }
    : { host: host === '' ? 'localhost' : host, port };
}
