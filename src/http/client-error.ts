import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  408: 'The request took too long to arrive.',
  417: 'The Expect header asks for what this server does not do: leave it out, or send 100-continue.',
  431: 'The headers of the request are too large.',
};

const JSON_TYPE = 'application/json; charset=utf-8';
const bodyOf = (status: number) => JSON.stringify({ message: MESSAGES[status] });

/** Responds to what is no HTTP request, or never becomes one, in the form of every other error (E2). */
export function rejectClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_BY_CODE[error.code ?? ''] ?? 400;
  const body = bodyOf(status);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${JSON_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Responds to an `Expect` that Node.js does not know, which goes no further (RFC 9110, section 10.1.1). */
export function rejectExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = bodyOf(417);
  const headers = {
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  response.writeHead(417, headers).end(body);
}
