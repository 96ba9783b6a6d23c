import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { unauthenticated } from '../http/errors/problems.js';
import { isPublic } from './public.decorator.js';

/** Responds with 401 to requests without a user, except on `@Public()` routes (A5). */
@Injectable()
export class AuthenticatedGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (isPublic(this.reflector, context)) return true;
    if (context.switchToHttp().getRequest<FastifyRequest>().user === undefined) throw unauthenticated();
    return true;
  }
}
