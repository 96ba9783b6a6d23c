import { compare, comparisonTables } from './compare.mjs';
import { createDatabase, openServer } from './database.mjs';
import { loadGenerator } from './load.mjs';
import { startService } from './servers.mjs';
import { surroundings } from './surroundings.mjs';

/** What a server for a million submissions has, whose tables and indexes come to as much. */
const SHARED_BUFFERS = '1GB';

/** The built service on ten thousand submissions, and on a million, of which ten thousand all over it are used. */
export async function bench(options, { say, closing }) {
  const load = await loadGenerator();
  const server = await openServer(SHARED_BUFFERS);
  closing.push(server.close);
  const [few, many] = options.short ? [200, 2_000] : [10_000, 1_000_000];
  const contestants = [];
  for (const submissions of [few, many]) {
    const startedAt = Date.now();
    say(
      `Loading ${submissions} submissions${submissions === 1_000_000 ? ', which takes a minute or two' : ''}`,
    );
    const database = await createDatabase(server, submissions);
    closing.push(database.drop);
    say(`Loaded in ${Math.round((Date.now() - startedAt) / 1000)} s`);
    database.drafts = database.drafts.slice(0, few - database.probes.length);
    const contestant = await startService(database, submissions.toLocaleString('en'));
    closing.push(contestant.stop);
    contestants.push(contestant);
  }
  const results = await compare(contestants, { ...options, load, ratio: 'cost', say });
  return {
    surroundings: await surroundings(contestants[0].database.client, load, options),
    results,
    tables: comparisonTables(results, 'cost of a request, many / few'),
  };
}
