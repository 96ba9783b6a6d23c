import { isDeepStrictEqual } from 'node:util';
import { BenchError } from './bench-error.mjs';
import { headersOf, OPERATIONS } from './operations.mjs';
import { sum } from './report.mjs';

/** Returns the responses to an operation's probes, without times and new UUIDs. Fails if a response is not 2xx. */
export async function probe({ name, url, database }, operation) {
  const responses = [];
  for (const { method, path, body } of OPERATIONS[operation].probe(database)) {
    const response = await fetch(url + path, {
      method,
      body,
      headers: headersOf(database, body !== undefined),
    });
    const text = await response.text();
    if (!response.ok)
      throw new BenchError(`${name} responds to ${method} ${path} with ${response.status}: ${text}`);
    responses.push({ status: response.status, body: comparable(JSON.parse(text), operation === 'create') });
  }
  return responses;
}

function comparable({ data }, isNew) {
  return JSON.parse(JSON.stringify(data), (key, value) => {
    if (key === 'uuid' && isNew) return /^[0-9a-f-]{36}$/.test(value) ? 'a new one' : value;
    if (/^(created|updated)_at$/.test(key))
      return /^\d{4}-\d\d-\d\dT.*\.\d{6}Z$/.test(value) ? 'a time' : value;
    return value;
  });
}

export function requireSame(expected, found, what) {
  if (!isDeepStrictEqual(expected, found)) {
    // Show only the beginning of a long response.
    const [one, other] = [expected, found].map((value) => JSON.stringify(value).slice(0, 2_000));
    throw new BenchError(`${what}:\n${one}\n${other}`);
  }
}

/**
 * Fails unless the number of written submissions matches the number of requests. Requests in flight at the end may or
 * may not have written.
 */
export function requireWritten(operation, driven, found) {
  const { written } = OPERATIONS[operation];
  const least = sum(driven.map(({ requests, drafts }) => written(requests, drafts)));
  const most = sum(
    driven.map(({ requests, connections, drafts }) => written(requests + connections, drafts)),
  );
  if (found < least || found > most) {
    const requests = sum(driven.map((one) => one.requests));
    throw new BenchError(
      `${requests} requests have written to ${found} submissions, not ${least} to ${most}.`,
    );
  }
}
