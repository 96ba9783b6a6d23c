import { type IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Where Node.js puts a head together. It documents the class, and not this. */
interface HeadWriter {
  _storeHeader(firstLine: string, headers: unknown): void;
}

const writer = ServerResponse.prototype as unknown as HeadWriter;

/** Node's response, with headers that go out as they are, in one string with the first line (ADR 14). */
class Answer<Request extends IncomingMessage> extends ServerResponse<Request> implements HeadWriter {
  lines = '';

  _storeHeader(firstLine: string, headers: unknown): void {
    writer._storeHeader.call(this, firstLine + this.lines, headers);
  }
}

/** The class of answers that all carry these headers. */
export function answersWith(headers: Readonly<Record<string, string>>): typeof ServerResponse {
  const standing = headerLines(headers);
  return class extends Answer<IncomingMessage> {
    override lines = standing;
  } as unknown as typeof ServerResponse;
}

/** Header lines as they go out. */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => headerLine(name, value))
    .join('');
}

/** One header as it goes out; what would end the line and begin another one is refused. */
export function headerLine(name: string, value: string): string {
  if (value.includes('\n') || value.includes('\r'))
    throw new Error(`The header ${name} must not have line breaks.`);
  return `${name}: ${value}\r\n`;
}

/** Gives an answer a header that it has no other of, whatever will be answered; it cannot be taken back. */
export function addHeader(reply: FastifyReply, name: string, value: string): void {
  (reply.raw as Answer<IncomingMessage>).lines += headerLine(name, value);
}

/**
 * Answers with these bytes, or this text, and nothing that Fastify would do with them. Of headers, only those go along
 * that were given as lines.
 */
export function answerWith(reply: FastifyReply, lines: string, body: Buffer | string): void {
  const answer = reply.hijack().raw as Answer<IncomingMessage>;
  answer.lines += lines;
  // Of what it does not send, Node.js does not tell the length.
  if (answer.req.method === 'HEAD') answer.setHeader('Content-Length', Buffer.byteLength(body));
  answer.end(body);
}
