import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isError } from '../is-error.js';
import { isDatabaseUnavailable, OverloadedError } from '../database/database-errors.js';
import {
  badRequest,
  databaseUnavailable,
  malformedUrl,
  notFound,
  notJson,
  overloaded,
  Problem,
  serverError,
} from './problems.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { describeRequest } from './request-log.js';

/** Shapes every answer other than success: `message`, and `errors` where fields are at fault (E1, E2, E3). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  constructor(private readonly rateLimit: RateLimitGuard) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    await this.answer(error, http.getRequest(), http.getResponse());
  }

  async answer(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const problem = await this.countFirst(this.toProblem(error, request), request, reply);
    void reply
      .status(problem.status)
      .headers(problem.headers)
      .send({ message: problem.message, ...(problem.errors && { errors: problem.errors }) });
  }

  /** Unknown routes and unreadable bodies never reach the guard, and count all the same (E4). */
  private async countFirst(problem: Problem, request: FastifyRequest, reply: FastifyReply): Promise<Problem> {
    try {
      await this.rateLimit.count(request, reply);
      return problem;
    } catch (error) {
      return error instanceof Problem ? error : problem;
    }
  }

  private toProblem(error: unknown, request: FastifyRequest): Problem {
    if (error instanceof Problem) return error;
    if (error instanceof OverloadedError) return overloaded();
    if (isDatabaseUnavailable(error)) {
      this.logger.warn({ ...describeRequest(request), msg: (error as Error).message });
      return databaseUnavailable();
    }
    if (errorCode(error) === 'FST_ERR_BAD_URL') return malformedUrl();
    const status = error instanceof HttpException ? error.getStatus() : statusCode(error);
    if (status === 404) return notFound('Route');
    if (status === 415) return notJson();
    if (status !== undefined && status >= 400 && status < 500) return badRequest();
    this.logger.error({ ...describeRequest(request), msg: 'server error', err: error });
    return serverError();
  }
}

function errorCode(error: unknown): string | undefined {
  return isError(error) ? (error as Error & { code?: string }).code : undefined;
}

function statusCode(error: unknown): number | undefined {
  return isError(error) ? (error as Error & { statusCode?: number }).statusCode : undefined;
}
