import type { SecurityHeadersOptions } from '@nestjs/common';
import type { Environment } from '../../config/environment.js';

/** Returns the options of CORS. Pages of these origins may send and read the headers below (E6). */
export function corsOptions(origins: Environment['corsOrigins']) {
  return {
    origin: origins === '*' ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'If-Range',
      'Range',
      'X-Request-Id',
    ],
    exposedHeaders: [
      'Content-Disposition',
      'Content-Range',
      'ETag',
      'Location',
      'Retry-After',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-Request-Id',
    ],
    maxAge: 86_400,
    // Runs after the security headers, so that preflight responses have those headers too.
    hook: 'preParsing' as const,
    // Every OPTIONS request gets the same response, with or without the headers of a preflight.
    strictPreflight: false,
  };
}

/** OWASP's list for REST (E9). The other defaults of Nest say nothing about JSON. */
export const SECURITY_HEADERS: SecurityHeadersOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: "'none'", frameAncestors: "'none'" },
  },
  // CORS decides which scripts of other origins may read a response.
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  xFrameOptions: { action: 'deny' },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xPoweredBy: false,
  xXssProtection: false,
};
