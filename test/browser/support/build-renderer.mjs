// Builds examples/renderer into its dist, unless the build there is of the same sources.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneBuildAtATime } from '../../../scripts/one-build-at-a-time.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const renderer = path.join(root, 'examples/renderer');
const stamp = path.join(renderer, 'dist/.sources');

await oneBuildAtATime(path.join(renderer, '.building'), () => {
  const sources = hashOf(
    ...['index.html', 'vite.config.ts', 'src'].map((name) => path.join(renderer, name)),
    ...['package-lock.json', 'clients/typescript/src', 'clients/session/src'].map((name) =>
      path.join(root, name),
    ),
  );
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  execFileSync('npm', ['run', '--silent', 'build', '-w', 'examples/renderer'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  writeFileSync(stamp, sources);
});

function hashOf(...places) {
  const hash = createHash('sha256');
  for (const file of places.flatMap(filesIn)) hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

function filesIn(place) {
  if (path.extname(place) !== '') return [place];
  return (
    readdirSync(place, { recursive: true, withFileTypes: true })
      // The build of the client generates schema.ts, which has only types.
      .filter((entry) => entry.isFile() && entry.name !== 'schema.ts')
      .map(({ parentPath, name }) => path.join(parentPath, name))
      .sort()
  );
}
