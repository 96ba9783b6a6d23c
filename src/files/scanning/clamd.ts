import net from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';

/** Bytes of a response, which has a line with the name of a signature. */
const READ_AT_MOST = 4_096;
/** Characters of it that are shown to people. */
const SHOWN_AT_MOST = 200;

/** Milliseconds without a word from clamd, which takes seconds to unpack an archive. */
const TIMEOUT = 120_000;

export type Verdict =
  { readonly state: 'clean' } | { readonly state: 'infected'; readonly signature: string };

/** Has clamd look at bytes, by its command INSTREAM: each chunk after its length, and one of none at the end. */
export class Clamd {
  private readonly address: net.NetConnectOpts;

  constructor(clamdUrl: string) {
    const url = new URL(clamdUrl);
    this.address =
      url.protocol === 'unix:'
        ? { path: decodeURIComponent(url.pathname) }
        : { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) };
  }

  /**
   * What clamd says, and never `clean` where it did not say so.
   *
   * @throws where it cannot be reached, did not look at the whole, or `signal` says stop
   */
  async scan(content: Readable, signal?: AbortSignal): Promise<Verdict> {
    const socket = net.connect(this.address);
    if (signal !== undefined) addAbortSignal(signal, socket);
    socket.setTimeout(TIMEOUT, () => socket.destroy(new Error('clamd has not responded')));
    // It may hang up while it is being sent to, with what it has to say already sent.
    const response = textOf(socket);
    // Whoever waits for it comes later than a connection that is refused.
    response.catch(() => undefined);
    try {
      await this.send(socket, content).catch(async (error: unknown) => {
        if ((await response) === '') throw error;
      });
      return verdictOf(await response);
    } finally {
      content.destroy();
      socket.destroy();
    }
  }

  private async send(socket: net.Socket, content: Readable): Promise<void> {
    await write(socket, Buffer.from('zINSTREAM\0'));
    for await (const chunk of content as AsyncIterable<Buffer>) {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(chunk.length);
      await write(socket, Buffer.concat([length, chunk]));
    }
    await write(socket, Buffer.alloc(4));
  }
}

function write(socket: net.Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

async function textOf(socket: net.Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    // Leaving the loop destroys the socket.
    if (text.length + chunk.length > READ_AT_MOST)
      throw new Error(`clamd said more than ${READ_AT_MOST} bytes, which is no response of INSTREAM`);
    text += chunk.toString('latin1');
  }
  return text.replace(/\0$/, '').trim();
}

function verdictOf(response: string): Verdict {
  if (response === 'stream: OK') return { state: 'clean' };
  const [, signature] = /^stream: (.+) FOUND$/.exec(response) ?? [];
  if (signature !== undefined) return { state: 'infected', signature: shown(signature) };
  throw new Error(response === '' ? 'clamd said nothing' : `clamd said "${shown(response)}"`);
}

const shown = (text: string) => text.replace(/[^ -~]/g, '?').slice(0, SHOWN_AT_MOST);
