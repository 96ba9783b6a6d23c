/** Checks that processes with a common database and Redis agree while they are under load. */
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { BenchError } from './bench-error.mjs';
import { drive } from './drive.mjs';
import { FORM } from './form.mjs';
import { CONNECTIONS } from './load.mjs';
import { headersOf, OPERATIONS } from './operations.mjs';
import { median, sum } from './report.mjs';

/** Maximum number of requests per minute and user. */
export const LIMIT = 500;
/** Milliseconds in which every process must show a change. */
const SEEN_WITHIN = 2_000;
/** Milliseconds after the first sight of a change, in which a process must not show the old state again. */
const WATCHED_FOR = 100;

/**
 * Fails unless the processes together accept exactly {@link LIMIT} requests of a user in a minute.
 *
 * @param services processes that run with a THROTTLE_USER_LIMIT of {@link LIMIT}
 */
export async function checkLimit(services, load) {
  const { database } = services[0];
  const user = await createUser(database.client);
  const connections = CONNECTIONS / services.length;
  const headers = headersOf(user, true);
  const driven = await Promise.all(
    services.map(({ url }) => load.run(url, headers, OPERATIONS.create.load(), 2, connections)),
  );
  const sent = sum(driven.map(({ requests }) => requests));
  const byProcess = driven.map(({ requests, non2xx }) => requests - non2xx);
  const { rows } = await database.client.query(
    'select count(*)::integer as stored from submissions where user_id = $1',
    [user.id],
  );
  if (sent <= LIMIT)
    throw new BenchError(`Only ${sent} requests were sent, which does not exceed the limit.`);
  if (sum(byProcess) !== LIMIT || rows[0].stored !== LIMIT) {
    throw new BenchError(
      `A user with a limit of ${LIMIT} sent ${sent} requests: ${byProcess.join(' + ')} were accepted, ` +
        `and ${rows[0].stored} submissions were stored.`,
    );
  }
  return { sent, byProcess };
}

/**
 * Changes a form and revokes tokens under load. Fails if a process still shows the old state
 * after {@link SEEN_WITHIN}.
 */
export async function checkChanges(services, load, seconds) {
  const { client } = services[0].database;
  const milliseconds = {};
  let loading = true;
  const driven = drive(services, 'values', load, seconds).finally(() => (loading = false));
  const changes = async () => {
    for (let round = 1; loading; round += 1) {
      for (const [what, prepare] of Object.entries(CHANGES)) {
        const taken = await follow(services, what, await prepare(client, round));
        milliseconds[what] = [...(milliseconds[what] ?? []), ...taken];
      }
    }
  };
  await Promise.all([driven, changes()]);
  return Object.entries(milliseconds).map(([what, taken]) => ({
    what,
    changes: taken.length / services.length,
    median: median(taken),
    most: Math.max(...taken),
  }));
}

/** Each function prepares a change. `look` reads the state, which must be `before` and then `after`. */
const CHANGES = {
  'the name of a form': async (client, round) => ({
    change: () => client.query('update forms set name = $1', [`Name ${round}`]),
    look: async (url) => (await published(url, '')).name,
    before: round === 1 ? FORM.name : `Name ${round - 1}`,
    after: `Name ${round}`,
  }),
  'the label of a field': async (client, round) => ({
    change: () =>
      client.query('update fields set label = $1 where id = (select min(id) from fields)', [
        `Label ${round}`,
      ]),
    look: async (url) => (await published(url, '/schema')).steps[0].fields[0].label,
    before: round === 1 ? FORM.steps[0].fields[0].label : `Label ${round - 1}`,
    after: `Label ${round}`,
  }),
  'a token, by revoking it': async (client) => {
    const user = await createUser(client);
    return {
      change: () => client.query('update api_tokens set revoked_at = now() where user_id = $1', [user.id]),
      look: async (url) => {
        const submission = `${url}/api/v1/submissions/00000000-0000-7000-8000-000000000000`;
        const response = await fetch(submission, { headers: headersOf(user, false) });
        await response.arrayBuffer();
        return response.status;
      },
      // With a valid token, the response is 404, because the submission does not exist.
      before: 404,
      after: 401,
    };
  },
};

/** Makes the change. Returns the milliseconds from the commit until each process shows the new state. */
async function follow(services, what, { change, look, before, after }) {
  const known = await Promise.all(services.map(({ url }) => look(url)));
  if (known.some((found) => found !== before)) {
    throw new BenchError(
      `Before a change of ${what}, the processes show ${known.join(', ')}, not ${before}.`,
    );
  }
  await change();
  const changedAt = performance.now();
  return Promise.all(
    services.map(async ({ name, url }) => {
      let seenAfter;
      for (let took = 0; seenAfter === undefined || took < seenAfter + WATCHED_FOR;) {
        const found = await look(url);
        took = performance.now() - changedAt;
        if (found === after) seenAfter ??= took;
        else if (found !== before || seenAfter !== undefined || took > SEEN_WITHIN) {
          const since = seenAfter === undefined ? '' : `, ${Math.round(took - seenAfter)} ms after ${after}`;
          throw new BenchError(
            `${Math.round(took)} ms after a change of ${what}, "${name}" shows ${found}, not ${after}${since}.`,
          );
        }
      }
      return seenAfter;
    }),
  );
}

async function published(url, rest) {
  const response = await fetch(`${url}/api/v1/forms/${FORM.uuid}${rest}`);
  return (await response.json()).data;
}

/** Uses a random id, because Redis may still have the counters of an id from an earlier run. */
async function createUser(client) {
  const id = randomInt(1_000, 2 ** 31);
  const token = `ftk_${randomBytes(32).toString('base64url')}`;
  await client.query('insert into users (id, email) values ($1, $2)', [id, `bench-${id}@example.org`]);
  await client.query('insert into api_tokens (user_id, token_hash) values ($1, $2)', [
    id,
    createHash('sha256').update(token).digest(),
  ]);
  return { id, token };
}
