import { eventually } from './eventually.js';
import type { Service } from './service.js';

export const [DEBUG, INFO, WARN, ERROR] = [20, 30, 40, 50];

export type Line = Record<string, unknown>;

/** Reads the log of a service that was started with a `logLevel`. */
export function logOf(service: Service) {
  const lines = async (from = 0) =>
    (await service.logLines()).slice(from).map((line) => JSON.parse(line) as Line);
  return {
    lines,
    /** Returns the log line of a finished request. */
    requestLine: (id: string) =>
      eventually('the request is logged', async () =>
        (await lines()).find(({ request_id, msg }) => request_id === id && msg === 'request'),
      ),
  };
}
