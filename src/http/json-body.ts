import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  badRequest,
  bodyTooLarge,
  encodedBody,
  malformedJson,
  notJson,
  type Problem,
  tooDeep,
} from './problems.js';

const JSON_TYPE = /^\s*application\/json\s*(;|$)/i;

/** 1 MiB (V9). */
const BODY_LIMIT = 1_048_576;
/** Levels of nesting; what reads a body further on is recursive, and a stack has an end. */
const MAX_DEPTH = 64;

/**
 * What a body says, or undefined for an empty one, whatever its content type. What is over the limit is not kept.
 *
 * @throws Problem 400, 413 or 415
 */
export async function readJson(payload: IncomingMessage): Promise<unknown> {
  const { headers } = payload;
  const unreadable = unreadableBy(headers);
  // Where no length is given, the first byte tells that the body is not empty.
  const limit = unreadable === undefined ? BODY_LIMIT : 0;
  const overLimit = unreadable ?? bodyTooLarge;
  if (Number(headers['content-length']) > limit) throw overLimit();
  return parseJson(await collect(payload, limit, overLimit));
}

/** What any body is rejected with, because of these headers. */
function unreadableBy(headers: IncomingHttpHeaders): (() => Problem) | undefined {
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) return notJson;
  // Nothing is ever inflated here, so that no body becomes larger than it is sent (RFC 9110, section 8.4).
  return isIdentity(headers['content-encoding']) ? undefined : encodedBody;
}

function isIdentity(encoding = 'identity'): boolean {
  return encoding.trim().toLowerCase() === 'identity';
}

function collect(payload: IncomingMessage, limit: number, overLimit: () => Problem): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    payload.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        // The rest is discarded, so that the connection can be used again.
        payload.removeAllListeners('data').resume();
        reject(overLimit());
      }
    });
    payload.once('end', () => {
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    // The client has gone.
    payload.once('error', () => {
      reject(badRequest());
    });
  });
}

function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw malformedJson('it is not encoded as UTF-8.');
  if (isDeeperThan(MAX_DEPTH, body)) throw tooDeep(MAX_DEPTH);
  try {
    // A `__proto__` key becomes an ordinary property here; what reads the body takes only the names it knows (E8).
    return JSON.parse(body.toString());
  } catch (error) {
    throw malformedJson(`${(error as Error).message}.`);
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

function isDeeperThan(limit: number, json: Buffer): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}
