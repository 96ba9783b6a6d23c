import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bodyTooLarge, encodedBody, malformedJson, notJson, type Problem, tooDeep } from './problems.js';

/** 1 MiB (V9). */
const BODY_LIMIT = 1_048_576;
/** Levels of nesting; what reads a body further on is recursive, and a stack has an end. */
const MAX_DEPTH = 64;

/**
 * Stands for a body that cannot be used. Whether it matters is decided by {@link refuseUnreadableBody} only after the
 * rate limit, the route and the token: nobody else is told about their body.
 */
class UnreadableBody {
  constructor(readonly problem: Problem) {}
}

export function refuseUnreadableBody(body: unknown): void {
  if (body instanceof UnreadableBody) throw body.problem;
}

/** Bodies are JSON or nothing; an empty one is nothing whatever its content type says. */
export function readJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', (request, payload, done) => {
    // No public route takes a body: what comes without a valid token is refused unread.
    if (request.userId === undefined) done(null);
    else if (isEncoded(request)) done(null, new UnreadableBody(encodedBody()));
    else {
      collect(payload, (error, bytes) => {
        done(error, error === null ? parseJson(bytes) : undefined);
      });
    }
  });
  fastify.addContentTypeParser('*', (request, _payload, done) => {
    done(null, request.headers['content-length'] === '0' ? undefined : new UnreadableBody(notJson()));
  });
}

/** Nothing is ever inflated here, so that no body becomes larger than it is sent (RFC 9110, section 8.4). */
function isEncoded({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  return encoding !== 'identity' && headers['content-length'] !== '0';
}

/** Gives all bytes of a body, or undefined for one that is too large, the rest of which is not read. */
function collect(payload: IncomingMessage, done: (error: Error | null, bytes?: Buffer) => void): void {
  if (Number(payload.headers['content-length'] ?? 0) > BODY_LIMIT) {
    done(null);
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    if (size <= BODY_LIMIT) {
      chunks.push(chunk);
    } else {
      stop();
      done(null);
    }
  };
  const onEnd = () => {
    stop();
    done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  };
  const onError = (error: Error) => {
    stop();
    done(error);
  };
  const stop = () => payload.off('data', onData).off('end', onEnd).off('error', onError);
  payload.on('data', onData).on('end', onEnd).on('error', onError);
}

function parseJson(body: Buffer | undefined): unknown {
  if (body === undefined) return new UnreadableBody(bodyTooLarge());
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) return new UnreadableBody(malformedJson('it is not encoded as UTF-8.'));
  if (isDeeperThan(MAX_DEPTH, body)) return new UnreadableBody(tooDeep(MAX_DEPTH));
  try {
    // A `__proto__` key becomes an ordinary property here; what reads the body takes only the names it knows (E8).
    return JSON.parse(body.toString());
  } catch (error) {
    return new UnreadableBody(malformedJson(`${(error as Error).message}.`));
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
