import { isDeepStrictEqual } from 'node:util';
import { BenchError } from './bench-error.mjs';
import { headersOf, OPERATIONS } from './operations.mjs';
import { sum } from './report.mjs';

/** The whole answers to an operation's probes, without what differs each time. All must be 2xx. */
export async function probe({ name, url, database }, operation) {
  const answers = [];
  for (const { method, path, body } of OPERATIONS[operation].probe(database)) {
    const answer = await fetch(url + path, {
      method,
      body,
      headers: headersOf(database, body !== undefined),
    });
    const text = await answer.text();
    if (!answer.ok) throw new BenchError(`${name} answers ${method} ${path} with ${answer.status}: ${text}`);
    answers.push({ status: answer.status, body: comparable(JSON.parse(text), operation === 'create') });
  }
  return answers;
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
    // Of a big answer the beginning tells enough.
    const [one, other] = [expected, found].map((answer) => JSON.stringify(answer).slice(0, 2_000));
    throw new BenchError(`${what}:\n${one}\n${other}`);
  }
}

/** As many submissions must have been written to as requests were answered, give or take those under way at the end. */
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
