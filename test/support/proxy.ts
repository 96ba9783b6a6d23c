import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import pg from 'pg';
import type { Connection } from '../../src/database/data-source.js';

type Mode = 'forward' | 'swallow';

/** A way to the database that a test can disturb. It begins undisturbed. */
export interface DatabaseProxy {
  /** The database by way of the proxy, over TCP whatever the database itself listens on. */
  readonly connection: Connection;
  readonly url: string;
  /** Resets every connection; new ones are welcome. */
  cut(): void;
  /** Resets every connection and refuses new ones. */
  refuse(): Promise<void>;
  /** Loses whatever is sent from now on, either way and without a word, as a broken network does. */
  swallow(): void;
  /** Serves new connections again. Those that were swallowed stay dead, and nobody is told. */
  heal(): Promise<void>;
  /** Leads new connections to another server, as an address does after a failover. Those that exist stay. */
  redirect(connection: Connection): void;
  close(): Promise<void>;
}

function addressOf(connection: Connection): NetConnectOpts {
  // pg knows every way in which a connection can be written.
  const { host, port } = new pg.Client(connection);
  return host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${port}` }
    : { host: host === '' ? 'localhost' : host, port };
}

export async function startProxy(connection: Connection): Promise<DatabaseProxy> {
  const { user, password, database } = new pg.Client(connection);
  let target = addressOf(connection);
  const sockets = new Set<Socket>();
  let mode: Mode = 'forward';

  const server = createServer((inside) => {
    const outside = connect(target);
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => undefined);
      const isCurrent = trackMode(from);
      from.on('data', (chunk: Buffer) => {
        if (isCurrent()) to.write(chunk);
      });
      from.on('close', () => {
        sockets.delete(from);
        // Nobody hears of an end beyond a broken network.
        if (isCurrent()) to.destroy();
      });
    }
  });

  const swallowed = new WeakSet<Socket>();
  function trackMode(socket: Socket): () => boolean {
    if (mode === 'swallow') swallowed.add(socket);
    return () => !swallowed.has(socket);
  }

  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
  };
  const stopListening = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  };
  const cut = () => {
    for (const socket of sockets) {
      swallowed.delete(socket);
      // A Unix socket has no reset, and one that is ending cannot be reset: the process would never end.
      if (socket.remoteAddress === undefined || socket.writableEnded) socket.destroy();
      else socket.resetAndDestroy();
    }
  };

  await listen(0);
  const { port: ownPort } = server.address() as AddressInfo;
  const secret = typeof password === 'string' ? `:${encodeURIComponent(password)}` : '';
  return {
    connection: {
      host: '127.0.0.1',
      port: ownPort,
      user: user ?? '',
      database: database ?? '',
      ...(typeof password === 'string' && { password }),
    },
    url: `postgres://${encodeURIComponent(user ?? '')}${secret}@127.0.0.1:${ownPort}/${database}`,
    cut,
    refuse: stopListening,
    swallow: () => {
      mode = 'swallow';
      for (const socket of sockets) swallowed.add(socket);
    },
    heal: async () => {
      mode = 'forward';
      if (!server.listening) await listen(ownPort);
    },
    redirect: (other) => {
      target = addressOf(other);
    },
    close: stopListening,
  };
}
