// Serves the page and the element, and prints a link. The link contains an access token if the service runs from this checkout.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');
const folders = [here, path.join(root, 'clients/elements/dist')];
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const service = (process.env.FORMTRAIL_URL ?? 'http://127.0.0.1:3000').replace(/\/+$/, '');
// A copy, because the build sets NODE_ENV of this process, and NODE_ENV means something else to the service.
const environment = { ...process.env };

const { port, builds } = readArguments();
if (!existsSync(path.join(root, 'node_modules/vite')))
  fail('The dependencies are not installed. Run "npm ci" first.');
await checkService();
if (builds) await import('../../clients/build.mjs');
const token = process.env.FORMTRAIL_TOKEN ?? (await issueToken());

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  // All files are directly in their folder.
  const name = path.posix.basename(pathname) || 'index.html';
  contentOf(name).then(
    (content) => {
      response.setHeader('Content-Type', `${types[path.extname(name)]}; charset=utf-8`);
      response.setHeader('Cache-Control', 'no-cache');
      // The element is also for pages of the reader, which have other origins.
      response.setHeader('Access-Control-Allow-Origin', '*').end(content);
    },
    () => response.writeHead(404).end(),
  );
});
await listen(port);
stopOnSignal();
const address = `http://127.0.0.1:${server.address().port}/`;
process.stdout.write(`
  The page for ${service} is at

  ${token === undefined ? address : `${address}#token=${token}`}

  ${token === undefined ? 'The page asks for an access token, except for public forms.' : 'The link contains an access token.'}
  To fill in a public form without a token, open ${address} in a private window.
  Stop it with Ctrl-C.

`);

/** The page names the service of FORMTRAIL_URL. */
async function contentOf(name) {
  if (!(path.extname(name) in types)) throw new Error('There is no such file.');
  const folder = folders.find((one) => existsSync(path.join(one, name))) ?? here;
  const content = await readFile(path.join(folder, name), 'utf8');
  return name === 'index.html' ? content.replace('http://127.0.0.1:3000', service) : content;
}

/** Listens on this port, or on the next free one. */
function listen(number) {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (error.code === 'EADDRINUSE' && number < 65_535) resolve(listen(number + 1));
      else reject(error);
    });
    server.listen(number, '127.0.0.1', resolve);
  });
}

/** "npm run dev" builds the element itself. */
function readArguments() {
  const options = { port: { type: 'string', default: '5173' }, 'no-build': { type: 'boolean' } };
  try {
    const { values } = parseArgs({ options });
    const number = Number(values.port);
    if (Number.isInteger(number) && number >= 0 && number <= 65_535)
      return { port: number, builds: values['no-build'] !== true };
  } catch {
    // An unknown argument.
  }
  return fail('Usage: npm run example [-- --port N], with N from 0 (any free port) to 65535.');
}

async function checkService() {
  if (!/^https?:\/\//.test(service))
    fail(`FORMTRAIL_URL is "${service}"; it has to begin with http:// or https://.`);
  const { ok } = await fetch(`${service}/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(
    () => ({}),
  );
  if (ok) return;
  fail(
    `The service is not ready at ${service}. Run "npm start" in another terminal, or set FORMTRAIL_URL to its URL, ` +
      'then repeat the command.',
  );
}

/** Returns undefined if the service does not run from this checkout, so that it does not know the token. */
async function issueToken() {
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(new URL(service).hostname)) return undefined;
  const dataDirectory = path.resolve(root, process.env.DATA_DIR ?? '.data');
  if (!process.env.DATABASE_URL && !existsSync(dataDirectory)) return undefined;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...[path.join(root, 'scripts/run.mjs'), 'tokens', 'create'],
      ...['--email', 'example@localhost', '--name', 'example page', '--expires-in', '1d'],
    ],
    { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: environment },
  );
  if (status !== 0) {
    process.stderr.write(`The page has no access token, because "tokens create" failed:\n${stderr}`);
    return undefined;
  }
  const issued = stdout.trim();
  return (await isKnown(issued)) ? issued : undefined;
}

/** Another checkout's service may listen at the URL. With a valid token, an unknown submission is 404; otherwise 401. */
async function isKnown(issued) {
  const { status } = await fetch(`${service}/api/v1/submissions/00000000-0000-0000-0000-000000000000`, {
    headers: { Authorization: `Bearer ${issued}` },
  });
  return status === 404;
}

function stopOnSignal() {
  const stop = () => process.exit(0);
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  // A signal to npm ends only npm's shell, so also stop when the parent process has ended.
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || stop(), 500).unref();
}

function fail(sentence) {
  process.stderr.write(`formtrail: ${sentence}\n`);
  process.exit(1);
}
