import { compare, comparisonTables } from './compare.mjs';
import { createDatabase, openServer } from './database.mjs';
import { loadGenerator } from './load.mjs';
import { startService } from './servers.mjs';
import { surroundings } from './surroundings.mjs';
import { BenchError } from './bench-error.mjs';
import { headersOf } from './operations.mjs';

/** Shared buffers of the embedded server: about the size of the tables and indexes of a million submissions. */
const SHARED_BUFFERS = '1GB';

const LIST = '/api/v1/submissions';

/**
 * Compares the built service on ten thousand submissions and on a million submissions. In both cases, requests use ten
 * thousand submissions, scattered over the table. Then compares page 1,000 of the list of a million with page 1.
 */
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
  const pages = await comparePages(contestants[1], options.short ? 100 : 1_000, { ...options, load, say });
  return {
    surroundings: await surroundings(contestants[0].database.client, load, options),
    results: [...results, ...pages],
    tables: [
      ...comparisonTables(results, 'cost of a request, many / few'),
      ...comparisonTables(pages, 'cost of a page, far / first'),
    ],
  };
}

/** Compares page number `far` of the list with the first page, in turns, on one server. */
async function comparePages(server, far, { load, connections, pairs, seconds, say }) {
  const headers = headersOf(server.database, false);
  const pages = {
    'page 1': LIST,
    [`page ${far.toLocaleString('en')}`]: await pathOf(server.url, far, headers),
  };
  const measure = async ([name, path], count) => {
    const requests = { method: 'GET', body: '', paths: [path] };
    const driven = await load.run(server.url, headers, requests, seconds, count);
    if (driven.non2xx > 0)
      throw new BenchError(`${driven.non2xx} of ${driven.requests} responses were not 2xx.`);
    const rate = driven.requests / driven.seconds;
    say(`list on ${count}, ${name}: ${Math.round(rate)} requests per second`);
    return { requests: driven.requests, rate, p50: driven.p50, p99: driven.p99 };
  };
  const results = [];
  for (const count of connections) {
    // Ignore the first measurement of each page, in which the code is compiled.
    for (const page of Object.entries(pages)) await measure(page, count);
    const runs = Object.fromEntries(Object.keys(pages).map((name) => [name, []]));
    for (let turn = 0; turn < pairs; turn += 1) {
      for (const page of Object.entries(pages)) runs[page[0]].push(await measure(page, count));
    }
    const [first, other] = Object.values(runs);
    const ratios = first.map(({ rate }, turn) => rate / other[turn].rate);
    results.push({ operation: 'list', connections: count, runs, ratios });
  }
  return results;
}

/** Finds the path of a page of the list by following links, as a client does. */
async function pathOf(url, page, headers) {
  let path = LIST;
  for (let at = 1; at < page; at += 1) {
    const response = await fetch(url + path, { headers });
    const { links } = await response.json();
    if (!links?.next) throw new BenchError(`There is no page ${page} of the list.`);
    const { pathname, search } = new URL(links.next);
    path = pathname + search;
  }
  return path;
}
