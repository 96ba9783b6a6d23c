import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { JSON_TYPE } from '../headers/conditional-requests.js';
import { presentProblem } from './problem.presenter.js';
import {
  malformedRequestProblem,
  headersTooLargeProblem,
  type Problem,
  requestTimeoutProblem,
} from './problems.js';

const PROBLEM_BY_CODE: Readonly<Record<string, () => Problem>> = {
  HPE_HEADER_OVERFLOW: headersTooLargeProblem,
  ERR_HTTP_REQUEST_TIMEOUT: requestTimeoutProblem,
};

const WITHOUT_TIMEOUT = new WeakSet<Socket>();
/** For each connection, the response to the request that is being executed. */
const RUNNING = new WeakMap<Socket, ServerResponse>();
/** Responses after which a rejection will be sent on the same connection. */
const WITH_REJECTION = new WeakSet<ServerResponse>();
/** For each connection, the status of the rejection that was sent instead of the response. */
const REJECTED = new WeakMap<Socket, number>();

/** Exempts a request from the request timeout until its response is closed. The caller must set another time limit. */
export function grantTime({ socket }: IncomingMessage, response: ServerResponse): void {
  WITHOUT_TIMEOUT.add(socket);
  response.once('close', () => WITHOUT_TIMEOUT.delete(socket));
}

/** Registers a request that has begun, until `endExchange`. */
export function beginExchange({ socket }: IncomingMessage, response: ServerResponse): void {
  RUNNING.set(socket, response);
}

/** Ends the registration. If the client got a rejection instead of the response, returns its status. */
export function endExchange(request: IncomingMessage): number | undefined {
  const { socket } = request;
  if (RUNNING.get(socket)?.req === request) RUNNING.delete(socket);
  return REJECTED.get(socket);
}

/**
 * Responds to malformed and incomplete requests with the same kind of body as all other errors (E2). The body is
 * always plain JSON, because the `Accept` header may not have been read.
 */
export function rejectClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && WITHOUT_TIMEOUT.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = (PROBLEM_BY_CODE[error.code ?? ''] ?? malformedRequestProblem)();
  const response = RUNNING.get(socket);
  if (response?.req.complete === true) {
    respondAfter(response, socket, problem);
    return;
  }
  REJECTED.set(socket, problem.status);
  respond(socket, problem);
}

/** Garbage after a complete request: the client gets the response to that request first, then the rejection. */
function respondAfter(response: ServerResponse, socket: Socket, problem: Problem): void {
  if (WITH_REJECTION.has(response)) return;
  WITH_REJECTION.add(response);
  response.once('close', () => {
    if (socket.writable) respond(socket, problem);
  });
}

function respond(socket: Socket, problem: Problem): void {
  const body = JSON.stringify(presentProblem(problem));
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nContent-Type: ${JSON_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  );
}
