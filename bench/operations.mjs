import { FORM } from './form.mjs';

const SUBMISSIONS = '/api/v1/submissions';
const pathsOf = (uuids, rest = '') => uuids.map((uuid) => `${SUBMISSIONS}/${uuid}${rest}`);

/**
 * The measured operations. `load` returns the requests that are counted. `probe` returns requests whose responses are
 * compared before and after a turn. `written` returns the number of submissions that `requests` on `drafts` write to.
 */
export const OPERATIONS = {
  create: {
    load: () => ({ method: 'POST', body: JSON.stringify({ form_uuid: FORM.uuid }), paths: [SUBMISSIONS] }),
    probe: () => [post(SUBMISSIONS, { form_uuid: FORM.uuid })],
    written: (requests) => requests,
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
    written: Math.min,
  },
  read: {
    load: ({ drafts }) => ({ method: 'GET', body: '', paths: pathsOf(drafts) }),
    probe: ({ probes }) => pathsOf(probes).map(get),
    written: () => 0,
  },
  advance: {
    // Advances every draft, then retreats every draft. Drafts begin on the second of three steps, so that two
    // requests in the wrong order do not leave the form.
    load: ({ drafts }) => ({
      method: 'POST',
      body: '',
      paths: [...pathsOf(drafts, '/advance'), ...pathsOf(drafts, '/retreat')],
    }),
    probe: ({ probes }) =>
      [...pathsOf(probes, '/advance'), ...pathsOf(probes, '/retreat')].map((path) => post(path)),
    written: Math.min,
  },
  conditions: {
    load: ({ drafts }) => ({ method: 'GET', body: '', paths: pathsOf(drafts, '/conditions') }),
    probe: ({ probes }) => pathsOf(probes, '/conditions').map(get),
    written: () => 0,
  },
  schema: {
    load: () => ({ method: 'GET', body: '', paths: [`/api/v1/forms/${FORM.uuid}/schema`] }),
    probe: () => [get(`/api/v1/forms/${FORM.uuid}/schema`)],
    written: () => 0,
  },
};

const VALUES = ['Ada Lovelace', 'ada@example.org', '42', 'south', 'east'];

function fiveValues(fieldIds) {
  return { values: fieldIds.map((field_id, index) => ({ field_id, value: VALUES[index] })) };
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
