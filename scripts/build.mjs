// Builds the service in another folder, then replaces the last build with that folder. A service that runs from the
// last build loads some of its files late, so it must never see an unfinished build.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneBuildAtATime } from './one-build-at-a-time.mjs';

export const root = path.resolve(fileURLToPath(import.meta.url), '../..');
const dist = path.join(root, 'dist');
/** The `outDir` of tsconfig.build.json. */
const newDist = path.join(root, 'dist.new');
const oldDist = path.join(root, 'dist.old');
const STAMP = '.built';
const lock = path.join(root, '.building');

// "npm run build" runs this file as a program.
if (process.argv[1] === fileURLToPath(import.meta.url)) await oneBuildAtATime(lock, build);

/** Builds if the sources are newer than the last build. */
export async function buildIfNeeded() {
  if (isBuilt()) return;
  await oneBuildAtATime(lock, () => {
    // Another process may have built while this one waited for the lock.
    if (!isBuilt()) build();
  });
}

function isBuilt() {
  const stamp = path.join(dist, STAMP);
  if (!existsSync(stamp)) return false;
  const builtAt = statSync(stamp).mtimeMs;
  const sources = ['src', 'packages/embedded-postgres/src'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true })
      .filter((name) => !name.endsWith('.spec.ts'))
      .map((name) => path.join(folder, name)),
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
  process.stderr.write('Building the service (10 to 30 seconds, only after a change)\n');
  const startedAt = new Date();
  const nest = path.join(root, 'node_modules/@nestjs/cli/bin/nest.js');
  if (!existsSync(nest)) fail('The dependencies are not installed. Run "npm ci" first.');
  for (const step of [
    [nest, 'build'],
    [path.join(root, 'node_modules/typescript/bin/tsc'), '--project', 'packages/embedded-postgres'],
    ['--conditions=openapi', path.join(newDist, 'src/server/write-openapi.js')],
  ]) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: ['ignore', 2, 2] });
    if (status !== 0) fail('The build failed; see above.');
  }
  chmodSync(path.join(newDist, 'src/cli.js'), 0o755);
  const stamp = path.join(newDist, STAMP);
  writeFileSync(stamp, '');
  // Set the time of the stamp to the start of the build, because sources that changed during
  // the build must be built again.
  utimesSync(stamp, startedAt, startedAt);
  swap();
}

function swap() {
  rmSync(oldDist, { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, oldDist);
  renameSync(newDist, dist);
  rmSync(oldDist, { recursive: true, force: true });
}

function fail(sentence) {
  process.stderr.write(`formtrail: ${sentence}\n`);
  process.exit(1);
}
