import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/** What helmet sets (E9). It is asked once: the same headers go with every answer. */
export function securityHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  const recorder = {
    setHeader: (name: string, value: string) => (headers[name] = value),
    removeHeader: () => undefined,
  };
  const setHeaders = helmet({
    // The answers are for scripts of any origin that CORS lets read them.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // The API page may be read on a host without TLS.
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
  });
  setHeaders({} as IncomingMessage, recorder as unknown as ServerResponse, () => undefined);
  return headers;
}
