import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { isApiRequest } from '../http/api-prefix.js';
import { Problem, TOKEN_UNVERIFIABLE, unauthenticatedProblem } from '../http/errors/problems.js';
import { BearerStrategy } from './bearer.strategy.js';
import { ignoresToken, isPublicRoute } from './public.decorator.js';

/** Sets the request's user from its bearer token. Does not reject invalid tokens, because public routes accept any token (A1). */
@Injectable()
export class BearerAuthGuard extends AuthGuard() {
  constructor(
    { name }: BearerStrategy,
    private readonly reflector: Reflector,
  ) {
    super({ defaultStrategy: name });
  }

  /**
   * Skips the token look-up without a token and on routes that ignore tokens. Also skips it for health checks and the
   * documentation, because they must not wait for the database.
   */
  override canActivate(context: ExecutionContext): ReturnType<CanActivate['canActivate']> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.headers.authorization === undefined) return true;
    const isSkipped = isApiRequest(request)
      ? ignoresToken(this.reflector, context)
      : isPublicRoute(this.reflector, context);
    return isSkipped || super.canActivate(context);
  }

  /** @throws the error of a failed token look-up. Public routes do not need to verify tokens (A9). */
  override handleRequest<User>(
    error: Error | null,
    user: User | false,
    _info: unknown,
    context: ExecutionContext,
  ): User {
    const isIgnored =
      error instanceof Problem && error.code === TOKEN_UNVERIFIABLE && isPublicRoute(this.reflector, context);
    if (error !== null && !isIgnored) throw error;
    return (user === false ? undefined : user) as User;
  }
}

/** Responds with 401 to requests without a user, except on `@Public()` routes (A5). */
@Injectable()
export class AuthenticatedGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (isPublicRoute(this.reflector, context)) return true;
    if (context.switchToHttp().getRequest<FastifyRequest>().user === undefined)
      throw unauthenticatedProblem();
    return true;
  }
}
