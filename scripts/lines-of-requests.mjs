// Prints how many lines of src/ one successful request to each specified endpoint executes. The requests are the first of a new
// process, in the order of a client. DATABASE_URL may name a server on which this program may create a database.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildIfNeeded, root } from './build.mjs';
import { coveredLines } from './covered-lines.mjs';

process.env.BENCH_DATABASE_URL ??= process.env.DATABASE_URL ?? '';
const { createDatabase, openServer } = await import('../bench/database.mjs');
const { FORM } = await import('../bench/form.mjs');
const { freePort } = await import('../bench/servers.mjs');
const { markdownTable, sum } = await import('../bench/report.mjs');

const FORMS = '/api/v1/forms';
const SUBMISSIONS = '/api/v1/submissions';
/** The specified endpoints. `values` stores one text. */
const REQUESTS = [
  { name: 'list', path: () => FORMS },
  { name: 'uuid', path: () => `${FORMS}/${FORM.uuid}` },
  { name: 'slug', path: () => `${FORMS}/${FORM.slug}/by-slug` },
  { name: 'schema', path: () => `${FORMS}/${FORM.uuid}/schema` },
  { name: 'create', method: 'POST', path: () => SUBMISSIONS, body: () => ({ form_uuid: FORM.uuid }) },
  {
    name: 'values',
    method: 'POST',
    path: ({ uuid }) => `${SUBMISSIONS}/${uuid}/values`,
    body: ({ fieldIds: [field_id] }) => ({ values: [{ field_id, value: 'Ada Lovelace' }] }),
  },
  { name: 'conditions', path: ({ uuid }) => `${SUBMISSIONS}/${uuid}/conditions` },
  { name: 'advance', method: 'POST', path: ({ uuid }) => `${SUBMISSIONS}/${uuid}/advance` },
  { name: 'retreat', method: 'POST', path: ({ uuid }) => `${SUBMISSIONS}/${uuid}/retreat` },
  { name: 'read', path: ({ uuid }) => `${SUBMISSIONS}/${uuid}` },
  {
    name: 'patch',
    method: 'PATCH',
    path: ({ uuid }) => `${SUBMISSIONS}/${uuid}`,
    body: () => ({ status: 'completed', meta: { source: 'web' } }),
  },
];
const FILES_OF = ['create', 'values'];
/** Milliseconds. Work after the response, such as the log, belongs to the request. */
const AFTER_RESPONSE = 100;
const START_WITHIN = 60_000;

const closing = [];
// A signal takes effect after the current step, because a server that is still starting could not be stopped.
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => interruption.abort(new Error(`Interrupted by ${signal}.`)));
try {
  await buildIfNeeded();
  report(await measure());
} finally {
  await close();
}

async function close() {
  for (let end = closing.pop(); end !== undefined; end = closing.pop()) await end();
}

/** Returns the covered lines of each request by file, in all and until each write to PostgreSQL. */
async function measure() {
  const server = await openServer();
  closing.push(server.close);
  interruption.signal.throwIfAborted();
  const database = await createDatabase(server, 0);
  closing.push(database.drop);
  interruption.signal.throwIfAborted();
  const service = await startService(database.url);
  const known = { fieldIds: database.fieldIds };
  const results = [];
  for (const request of REQUESTS) {
    interruption.signal.throwIfAborted();
    await service.take();
    const { data } = await send(service.url, database.token, request, known);
    await sleep(AFTER_RESPONSE);
    const stages = (await service.take()).map(coveredLines).filter(({ size }) => size > 0);
    results.push({ name: request.name, stages, files: union(stages) });
    if (request.name === 'create') known.uuid = data.uuid;
  }
  return results;
}

async function startService(databaseUrl) {
  const port = await freePort();
  const preload = path.join(root, 'scripts/precise-coverage.mjs');
  const child = spawn(process.execPath, ['--import', preload, path.join(root, 'dist/src/main.js')], {
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: port,
      DATABASE_URL: databaseUrl,
      SHUTDOWN_TIMEOUT: '2',
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  closing.push(async () => {
    child.kill('SIGINT');
    await ended;
  });
  const listening = new Promise((resolve) => {
    child.stdout.on('data', (text) => String(text).includes('"listening"') && resolve());
  });
  const late = sleep(START_WITHIN, undefined, { ref: false });
  const isListening = await Promise.race([listening.then(() => true), ended, late]);
  if (isListening !== true) throw new Error('The service does not listen; see above.');
  return {
    url: `http://127.0.0.1:${port}`,
    take: async () => {
      child.send('take');
      return (await once(child, 'message'))[0];
    },
  };
}

async function send(url, token, { method = 'GET', path, body }, known) {
  const response = await fetch(url + path(known), {
    method,
    headers: {
      ...(path(known).startsWith(SUBMISSIONS) && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body(known)) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path(known)}: ${response.status} ${text}`);
  return JSON.parse(text);
}

function report(results) {
  const all = { name: 'all', files: union(results.map(({ files }) => files)) };
  const columns = [...results, all];
  const folders = [...new Set([...all.files.keys()].map(folderOf))].sort();
  const rowOf = (title, isCounted) => [title, ...columns.map(({ files }) => String(count(files, isCounted)))];
  const rows = [
    ['lines', ...columns.map(({ name }) => name)],
    ...folders.map((folder) => rowOf(folder, (file) => folderOf(file) === folder)),
    rowOf('together', () => true),
    ['files', ...columns.map(({ files }) => String(files.size))],
  ];
  process.stdout.write(`${markdownTable(rows)}\n`);
  for (const result of results.filter(({ name }) => FILES_OF.includes(name)))
    process.stdout.write(`${filesOf(result).join('\n')}\n\n`);
  process.stdout.write(`${count(all.files, () => true)}\n`);
}

/** Returns lines that list the files of a request in the order of their first stage. */
function filesOf({ name, stages, files }) {
  const stageOf = (file) => stages.findIndex((stage) => stage.has(file)) + 1;
  const rows = [...files.keys()].sort().map((file) => ({ file, stage: stageOf(file) }));
  const sent = rows.filter(({ stage }) => stage < stages.length).length;
  return [
    `${name}: ${files.size} files, ${sent} of them before the last statement is sent (stage, lines, file)`,
    ...rows
      .sort((a, b) => a.stage - b.stage)
      .map(({ file, stage }) =>
        [String(stage).padStart(3), String(files.get(file).size).padStart(4), file].join(' '),
      ),
  ];
}

function union(results) {
  const all = new Map();
  for (const [file, lines] of results.flatMap((files) => [...files]))
    all.set(file, new Set([...(all.get(file) ?? []), ...lines]));
  return all;
}

function count(files, isCounted) {
  return sum([...files].filter(([file]) => isCounted(file)).map(([, { size }]) => size));
}

/** Returns the folder at the top of src/, or that of the capability. */
function folderOf(file) {
  return file
    .split('/')
    .slice(0, file.startsWith('capabilities/') ? 2 : 1)
    .join('/');
}
