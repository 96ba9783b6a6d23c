import { type CanActivate, type ExecutionContext, Injectable, Logger, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { InjectThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RespondentSettings } from './settings.js';
import { countedAddress } from '../../http/client-address.js';
import { tooManyRequestsProblem } from '../../http/errors/problems.js';
import { MINUTE, type WindowStorage } from '../../throttling/rate-limit.storage.js';

/** The routes that have a limit of their own, in addition to the limit of all routes (P6). */
export type LimitedRoute = 'respondents' | 'resume';

const HOUR = 60 * MINUTE;
const RESUMES_PER_MINUTE = 10;
/** Milliseconds between two log lines about RESPONDENT_LIMIT. */
const LOG_EVERY = HOUR;

const LIMITED = 'formtrail:address-limit';

/** Gives a route a limit of its own for each IP address. The route needs {@link AddressLimitGuard}. */
export const AddressLimit = (route: LimitedRoute) => SetMetadata(LIMITED, route);

/** Counts before anything is read or written: use it before the guard that reads the body. */
@Injectable()
export class AddressLimitGuard implements CanActivate {
  /** Requests that were rejected since the process started. */
  readonly refused: Record<LimitedRoute, number> = { respondents: 0, resume: 0 };

  private readonly logger = new Logger('Respondents');
  private loggedAt = -Infinity;

  constructor(
    private readonly reflector: Reflector,
    @InjectThrottlerStorage() private readonly windows: WindowStorage,
    private readonly settings: RespondentSettings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = this.reflector.get<LimitedRoute | undefined>(LIMITED, context.getHandler());
    if (route === undefined) return true;
    const { limit, ttl } = this.limitOf(route);
    if (limit === 0) return true;
    const http = context.switchToHttp();
    const address = countedAddress(http.getRequest<FastifyRequest>().ip);
    const hit = await this.windows.increment(address, ttl, limit, ttl, route);
    void http
      .getResponse<FastifyReply>()
      .header('X-RateLimit-Limit', limit)
      .header('X-RateLimit-Remaining', Math.max(0, limit - hit.totalHits));
    if (!hit.isBlocked) return true;
    this.refused[route] += 1;
    if (route === 'respondents') this.log(limit);
    throw tooManyRequestsProblem(hit.timeToBlockExpire);
  }

  /** A whole school may share an address, so the operator must learn that visitors were rejected. */
  private log(limit: number): void {
    const now = performance.now();
    if (now - this.loggedAt < LOG_EVERY) return;
    this.loggedAt = now;
    this.logger.warn(
      `Visitors of one IP address got 429, because ${limit} visitors of this address have begun public forms within an hour. If many people share an address, raise RESPONDENT_LIMIT. If all visitors seem to come from one address, set TRUST_PROXY.`,
    );
  }

  private limitOf(route: LimitedRoute): { limit: number; ttl: number } {
    return route === 'respondents'
      ? { limit: this.settings.respondentLimit, ttl: HOUR }
      : { limit: RESUMES_PER_MINUTE, ttl: MINUTE };
  }
}
