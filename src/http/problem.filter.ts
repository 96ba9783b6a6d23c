import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isError } from '../is-error.js';
import { isDatabaseUnavailable, OverloadedError } from '../database/database-errors.js';
import { badRequest, databaseUnavailable, notJson, overloaded, Problem, serverError } from './problems.js';
import { unknownRoute } from './unknown-route.js';
import { describeRequest } from './request-log.js';

/** Shapes every answer other than success: `message`, and `errors` where fields are at fault (E1, E2, E3). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const problem = this.toProblem(error, http.getRequest());
    void reply
      .status(problem.status)
      .headers(problem.headers)
      .send({ message: problem.message, ...(problem.errors && { errors: problem.errors }) });
  }

  private toProblem(error: unknown, request: FastifyRequest): Problem {
    if (error instanceof Problem) return error;
    if (error instanceof OverloadedError) return overloaded();
    if (isDatabaseUnavailable(error)) {
      this.logger.warn({ ...describeRequest(request), msg: (error as Error).message });
      return databaseUnavailable();
    }
    const status = error instanceof HttpException ? error.getStatus() : statusCode(error);
    if (status === 404) return unknownRoute(request);
    if (status === 415) return notJson();
    if (status !== undefined && status >= 400 && status < 500) return badRequest();
    this.logger.error({ ...describeRequest(request), msg: 'server error', err: error });
    return serverError();
  }
}

function statusCode(error: unknown): number | undefined {
  return isError(error) ? (error as Error & { statusCode?: number }).statusCode : undefined;
}
