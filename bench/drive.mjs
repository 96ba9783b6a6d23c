import { requireWritten } from './checks.mjs';
import { settle } from './database.mjs';
import { CONNECTIONS } from './load.mjs';
import { headersOf, OPERATIONS } from './operations.mjs';
import { BenchError } from './bench-error.mjs';

/** Seconds of load after which the measured code is compiled. */
const WARM_UP = 5;

export async function warmUp(server, operation, load, seconds, connections) {
  await settle(server.database);
  await drive([server], operation, load, Math.min(WARM_UP, seconds), connections);
}

/** Settles the database, then drives its servers. Calls `costs` right before and right after the load. */
export async function measure(servers, operation, load, seconds, costs, connections) {
  const { database } = servers[0];
  await settle(database);
  const [{ now }] = (await database.client.query('select clock_timestamp()::text as now')).rows;
  const before = await costs();
  const driven = await drive(servers, operation, load, seconds, connections);
  const after = await costs();
  const written = await database.client.query('select from submissions where updated_at >= $1', [now]);
  requireWritten(operation, driven, written.rowCount);
  return { driven, before, after };
}

/** Drives all servers in parallel, each with its share of the connections and drafts. Fails if a response is not 2xx. */
export async function drive(servers, operation, load, seconds, allConnections = CONNECTIONS) {
  const { database } = servers[0];
  const { drafts } = database;
  // Begin with drafts that recent turns did not use.
  drafts.push(...drafts.splice(0, drafts.length / 9));
  const part = Math.floor(drafts.length / servers.length);
  const connections = allConnections / servers.length;
  return Promise.all(
    servers.map(async ({ name, url }, index) => {
      const own = drafts.slice(index * part, (index + 1) * part);
      const requests = OPERATIONS[operation].load({ ...database, drafts: own });
      const headers = headersOf(database, requests.body !== '');
      try {
        const measured = await load.run(url, headers, requests, seconds, connections);
        if (measured.non2xx > 0) {
          throw new BenchError(`${measured.non2xx} of ${measured.requests} responses were not 2xx.`);
        }
        return { ...measured, drafts: part, connections };
      } catch (error) {
        error.message = `${operation} of "${name}": ${error.message}`;
        throw error;
      }
    }),
  );
}
