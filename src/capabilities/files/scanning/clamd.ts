import net from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';

/** Maximum bytes of a response. A response is one line with the name of a signature. */
const MAX_RESPONSE = 4_096;
/** Maximum number of characters of a response that are logged. */
const MAX_LOGGED = 200;

/** Milliseconds without data to or from clamd after which a scan fails. clamd needs seconds to unpack an archive. */
const TIMEOUT = 120_000;
/** Milliseconds until a clamd that scans nothing must respond. */
const PING_TIMEOUT = 5_000;

export type Verdict =
  { readonly state: 'clean' } | { readonly state: 'infected'; readonly signature: string };

/** Scans bytes with clamd's command INSTREAM: each chunk follows its length, and an empty chunk ends the stream. */
export class Clamd {
  private readonly address: net.NetConnectOpts;

  constructor(readonly url: string) {
    const { protocol, pathname, hostname, port } = new URL(url);
    this.address =
      protocol === 'unix:'
        ? { path: decodeURIComponent(pathname) }
        : { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
  }

  /** @throws Error if clamd cannot be reached or does not respond, or `signal` is aborted */
  async ping(signal?: AbortSignal): Promise<void> {
    const text = await this.request((socket) => write(socket, Buffer.from('zPING\0')), PING_TIMEOUT, signal);
    if (text !== 'PONG') throw unexpected(text);
  }

  /**
   * Returns `clean` only if clamd responds that it found nothing.
   *
   * @throws Error if clamd cannot be reached or did not scan the whole content, or `signal` is aborted
   */
  async scan(content: Readable, signal?: AbortSignal): Promise<Verdict> {
    try {
      return verdictOf(await this.request((socket) => stream(socket, content), TIMEOUT, signal));
    } finally {
      content.destroy();
    }
  }

  /** Sends a command on a connection of its own, and returns the response. */
  private async request(
    send: (socket: net.Socket) => Promise<void>,
    timeout: number,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const socket = net.connect(this.address);
    if (signal !== undefined) addAbortSignal(signal, socket);
    socket.setTimeout(timeout, () => socket.destroy(new Error('clamd has not responded')));
    // Read before sending, because clamd may respond and hang up while we are still sending.
    const response = textOf(socket);
    // Without this handler, a failure before anything awaits the response would be an unhandled rejection.
    response.catch(() => undefined);
    try {
      await send(socket).catch(async (error: unknown) => {
        if ((await response) === '') throw error;
      });
      return await response;
    } finally {
      socket.destroy();
    }
  }
}

async function stream(socket: net.Socket, content: Readable): Promise<void> {
  await write(socket, Buffer.from('zINSTREAM\0'));
  for await (const chunk of content as AsyncIterable<Buffer>) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(chunk.length);
    await write(socket, Buffer.concat([length, chunk]));
  }
  await write(socket, Buffer.alloc(4));
}

function write(socket: net.Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

async function textOf(socket: net.Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    // An error in the loop destroys the socket.
    if (text.length + chunk.length > MAX_RESPONSE)
      throw new Error(`clamd sent more than ${MAX_RESPONSE} bytes, which is not a response to INSTREAM`);
    text += chunk.toString('latin1');
  }
  return text.replace(/\0$/, '').trim();
}

function verdictOf(response: string): Verdict {
  if (response === 'stream: OK') return { state: 'clean' };
  const [, signature] = /^stream: (.+) FOUND$/.exec(response) ?? [];
  if (signature !== undefined) return { state: 'infected', signature: printable(signature) };
  throw unexpected(response);
}

function unexpected(response: string): Error {
  return new Error(response === '' ? 'clamd sent no response' : `clamd responded "${printable(response)}"`);
}

const printable = (text: string) => text.replace(/[^ -~]/g, '?').slice(0, MAX_LOGGED);
