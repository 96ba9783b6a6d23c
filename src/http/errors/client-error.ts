import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { JSON_TYPE } from '../headers/conditional-requests.js';
import { presentProblem } from './problem.presenter.js';
import { badRequest, headersTooLarge, type Problem, requestTimeout } from './problems.js';

const PROBLEM_BY_CODE: Readonly<Record<string, () => Problem>> = {
  HPE_HEADER_OVERFLOW: headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: requestTimeout,
};

const PATIENT = new WeakSet<Socket>();
const UNDER_WAY = new WeakMap<Socket, ServerResponse>();
const FOLLOWED = new WeakSet<ServerResponse>();
const REJECTED = new WeakMap<Socket, number>();

/** Gives a request more time than others until it has its response; whoever asks for that sees to its end. */
export function grantTime({ socket }: IncomingMessage, response: ServerResponse): void {
  PATIENT.add(socket);
  response.once('close', () => PATIENT.delete(socket));
}

/** A request has begun, whose response `endExchange` says to be over. */
export function beginExchange({ socket }: IncomingMessage, response: ServerResponse): void {
  UNDER_WAY.set(socket, response);
}

/** The status that the client was sent in place of the response, if any. */
export function endExchange(request: IncomingMessage): number | undefined {
  const { socket } = request;
  if (UNDER_WAY.get(socket)?.req === request) UNDER_WAY.delete(socket);
  return REJECTED.get(socket);
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
  const response = UNDER_WAY.get(socket);
  if (response?.req.complete === true) {
    respondAfter(response, socket, problem);
    return;
  }
  REJECTED.set(socket, problem.status);
  respond(socket, problem);
}

/** What is wrong came after a request that was whole: it is executed, and whoever sent it is told what came of it first. */
function respondAfter(response: ServerResponse, socket: Socket, problem: Problem): void {
  if (FOLLOWED.has(response)) return;
  FOLLOWED.add(response);
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
