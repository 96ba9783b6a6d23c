import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { refuseUnreadableBody } from '../http/json-body.js';
import { unauthenticated } from '../http/problems.js';
import type { BearerRequest } from './bearer.strategy.js';

/** Lets a request through whose bearer token is valid; every other one is 401 (A5). Only then its body is looked at. */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  override canActivate(context: ExecutionContext): ReturnType<CanActivate['canActivate']> {
    const { userId, body } = context.switchToHttp().getRequest<FastifyRequest>();
    // Whose token is known already need not be asked for it; all others are refused.
    if (userId === undefined) return super.canActivate(context);
    refuseUnreadableBody(body);
    return true;
  }

  override getRequest(context: ExecutionContext): BearerRequest {
    const { headers, userId } = context.switchToHttp().getRequest<FastifyRequest>();
    // The strategy would also look into the query and the body; it is shown neither (A1).
    return { headers: { authorization: headers.authorization }, userId };
  }

  override handleRequest<User>(error: Error | null, user: User | false): User {
    if (error !== null) throw error;
    if (user === false) throw unauthenticated();
    return user;
  }
}

/** The user of the request's token, on routes that the guard protects. */
export function userOf({ userId }: FastifyRequest): number {
  if (userId === undefined) throw unauthenticated();
  return userId;
}
