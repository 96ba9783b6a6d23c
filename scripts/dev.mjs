// "npm run dev": runs the service and the example page, and restarts or rebuilds them after a change of their sources. swc compiles the
// service into a folder of its own, because other commands run from dist.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { transformFile } from '@swc/core';
import { prettyFactory } from 'pino-pretty';
import { buildIfNeeded, root } from './build.mjs';

/** In the package root, because the service finds the root from the place of its files. */
const output = path.join(root, 'dist.dev');
/** Milliseconds. Editors write several files at once. */
const QUIET = 50;
/** Milliseconds. A service that starts on a busy machine needs seconds. */
const START = 60_000;
const { PORT: port = '3000', HOST: host = '127.0.0.1' } = process.env;
const url = `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`;
// A copy, because Vite sets NODE_ENV of this process, and NODE_ENV means something else to the service.
const environment = { ...process.env };

const readable = prettyFactory({
  colorize: process.stdout.isTTY === true,
  singleLine: true,
  translateTime: 'SYS:HH:MM:ss',
});

let service;
/** The process of the next service, which loads packages meanwhile. */
let next;
let page;
/** One line says that the service has restarted, instead of all lines of its start. */
let isRestarting = false;
let database;
let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void stop());

// The OpenAPI document, the embedded database and the types of the packages come from the last full build, even if it is old.
const BUILT = ['dist/openapi.json', 'packages/embedded-postgres/dist', 'clients/typescript/src/schema.ts'];
if (!BUILT.every((name) => existsSync(path.join(root, name)))) {
  await buildIfNeeded();
  await import('../clients/build.mjs');
}
rmSync(output, { recursive: true, force: true });
await compile(['ormconfig.ts', ...sources('src')]);
await buildElement();
await openDatabase();
await startService();
say('Watching src and clients. Press Ctrl-C to stop.');
onChange(['src'], /(?<!\.spec)\.ts$/, async (changed) => {
  isRestarting = true;
  try {
    await compile(changed.filter((name) => existsSync(path.join(root, name))));
    await end(service);
    return (await startService()) ? 'Restarted the service.' : 'The service did not start; see above.';
  } finally {
    isRestarting = false;
  }
});
onChange(
  ['typescript', 'session', 'elements'].map((name) => `clients/${name}/src`),
  /\.(ts|tsx|css)$/,
  async () => {
    await buildElement();
    return 'Built the element. Reload the page.';
  },
);
endWithParent();

function sources(folder) {
  return readdirSync(path.join(root, folder), { recursive: true })
    .filter((name) => /(?<!\.spec|\.d)\.ts$/.test(name))
    .map((name) => path.join(folder, name));
}

async function compile(names) {
  const transform = { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false };
  const work = names.map(async (name) => {
    const { code } = await transformFile(path.join(root, name), {
      swcrc: false,
      sourceMaps: 'inline',
      jsc: {
        parser: { syntax: 'typescript', decorators: true },
        transform,
        target: 'es2023',
        experimental: { keepImportAttributes: true },
      },
      module: { type: 'es6' },
    });
    const file = path.join(output, name.replace(/\.ts$/, '.js'));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, code);
  });
  await Promise.all(work);
}

async function buildElement() {
  const { writeBundle } = await import('../clients/elements/bundle.mjs');
  await writeBundle();
  // Other commands build the clients again, because the types and the other packages are older than this bundle.
  utimesSync(path.join(root, 'clients/elements/dist/formtrail-form.js'), 0, 0);
}

/** Keeps the embedded database running while the service restarts. */
async function openDatabase() {
  if (process.env.DATABASE_URL) return;
  const { openEmbeddedPostgres } = await import('formtrail-embedded-postgres');
  const dataDir = path.resolve(root, process.env.DATA_DIR ?? '.data');
  const options = process.env.DATABASE_PORT ? { port: Number(process.env.DATABASE_PORT) } : {};
  database = await openEmbeddedPostgres({ dataDir, onProgress: say, ...options });
}

function loadService() {
  return run('scripts/dev-service.mjs', ['serve'], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
}

/** Returns whether the service is ready. The page starts with the first service that is ready. */
async function startService() {
  const started = next ?? loadService();
  service = started;
  next = loadService();
  // The callback takes the error of a process that Ctrl-C has just ended.
  started.send('start', () => undefined);
  createInterface({ input: started.stdout }).on('line', printLine);
  for (const giveUpAt = Date.now() + START; Date.now() < giveUpAt; await sleep(50)) {
    if (hasEnded(started) || isStopping) return false;
    const response = await fetch(`${url}/health/ready`).catch(() => undefined);
    if (!response?.ok) continue;
    page ??= await startPage();
    return true;
  }
  return false;
}

async function startPage() {
  const words = ['tokens', 'create', '--email=example@localhost', '--name=npm run dev', '--expires-in=1d'];
  const creating = run('dist.dev/src/cli.js', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const token = (await text(creating.stdout)).trim();
  const env = { ...environment, FORMTRAIL_URL: url, FORMTRAIL_TOKEN: token };
  return run('examples/page/serve.mjs', ['--no-build'], { env, stdio: 'inherit' });
}

function printLine(line) {
  const level = /^\{"level":(\d+)/.exec(line)?.[1];
  if (isRestarting && !(Number(level) >= 40)) return;
  process.stdout.write(level === undefined ? `${line}\n` : readable(line));
}

function run(script, words, options) {
  return spawn(process.execPath, ['--enable-source-maps', path.join(root, script), ...words], {
    cwd: root,
    env: environment,
    ...options,
  });
}

/** Calls `work` with the changed files, one change at a time, and prints one line with its result. */
function onChange(folders, pattern, work) {
  const changed = new Set();
  let isBusy = false;
  const start = async () => {
    if (isBusy || isStopping) return;
    isBusy = true;
    while (changed.size > 0 && !isStopping) {
      await sleep(QUIET);
      const names = [...changed];
      changed.clear();
      const startedAt = performance.now();
      const sentence = await work(names).catch((error) => `Failed: ${error.message}`);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      if (!isStopping) say(`${names.join(', ')}: ${sentence} (${seconds} s)`);
    }
    isBusy = false;
  };
  for (const folder of folders)
    watch(path.join(root, folder), { recursive: true }, (_, name) => {
      if (name === null || !pattern.test(name)) return;
      changed.add(path.join(folder, name));
      void start();
    });
}

async function end(child) {
  if (child === undefined || hasEnded(child)) return;
  const exit = once(child, 'exit');
  child.kill('SIGINT');
  await exit;
}

function hasEnded({ exitCode, signalCode }) {
  return exitCode !== null || signalCode !== null;
}

async function stop() {
  if (isStopping) return;
  isStopping = true;
  await Promise.all([service, next, page].map(end));
  await database?.release();
  process.exit(0);
}

/** npm signals only its shell, so the processes would otherwise survive. */
function endWithParent() {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || void stop(), 500).unref();
}

function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}
