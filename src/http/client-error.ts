import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { JSON_TYPE } from './conditional-requests.js';
import { acceptsProblemDetails, PROBLEM_TYPE } from './problem-media-type.js';
import { presentProblem, presentProblemDetails } from './problem.presenter.js';
import { badRequest, headersTooLarge, type Problem, requestTimeout, unknownExpectation } from './problems.js';

const PROBLEM_BY_CODE: Readonly<Record<string, () => Problem>> = {
  HPE_HEADER_OVERFLOW: headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: requestTimeout,
};

const PATIENT = new WeakSet<Socket>();

/** Gives a request more time than others until it has its response; whoever asks for that sees to its end. */
export function grantTime({ socket }: IncomingMessage, response: ServerResponse): void {
  PATIENT.add(socket);
  response.once('close', () => PATIENT.delete(socket));
}

/**
 * Responds to what is no HTTP request, or never becomes one, in the form of every other error (E2). What it accepts was
 * never read.
 */
export function rejectClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && PATIENT.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = (PROBLEM_BY_CODE[error.code ?? ''] ?? badRequest)();
  const body = JSON.stringify(presentProblem(problem));
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nContent-Type: ${JSON_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Responds to an `Expect` that Node.js does not know, which goes no further (RFC 9110, section 10.1.1). */
export function rejectExpectation({ headers }: IncomingMessage, response: ServerResponse): void {
  const problem = unknownExpectation();
  const [type, present] = acceptsProblemDetails(headers.accept)
    ? ([PROBLEM_TYPE, presentProblemDetails] as const)
    : ([JSON_TYPE, presentProblem] as const);
  const body = JSON.stringify(present(problem));
  response
    .writeHead(problem.status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      Vary: 'Accept',
      Connection: 'close',
    })
    .end(body);
}
