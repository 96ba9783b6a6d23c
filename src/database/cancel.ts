import { connect } from 'node:net';
import type { PoolClient } from 'pg';

const CANCEL_REQUEST = 80_877_102;
const PATIENCE = 2_000;

/** What pg knows of a connection, beyond its types. */
interface Backend {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

/**
 * Asks the server to give up what a connection is waiting for (PostgreSQL, "Canceling Requests in Progress"). It does
 * not notice by itself that nobody waits any more, and would carry out later what was answered with 503.
 */
export function cancel(client: PoolClient): void {
  const { host, port, processID, secretKey } = client as unknown as Backend;
  const request = Buffer.alloc(16);
  [request.length, CANCEL_REQUEST, processID, secretKey].forEach((part, index) =>
    request.writeInt32BE(part, index * 4),
  );
  const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  socket.on('error', () => undefined);
  socket.setTimeout(PATIENCE, () => socket.destroy());
  socket.end(request);
  socket.unref();
}
