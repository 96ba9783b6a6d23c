// "npm run panel": installs and builds what the panel needs, starts the panel on the service's database, and stops both.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneBuildAtATime } from '../../scripts/one-build-at-a-time.mjs';

const panel = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(panel, '../..');
// A copy, because NODE_ENV is set below for AdminJS, and means something else to the service.
const environment = { ...process.env };

const port = portFromEnvironment();
const host = environment.PANEL_HOST || '127.0.0.1';
const rendererUrl = rendererFromEnvironment();
const theme = themeFromEnvironment();
const email = environment.PANEL_EMAIL || 'admin@localhost';
const isGenerated = !environment.PANEL_PASSWORD;
const password = isGenerated ? generatedPassword() : environment.PANEL_PASSWORD;

await oneBuildAtATime(path.join(panel, '.building'), prepare);
const { readEnvironment } = await import('../../dist/src/server/read-environment.js');
const { openDatabase } = await import('../../dist/src/server/open-database.js');
const { openStorage } = await import('../../dist/src/capabilities/files/storage/open-storage.js');
const settings = await readEnvironment(environment);
const database = await openDatabase(settings, say);
environment.DATA_DIR = path.resolve(settings.dataDir);

const opened = [];
stopOnSignal();
try {
  // AdminJS bundles its pages into the working directory. In production mode, it finishes before it listens.
  process.chdir(panel);
  process.env.NODE_ENV = 'production';
  const { register } = await import('tsx/esm/api');
  register();
  const { openDataSource } = await import('./src/data-source.ts');
  const { createPanel } = await import('./src/panel.ts');
  const { openDefinitions } = await import('./definitions.mjs');
  const dataSource = await openDataSource(database.connection);
  opened.unshift(() => dataSource.destroy());
  const definitions = await openDefinitions(database.direct);
  opened.unshift(() => definitions.close());
  const trustProxy = [...settings.trustProxy];
  const credentials = { email, password };
  const storage = settings.filesUrl && (await openStorage(settings.filesUrl));
  const known = { rendererUrl, serviceUrl: serviceUrl(), theme, trustProxy, environment, storage };
  const app = await createPanel({ dataSource, definitions, credentials, ...known });
  opened.unshift(() => app.close());
  const address = await app.listen({ host, port });
  process.stdout.write(`
  The panel is at ${address}/admin

  Email address: ${email}
  Password:       ${isGenerated ? `${password} (valid until the panel stops; set PANEL_PASSWORD to choose one)` : 'the value of PANEL_PASSWORD'}

  Stop it with Ctrl-C.

`);
} catch (error) {
  say(
    `formtrail: ${error.code === 'EADDRINUSE' ? `Port ${port} is in use. Set PANEL_PORT to another one.` : error.stack}`,
  );
  await stop(1);
}

function portFromEnvironment() {
  const number = Number(environment.PANEL_PORT || 3100);
  if (Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
  return fail('PANEL_PORT has to be a number from 0 (any free port) to 65535.');
}

function rendererFromEnvironment() {
  const isProduction = environment.NODE_ENV === 'production';
  const url = environment.RENDERER_URL || (isProduction ? undefined : 'http://127.0.0.1:5173/');
  if (url === undefined) return undefined;
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
  return fail('RENDERER_URL has to be an address such as https://forms.example.org/.');
}

/** PUBLIC_URL, as for the service, or else where `npm start` listens. */
function serviceUrl() {
  if (settings.publicUrl !== undefined || environment.NODE_ENV === 'production') return settings.publicUrl;
  return `http://127.0.0.1:${settings.port}`;
}

function themeFromEnvironment() {
  const theme = environment.PANEL_THEME || 'light';
  return ['light', 'dark'].includes(theme) ? theme : fail('PANEL_THEME has to be light or dark.');
}

function generatedPassword() {
  if (environment.NODE_ENV !== 'production') return randomBytes(12).toString('base64url');
  return fail('PANEL_PASSWORD must be set with NODE_ENV=production.');
}

function prepare() {
  if (!existsSync(path.join(root, 'node_modules/formtrail-entities')))
    fail('The dependencies are not installed. Run "npm ci" first.');
  if (!existsSync(path.join(panel, 'node_modules/.package-lock.json'))) {
    say("Installing the panel's own packages (about 300 MB, once). This takes a minute or two.");
    run('npm', ['ci', '--no-audit', '--no-fund'], panel);
  }
  // This command builds the service if needed, and migrates the embedded database. It fails if another database is not migrated.
  run(process.execPath, ['scripts/run.mjs', 'forms', 'list'], root, 'ignore');
  const entities = path.join(root, 'packages/entities/dist/schema.js');
  const isBuilt =
    existsSync(entities) && statSync(entities).mtimeMs > statSync(path.join(root, 'dist/.built')).mtimeMs;
  if (!isBuilt) run('npm', ['run', '--silent', 'build', '-w', 'formtrail-entities'], root);
  // The panel reads the marks in labels with it.
  if (!existsSync(path.join(root, 'clients/session/dist/markup.js')))
    run(process.execPath, ['../build.mjs'], path.join(root, 'clients/session'));
}

/** Runs a command. Its output goes to standard error. */
function run(command, args, cwd, stdout = 2) {
  // On Windows, npm is a shell script.
  const shell = command === 'npm' && process.platform === 'win32';
  const { status } = spawnSync(command, args, {
    cwd,
    shell,
    stdio: ['ignore', stdout, 2],
    env: environment,
  });
  if (status !== 0) process.exit(1);
}

function stopOnSignal() {
  process.once('SIGINT', () => void stop(0));
  process.once('SIGTERM', () => void stop(0));
  // A signal to npm ends only npm's shell, so also stop when the parent process has ended.
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || void stop(0), 500).unref();
}

async function stop(status) {
  for (const close of opened.splice(0)) await close();
  await database.release();
  process.exit(status);
}

function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}

function fail(sentence) {
  say(`formtrail: ${sentence}`);
  process.exit(1);
}
