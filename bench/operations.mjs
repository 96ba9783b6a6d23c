import { isDeepStrictEqual } from 'node:util';
import { CONNECTIONS } from './load.mjs';
import { FORM } from './form.mjs';

const SUBMISSIONS = '/api/v1/submissions';
const pathsOf = (uuids, rest = '') => uuids.map((uuid) => `${SUBMISSIONS}/${uuid}${rest}`);

/**
 * What is measured. `load` are the requests, on drafts in no order so that nothing is met in the order it was made;
 * `probe` the requests whose whole answers are looked at before and after.
 */
export const OPERATIONS = {
  create: {
    load: () => ({ method: 'POST', body: JSON.stringify({ form_uuid: FORM.uuid }), paths: [SUBMISSIONS] }),
    probe: () => [post(SUBMISSIONS, { form_uuid: FORM.uuid })],
    touched: (requests) => requests,
  },
  values: {
    load: ({ drafts, fieldIds }) => ({
      method: 'POST',
      body: JSON.stringify(fiveValues(fieldIds)),
      paths: pathsOf(drafts, '/values'),
    }),
    probe: ({ probes, fieldIds }) => [
      post(`${SUBMISSIONS}/${probes[0]}/values`, fiveValues(fieldIds)),
      get(`${SUBMISSIONS}/${probes[0]}`),
    ],
    touched: Math.min,
  },
  read: {
    load: ({ drafts }) => ({ method: 'GET', body: '', paths: pathsOf(drafts) }),
    probe: ({ probes }) => pathsOf(probes).map(get),
    touched: () => 0,
  },
  advance: {
    // Forward with every draft, then back with all. They begin on the second of three steps, so that not even a
    // request that another one overtakes would go past an end.
    load: ({ drafts }) => ({
      method: 'POST',
      body: '',
      paths: [...pathsOf(drafts, '/advance'), ...pathsOf(drafts, '/retreat')],
    }),
    probe: ({ probes }) =>
      [...pathsOf(probes, '/advance'), ...pathsOf(probes, '/retreat')].map((path) => post(path)),
    touched: Math.min,
  },
  conditions: {
    load: ({ drafts }) => ({ method: 'GET', body: '', paths: pathsOf(drafts, '/conditions') }),
    probe: ({ probes }) => pathsOf(probes, '/conditions').map(get),
    touched: () => 0,
  },
  schema: {
    load: () => ({ method: 'GET', body: '', paths: [`/api/v1/forms/${FORM.uuid}/schema`] }),
    probe: () => [get(`/api/v1/forms/${FORM.uuid}/schema`)],
    touched: () => 0,
  },
};

function fiveValues(fieldIds) {
  return { values: fieldIds.map((field_id, index) => ({ field_id, value: `${index * 20}` })) };
}

function get(path) {
  return { method: 'GET', path };
}

function post(path, body) {
  return { method: 'POST', path, body: body && JSON.stringify(body) };
}

export function headersOf({ token }, hasBody) {
  return { Authorization: `Bearer ${token}`, ...(hasBody && { 'Content-Type': 'application/json' }) };
}

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
    if (!answer.ok) throw new Error(`${name} answers ${method} ${path} with ${answer.status}: ${text}`);
    answers.push({
      status: answer.status,
      body: comparable(JSON.parse(text), method === 'POST' && path === SUBMISSIONS),
    });
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
    throw new Error(`${what}:\n${one}\n${other}`);
  }
}

/** As many submissions must have been written to as requests were answered, and those under way at the end. */
export function requireTouched(operation, { requests }, drafts, found) {
  const { touched } = OPERATIONS[operation];
  const [least, most] = [touched(requests, drafts), touched(requests + CONNECTIONS, drafts)];
  if (found < least || (most > 0 ? found > most : found !== 0)) {
    throw new Error(`${requests} requests have written to ${found} submissions, not ${least} to ${most}.`);
  }
}
