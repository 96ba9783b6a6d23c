import type { NetConnectOpts } from 'node:net';
import pg from 'pg';
import type { Connection } from '../../src/database/connection.js';
import { type Proxy, startProxy } from './proxy.js';

export interface DatabaseProxy extends Omit<Proxy, 'redirect'> {
  /** The database by way of the proxy, over TCP whatever the database itself listens on. */
  readonly connection: Connection;
  readonly url: string;
  /** Leads new connections to another server, as an address does after a failover. Those that exist stay. */
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
  // pg knows every way in which a connection can be written.
  const { host, port } = new pg.Client(connection);
  return host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${port}` }
    : { host: host === '' ? 'localhost' : host, port };
}
