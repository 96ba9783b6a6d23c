import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';

export const PUBLIC = 'formtrail:public';

/** Opens a controller or a route to requests without a token. All other routes need a token. */
export const Public = () => SetMetadata(PUBLIC, true);

export function isPublic(reflector: Reflector, context: ExecutionContext): boolean {
  return (
    reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [context.getHandler(), context.getClass()]) ??
    false
  );
}
