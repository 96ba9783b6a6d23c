import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isError } from '../../process/is-error.js';
import {
  type Bottleneck,
  isConnectionLost,
  isDatabaseUnavailable,
  OverloadedError,
  violatedConstraint,
} from '../../database/database-errors.js';
import type { ProblemType } from './problem-codes.js';
import { acceptsProblemDetails, PROBLEM_TYPE } from './problem-media-type.js';
import { presentProblem, presentProblemDetails } from './problem.presenter.js';
import {
  malformedRequestProblem,
  databaseUnavailableProblem,
  bodyNotJsonProblem,
  overloadedProblem,
  Problem,
  serverErrorProblem,
} from './problems.js';
import { unknownRoute } from './unknown-route.js';
import { describeRequest } from '../request-log.js';
import { vary } from '../headers/conditional-requests.js';

const OVERLOADED: Record<Bottleneck, string> = {
  database:
    'A request waited too long for a connection to the database. Look for slow statements and statements that block others, then for too many requests.',
  row: 'A request waited too long for data that another request or program was changing. Look in pg_stat_activity for a transaction that holds a lock, then for a client that writes to one submission many times at once.',
  body: 'A request with a large body waited too long for memory, because many large bodies arrived at once. The database is not the cause. Find the client that sends them, let the proxy limit it, or add an instance.',
  token:
    'A request waited too long for the look-up of its token, because look-ups for its IP address were slow. Check the database first. If all requests seem to come from one address, set TRUST_PROXY.',
};
const STATEMENT_UNDONE =
  'PostgreSQL did not execute a statement of a request, for a temporary reason that the field "reason" names. Look for deadlocks and long locks, too many connections, a full disk, or a server that has become read-only.';
const DATABASE_UNAVAILABLE =
  'The database was lost during a request, or did not respond in time. Check the database; the service reconnects automatically.';
const FAULT =
  'A request failed because of a fault in the service. If this began with an upgrade, go back to the previous version. Report the field "err".';

/** Responds to every error with a message (E1, E2, E3) or with problem details (E11). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  /** @param types the kinds of problems that the database itself can reject a write for, by the names of their constraints */
  constructor(private readonly types: ReadonlyMap<string, ProblemType>) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const request = http.getRequest<FastifyRequest>();
    const problem = this.toProblem(error, request);
    void reply.status(problem.status).headers(problem.headers);
    // Only error responses depend on `Accept`. Successful responses, which caches store, do not vary by it.
    vary(reply, 'Accept');
    // A cache must not store this 404, because the route may exist later: if files are enabled, or after an upgrade (E3).
    if (problem.code === 'route_not_found') void reply.header('Cache-Control', 'no-store');
    if (acceptsProblemDetails(request.headers.accept)) {
      // Sends bytes, because Fastify adds a charset to every JSON type if the body is text. Problem details have no charset.
      const body = Buffer.from(JSON.stringify(presentProblemDetails(problem)));
      void reply.type(PROBLEM_TYPE).send(body);
    } else void reply.send(presentProblem(problem));
  }

  private toProblem(error: unknown, request: FastifyRequest): Problem {
    if (error instanceof Problem) return error;
    if (error instanceof OverloadedError) {
      this.logger.warn({ ...describeRequest(request), msg: OVERLOADED[error.bottleneck] });
      return overloadedProblem(error.bottleneck);
    }
    if (isDatabaseUnavailable(error)) {
      this.logger.warn({
        ...describeRequest(request),
        reason: (error as Error).message,
        msg: isConnectionLost(error) ? DATABASE_UNAVAILABLE : STATEMENT_UNDONE,
      });
      return databaseUnavailableProblem();
    }
    const violated = this.types.get(violatedConstraint(error) ?? '');
    if (violated?.constraint !== undefined) return new Problem(violated, violated.constraint.message);
    const status = error instanceof HttpException ? error.getStatus() : statusCode(error);
    if (status === 404) return unknownRoute(request);
    if (status === 415) return bodyNotJsonProblem();
    if (status !== undefined && status >= 400 && status < 500) return malformedRequestProblem();
    this.logger.error({ ...describeRequest(request), msg: FAULT, err: error });
    return serverErrorProblem();
  }
}

function statusCode(error: unknown): number | undefined {
  return isError(error) ? (error as Error & { statusCode?: number }).statusCode : undefined;
}
