// Builds clients/typescript where its sources are newer than its last build.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(fileURLToPath(import.meta.url), '../../..');
const client = path.join(root, 'clients/typescript');
const built = path.join(client, 'dist/index.js');
// The client's types are those of the service's OpenAPI document, which may come from any of its sources.
const sources = [path.join(client, 'src'), path.join(root, 'src')];

if (!isBuilt()) {
  process.stderr.write('Building the client (a few seconds, only after a change)\n');
  const { status } = spawnSync('npm', ['run', '--silent', 'build', '-w', 'formtrail-client'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // npm is a script of the shell on Windows.
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    process.stderr.write('formtrail: The client could not be built; see above.\n');
    process.exit(1);
  }
}

function isBuilt() {
  if (!existsSync(built)) return false;
  const builtAt = statSync(built).mtimeMs;
  return sources.every((folder) =>
    readdirSync(folder, { recursive: true })
      // The build writes it.
      .filter((name) => name !== 'schema.ts')
      .every((name) => statSync(path.join(folder, name)).mtimeMs < builtAt),
  );
}
