// Builds the service: aside, and then in the place of the last build at once, for a service may be running from that, which
// loads some of its files when it comes to need them.
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
/** Where tsconfig.build.json has it written. */
const aside = path.join(root, 'dist.new');
const before = path.join(root, 'dist.old');
const STAMP = '.built';
const lock = path.join(root, '.building');

// As a program: "npm run build".
if (process.argv[1] === fileURLToPath(import.meta.url)) await oneBuildAtATime(lock, build);

/** As `npm start` does: where the sources are newer than the last build. */
export async function buildWhereNeeded() {
  if (isBuilt()) return;
  await oneBuildAtATime(lock, () => {
    // Another start may have built it while this one waited.
    if (!isBuilt()) build();
  });
}

function isBuilt() {
  const stamp = path.join(dist, STAMP);
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
  for (const step of [
    [nest, 'build'],
    ['--conditions=openapi', path.join(aside, 'src/server/write-openapi.js')],
  ]) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: ['ignore', 2, 2] });
    if (status !== 0) fail('The build failed; see above.');
  }
  chmodSync(path.join(aside, 'src/cli.js'), 0o755);
  const stamp = path.join(aside, STAMP);
  writeFileSync(stamp, '');
  // What was changed while it was being built has to be built again.
  utimesSync(stamp, startedAt, startedAt);
  swap();
}

function swap() {
  rmSync(before, { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, before);
  renameSync(aside, dist);
  rmSync(before, { recursive: true, force: true });
}

function fail(sentence) {
  process.stderr.write(`formtrail: ${sentence}\n`);
  process.exit(1);
}
