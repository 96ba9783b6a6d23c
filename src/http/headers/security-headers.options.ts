import type { SecurityHeadersOptions } from '@nestjs/common';

/** Helmet's defaults (E9), but for two of them. */
export const SECURITY_HEADERS: SecurityHeadersOptions = {
  // Responses are for scripts of any origin that CORS lets read them.
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  // The API page may be read on a host without TLS.
  contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
};
