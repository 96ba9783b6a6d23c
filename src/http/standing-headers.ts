import { type IncomingMessage, ServerResponse } from 'node:http';

/** Where Node.js puts a head together, in all of its versions, though it documents no more than the class. */
interface HeadWriter {
  _storeHeader(firstLine: string, headers: unknown): void;
}

/**
 * The class of answers that all carry these headers. They go out as one string together with the first line: set one by
 * one for each answer they would take longer than all the rest that is done for a schema (ADR 14).
 */
export function answersWith(headers: Readonly<Record<string, string>>): typeof ServerResponse {
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const writer = ServerResponse.prototype as unknown as HeadWriter;
  class Answer<Request extends IncomingMessage> extends ServerResponse<Request> implements HeadWriter {
    _storeHeader(firstLine: string, own: unknown): void {
      writer._storeHeader.call(this, firstLine + lines, own);
    }
  }
  return Answer;
}
