import { compare, comparisonTables } from './compare.mjs';
import { createDatabase, openServer } from './database.mjs';
import { loadGenerator } from './load.mjs';
import { startFloor, startService } from './servers.mjs';
import { surroundings } from './surroundings.mjs';

/** Compares the built service with the floor on one database. */
export async function bench(options, { say, closing }) {
  const load = await loadGenerator();
  const server = await openServer();
  closing.push(server.close);
  const submissions = options.short ? 2_000 : 100_000;
  say(`Loading ${submissions} submissions`);
  const database = await createDatabase(server, submissions);
  closing.push(database.drop);
  const contestants = [];
  for (const start of [startFloor, startService]) {
    const contestant = await start(database);
    closing.push(contestant.stop);
    contestants.push(contestant);
  }
  const results = await compare(contestants, { ...options, load, ratio: 'rate', say });
  if (options.short)
    say(
      'This does not run the benchmarks "begin", "conditions", "files", "growth", "processes", "purge", "webhooks" and "worst".',
    );
  return {
    surroundings: await surroundings(database.client, load, options),
    results,
    tables: comparisonTables(results, 'formtrail / floor'),
  };
}
