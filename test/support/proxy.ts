import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

type Mode = 'forward' | 'swallow' | 'lose answers';

/** A TCP proxy whose connections a test can disturb. At first it forwards everything. */
export interface Proxy {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** Resets every connection and accepts new ones. */
  cut(): void;
  /** Resets every connection and refuses new ones. */
  refuse(): Promise<void>;
  /** Silently drops all data from now on, in both directions, like a broken network. */
  swallow(): void;
  /** Silently drops the server's data from now on. The server still receives what clients send. */
  loseAnswers(): void;
  /** Serves new connections again. Connections whose data was dropped stay dead, without a notice to either end. */
  heal(): Promise<void>;
  /** Sends new connections to another server, as after a failover. Existing connections stay. */
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
        // In a broken network, the other side never learns that the connection has ended.
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
      // Unix sockets have no reset. Resetting a socket that is already ending would keep the process alive.
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
