// Runs dist/src/main.js or dist/src/cli.js, and builds first where the sources are newer than the last build.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.resolve(fileURLToPath(import.meta.url), '../..');
const stamp = path.join(root, 'dist/.built');
const lock = path.join(root, '.building');
const WAIT_FOR_OTHER_BUILD = 120_000;

const [program, ...rest] = process.argv.slice(2);
endWithParent();
await buildWhereNeeded();
const script = path.join(root, `dist/src/${program}.js`);
process.argv = [process.argv[0], script, ...rest];
await import(pathToFileURL(script).href);

/** A signal to npm ends npm's shell and goes no further; the server would stay behind, and keep the port. */
function endWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    // Once: a second signal ends the server at once, and would leave its database running.
    clearInterval(timer);
    process.kill(process.pid, 'SIGINT');
  }, 500).unref();
}

async function buildWhereNeeded() {
  if (isBuilt()) return;
  await takeLock();
  try {
    // Another start may have built it while this one waited.
    if (!isBuilt()) build();
  } finally {
    rmSync(lock, { force: true });
  }
}

function isBuilt() {
  if (!existsSync(stamp)) return false;
  const builtAt = statSync(stamp).mtimeMs;
  const sources = readdirSync(path.join(root, 'src'), { recursive: true }).map((name) =>
    path.join('src', name),
  );
  return [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'nest-cli.json',
    'ormconfig.ts',
    ...sources,
  ].every((name) => statSync(path.join(root, name)).mtimeMs < builtAt);
}

function build() {
  process.stderr.write('Building (a few seconds, only after a change)\n');
  const startedAt = new Date();
  const nest = path.join(root, 'node_modules/@nestjs/cli/bin/nest.js');
  if (!existsSync(nest)) fail('The dependencies are not installed. Run "npm ci" first.');
  // As "npm run build".
  for (const step of [
    [nest, 'build'],
    ['--conditions=openapi', 'dist/src/docs/write-openapi.js'],
  ]) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: ['ignore', 2, 2] });
    if (status !== 0) fail('The build failed; see above.');
  }
  writeFileSync(stamp, '');
  // What was changed while it was being built has to be built again.
  utimesSync(stamp, startedAt, startedAt);
}

/** Two builds at once would write the files that the other one's program is about to read. */
async function takeLock() {
  let isFirstLook = true;
  for (const giveUpAt = Date.now() + WAIT_FOR_OTHER_BUILD; Date.now() < giveUpAt; await sleep(100)) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') fail(`Cannot build here: ${error.message}.`);
    }
    if (!isAlive(Number(readOr(lock, '')))) rmSync(lock, { force: true });
    else if (isFirstLook) process.stderr.write('Waiting for another build\n');
    isFirstLook = false;
  }
  fail(`Another build seems to be running. If none is, delete ${lock} and start again.`);
}

function isAlive(pid) {
  // Between the making of the lock and its content it is empty for an instant.
  if (!pid)
    return existsSync(lock) && Date.now() - statSync(lock, { throwIfNoEntry: false })?.mtimeMs < 1_000;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function readOr(file, fallback) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return fallback;
  }
}

function fail(sentence) {
  process.stderr.write(`formtrail: ${sentence}\n`);
  process.exit(1);
}
