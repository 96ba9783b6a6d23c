import { connect } from 'node:net';
import type { PoolClient } from 'pg';

const CANCEL_REQUEST_CODE = 80_877_102;
/** Milliseconds without traffic after which the socket is closed. */
const TIMEOUT = 2_000;

/** Parts of pg's client that its types do not describe. wire.spec.ts tests them. */
interface Backend {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

/**
 * Cancels the query of a connection (PostgreSQL's documentation, "Canceling Requests in Progress"). Otherwise PostgreSQL would
 * continue to execute a query whose client has already received 503.
 */
export function sendCancelRequest(client: PoolClient): void {
  const { host, port, processID, secretKey } = client as unknown as Backend;
  const message = Buffer.alloc(16);
  [message.length, CANCEL_REQUEST_CODE, processID, secretKey].forEach((part, index) =>
    message.writeInt32BE(part, index * 4),
  );
  const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  socket.on('error', () => undefined);
  socket.setTimeout(TIMEOUT, () => socket.destroy());
  socket.end(message);
  socket.unref();
}
