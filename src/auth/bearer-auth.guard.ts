import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { unauthenticated } from '../http/errors/problems.js';
import type { AuthenticatedUser } from './authenticated-user.js';
import type { BearerRequest } from './bearer.strategy.js';
import { PUBLIC } from './public.decorator.js';
import { TokensService } from './tokens.service.js';

/** Closes every route to requests without a valid bearer token, unless it is `@Public()`: 401 (A5). */
@Injectable()
export class BearerAuthGuard extends AuthGuard('bearer') {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: TokensService,
  ) {
    super();
  }

  override canActivate(context: ExecutionContext): ReturnType<CanActivate['canActivate']> {
    const isPublic = this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [
      context.getHandler(),
      context.getClass(),
    ]);
    return isPublic === true || super.canActivate(context);
  }

  /** The strategy would look for a token in the query and the body, too: it is shown neither (A1). */
  override getRequest(context: ExecutionContext): BearerRequest {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { authorization } = request.headers;
    return { headers: { authorization }, authenticate: () => this.tokens.authenticate(request) };
  }

  override handleRequest<User = AuthenticatedUser>(
    error: Error | null,
    user: User | false,
    _info: unknown,
    context: ExecutionContext,
  ): User {
    if (error !== null) throw error;
    if (user === false) throw unauthenticated();
    context.switchToHttp().getRequest<FastifyRequest>().user = user as AuthenticatedUser;
    return user;
  }
}
