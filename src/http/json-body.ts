import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { malformedJson, notJson, tooDeep } from './problems.js';

/** 1 MiB (V9). */
export const BODY_LIMIT = 1_048_576;

/** Levels of nesting; what reads a body further on is recursive, and a stack has an end. */
const MAX_DEPTH = 64;

/** Bodies are JSON or nothing; an empty one is nothing whatever its content type says. */
export function readJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
    (_request: FastifyRequest, body: Buffer, done: (error: Error | null, body?: unknown) => void) => {
      try {
        done(null, parseJson(body));
      } catch (error) {
        done(error as Error);
      }
    },
  );
  fastify.addContentTypeParser('*', (request, payload, done) => {
    if (request.headers['content-length'] === '0') {
      done(null, undefined);
    } else {
      payload.resume();
      done(notJson());
    }
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
