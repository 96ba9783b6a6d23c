import type { FastifyInstance } from 'fastify';

/** An error with a status, and a message for the user. */
export class HttpError extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
  ) {
    super(message);
  }
}

const NOT_FOUND = `<!doctype html><html lang="en"><title>There is no such page</title>
<p>There is no such page. <a href="/admin">Open the panel</a></p></html>`;

/** Turns errors of the request, and of an unreachable database, into 4xx and 503. AdminJS and its plugins leave them at 500. */
export function explainErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, _, reply) => reply.send(explained(error)));
  app.setNotFoundHandler((_, reply) => reply.code(404).type('text/html; charset=utf-8').send(NOT_FOUND));
}

function explained(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, message, constraint } = error as Error & {
    readonly code?: unknown;
    readonly constraint?: unknown;
  };
  if (constraint === 'submissions_held_check')
    return new HttpError(
      409,
      'A submission is held, so nobody can change or delete it. Release it on its page first.',
    );
  if (constraint === 'submissions_held_one_server_check')
    return new HttpError(409, 'The database is distributed, and cannot hold submissions.');
  // SQLSTATE class 22: data that PostgreSQL cannot read, such as a number out of range.
  if (/^22...$/.test(String(code)))
    return new HttpError(400, `The database cannot read a value: ${message}.`);
  if (/^(08...|53...|57P..|ECONN.*|EPIPE|ETIMEDOUT)$/.test(String(code)) || LOST.test(message))
    return new HttpError(503, `The database cannot be reached. Try again in a moment. (${message})`);
  // The parser of multipart bodies has no codes.
  if (/^(Multipart: |Unexpected end of multipart data|Malformed )/.test(message))
    return new HttpError(400, `The body is not a valid multipart form: ${message}.`);
  return error;
}

const LOST = /^Connection terminated|^timeout exceeded when trying to connect/;
