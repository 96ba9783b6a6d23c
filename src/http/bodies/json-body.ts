import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ByteLease } from './body-budget.js';
import {
  malformedRequestProblem,
  bodyTooLargeProblem,
  bodyCompressedProblem,
  malformedJsonProblem,
  bodyNotJsonProblem,
  type Problem,
  bodyTooDeepProblem,
  bodyTooManyValuesProblem,
} from '../errors/problems.js';

const IS_JSON = /^\s*application\/json\s*(;|$)/i;

/** Maximum size of a body in bytes: 1 MiB (V9). */
const BODY_LIMIT = 1_048_576;
/** Bytes of a body that are read immediately, so that small bodies never wait. The rest is read when the budget has room. */
const SMALL = 32_768;
/**
 * Milliseconds. A body that arrives more slowly releases its part of the budget until the body is complete, so that
 * other bodies can use that part.
 */
const PROMPT = 250;
/** Maximum levels of nesting. Later code is recursive, and must not overflow the stack. */
const MAX_DEPTH = 64;
/**
 * Maximum number of values. 1 MiB has room for hundreds of thousands of values, and handling them would block the
 * event loop for a quarter of a second (V9).
 */
const MAX_VALUES = 20_000;

/**
 * Reads and parses a body. Returns undefined for an empty body of any content type. Discards bytes over the limit.
 *
 * @param leaseFor creates a lease of the budget. It is called once, and only for a large body. The caller ends the lease.
 * @throws Problem 400, 413 or 415
 * @throws OverloadedError if the budget has no room for too long
 */
export async function readJson(payload: IncomingMessage, leaseFor: () => ByteLease): Promise<unknown> {
  const { headers } = payload;
  const unreadable = unreadableBy(headers);
  // An empty body is valid with any headers, so even an unreadable body is rejected only at its first byte.
  const limit = unreadable === undefined ? BODY_LIMIT : 0;
  const overLimit = unreadable ?? bodyTooLargeProblem;
  if (Number(headers['content-length']) > limit) throw overLimit();
  return parseJson(await collect(payload, { limit, overLimit }, leaseFor));
}

/** Returns the problem of all nonempty bodies with these headers, or undefined if such bodies can be read. */
function unreadableBy(headers: IncomingHttpHeaders): (() => Problem) | undefined {
  if (!IS_JSON.test(headers['content-type'] ?? '')) return bodyNotJsonProblem;
  // The service never decompresses a body, so that a small request cannot use much memory (RFC 9110, section 8.4).
  const { 'content-encoding': encoding = 'identity' } = headers;
  return encoding.trim().toLowerCase() === 'identity' ? undefined : bodyCompressedProblem;
}

function collect(
  payload: IncomingMessage,
  { limit, overLimit }: { limit: number; overLimit: () => Problem },
  leaseFor: () => ByteLease,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let lease: ByteLease | undefined;
    /** Resolves when the budget has room for the body. */
    let room = Promise.resolve();
    let timer: NodeJS.Timeout | undefined;
    let isLate = false;
    const giveUp = (error: Error) => {
      // The rest is discarded, so that the connection can be used again.
      payload.removeAllListeners('data').resume();
      clearTimeout(timer);
      lease = undefined;
      reject(error);
    };
    const readOn = () => {
      if (payload.readableEnded) return;
      payload.resume();
      timer = setTimeout(() => {
        isLate = true;
        lease?.keep(0);
      }, PROMPT);
    };
    payload.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        giveUp(overLimit());
        return;
      }
      chunks.push(chunk);
      if (lease !== undefined || size <= SMALL) return;
      lease = leaseFor();
      // Backpressure: the rest of the body stays in the connection.
      payload.pause();
      room = lease.acquire(Number(payload.headers['content-length'] ?? limit));
      room.then(readOn, giveUp);
    });
    payload.once('end', () => {
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      clearTimeout(timer);
      if (isLate && lease !== undefined) room = lease.acquire(size);
      room.then(() => {
        lease?.keep(size);
        resolve(body);
      }, reject);
    });
    // The client has disconnected.
    payload.once('error', () => {
      giveUp(malformedRequestProblem());
    });
  });
}

function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw malformedJsonProblem('it is not encoded as UTF-8.');
  const exceeded = exceededLimit(body);
  if (exceeded !== undefined) throw exceeded;
  try {
    // A `__proto__` key becomes an ordinary property here. Later code reads only properties whose names it knows (E8).
    return JSON.parse(body.toString());
  } catch (error) {
    throw malformedJsonProblem(`${(error as Error).message}.`);
  }
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns a problem for the first limit that the text exceeds. An empty object or array counts as two values. */
function exceededLimit(json: Buffer): Problem | undefined {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) return bodyTooDeepProblem(MAX_DEPTH);
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
    if (values > MAX_VALUES) return bodyTooManyValuesProblem(MAX_VALUES);
  }
  return undefined;
}

/** Number of bytes of a string that are compared one by one. For short strings, this is faster than `indexOf`. */
const SHORT = 64;

/** Returns the position of the quote that ends the string, or the end of the text. */
function endOfString(json: Buffer, from: number): number {
  for (let at = from; at < json.length;) {
    for (const end = at + SHORT; at < end && at < json.length; at += 1) {
      if (json[at] === QUOTE) return at;
      if (json[at] === BACKSLASH) at += 1;
    }
    const quote = json.indexOf(QUOTE, at);
    if (quote === -1) break;
    let backslashes = 0;
    while (quote - backslashes > at && json[quote - backslashes - 1] === BACKSLASH) backslashes += 1;
    // An odd number of backslashes escapes the quote.
    if (backslashes % 2 === 0) return quote;
    at = quote + 1;
  }
  return json.length;
}
