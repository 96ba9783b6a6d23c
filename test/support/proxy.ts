import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

type Mode = 'forward' | 'swallow' | 'lose answers';

/** A way to a server that a test can disturb. It begins undisturbed. */
export interface Proxy {
  /** Of 127.0.0.1. */
  readonly port: number;
  /** Resets every connection; new ones are welcome. */
  cut(): void;
  /** Resets every connection and refuses new ones. */
  refuse(): Promise<void>;
  /** Loses whatever is sent from now on, either way and without a word, as a broken network does. */
  swallow(): void;
  /** Loses what the server sends from now on, while it goes on getting what is sent to it. */
  loseAnswers(): void;
  /** Serves new connections again. Those that were swallowed stay dead, and nobody is told. */
  heal(): Promise<void>;
  /** Leads new connections to another server, as an address does after a failover. Those that exist stay. */
  redirect(address: NetConnectOpts): void;
  close(): Promise<void>;
}

export async function startProxy(address: NetConnectOpts): Promise<Proxy> {
  let target = address;
  const sockets = new Set<Socket>();
  const answering = new WeakSet<Socket>();
  let mode: Mode = 'forward';

  const server = createServer((inside) => {
    const outside = connect(target);
    answering.add(outside);
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
    if (isLost(socket)) swallowed.add(socket);
    return () => !swallowed.has(socket);
  }

  const isLost = (socket: Socket) => mode === 'swallow' || (mode === 'lose answers' && answering.has(socket));
  const lose = (from: Mode) => {
    mode = from;
    for (const socket of sockets) if (isLost(socket)) swallowed.add(socket);
  };

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
  const { port } = server.address() as AddressInfo;
  return {
    port,
    cut,
    refuse: stopListening,
    swallow: () => {
      lose('swallow');
    },
    loseAnswers: () => {
      lose('lose answers');
    },
    heal: async () => {
      mode = 'forward';
      if (!server.listening) await listen(port);
    },
    redirect: (other) => {
      target = other;
    },
    close: stopListening,
  };
}
