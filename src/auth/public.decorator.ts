import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';

const IS_PUBLIC = 'formtrail:public';

/** Opens a controller or a route to requests without a token. All other routes need a token. */
export const Public = () => SetMetadata(IS_PUBLIC, true);

const IGNORES_TOKEN = 'formtrail:ignores-token';

/**
 * Opens a route like {@link Public}, and ignores a token in the request. No token is looked up, so a request over a limit
 * of the route costs no query (P6).
 */
export const WithoutToken = () => applyDecorators(Public(), SetMetadata(IGNORES_TOKEN, true));

export function ignoresToken(reflector: Reflector, context: ExecutionContext): boolean {
  return reflector.get<boolean | undefined>(IGNORES_TOKEN, context.getHandler()) ?? false;
}

export function isPublicRoute(reflector: Reflector, context: ExecutionContext): boolean {
  return (
    reflector.getAllAndOverride<boolean | undefined>(IS_PUBLIC, [context.getHandler(), context.getClass()]) ??
    false
  );
}
