// Runs dist/src/main.js or dist/src/cli.js, and builds first where the sources are newer than the last build.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { oneBuildAtATime } from './one-build-at-a-time.mjs';

const root = path.resolve(fileURLToPath(import.meta.url), '../..');
const stamp = path.join(root, 'dist/.built');
const lock = path.join(root, '.building');

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
  await oneBuildAtATime(lock, () => {
    // Another start may have built it while this one waited.
    if (!isBuilt()) build();
  });
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

function fail(sentence) {
  process.stderr.write(`formtrail: ${sentence}\n`);
  process.exit(1);
}
