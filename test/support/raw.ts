import http from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Answer } from './client.js';
import { expectDocumented } from './documented.js';

/** The longest time that a test waits, in milliseconds. */
const PATIENCE = 10_000;

/** Sends the bytes on a new connection. Returns everything that the server sends until it closes the connection. */
export function sendRaw(url: string, request: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(request));
    const answer = () => Buffer.concat(received).toString('latin1');
    socket.setTimeout(PATIENCE, () => {
      socket.destroy();
      reject(new Error(`The connection was left open after: ${answer()}`));
    });
    socket.on('data', (chunk) => received.push(chunk));
    // Ignore errors, because a server that has responded resets the connection if it has not read all bytes.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(answer());
    });
  });
}

/** Splits the text of an HTTP/1.1 response into its parts. */
export function readRaw(text: string): { status: number; headers: Headers; body: string } {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4) };
}

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: http.OutgoingHttpHeaders;
  /** The pieces of the body. They are sent as chunks unless the headers have a Content-Length. */
  readonly body?: readonly (string | Buffer)[];
}

/** Unlike fetch, sends chunked bodies and bodies of GET, and reads a response that comes before the body is sent. */
export async function sendHttp(url: string, path: string, request: HttpRequest = {}): Promise<Answer> {
  const answer = await exchange(url, path, request);
  expectDocumented(request.method ?? 'GET', path, answer);
  return answer;
}

function exchange(url: string, path: string, request: HttpRequest): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const { method = 'GET', headers = {}, body = [] } = request;
  return new Promise((resolve, reject) => {
    let answered = false;
    const outgoing = http.request({ hostname, port, path, method, headers, agent: false }, (response) => {
      answered = true;
      const received: Buffer[] = [];
      response.on('data', (chunk: Buffer) => received.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(received).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(Object.entries(response.headers) as [string, string][]),
          body: parse(text),
        });
        outgoing.destroy();
      });
    });
    outgoing.setTimeout(PATIENCE, () => outgoing.destroy(new Error('No answer.')));
    outgoing.on('error', (error) => {
      if (!answered) reject(error);
    });
    // For some methods, Node.js frames the body only if a header asks for it.
    const isFramed = 'Content-Length' in headers || 'Transfer-Encoding' in headers;
    if (body.length > 0 && !isFramed) outgoing.setHeader('Transfer-Encoding', 'chunked');
    for (const chunk of body) outgoing.write(chunk);
    outgoing.end();
  });
}

/** Opens an idle connection, so that a test can see whether the server closes it. */
export function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}
