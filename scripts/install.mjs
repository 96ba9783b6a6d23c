// Installs packages of this checkout in the project of the current folder, because they are not published on npm yet:
// node ../formtrail/scripts/install.mjs formtrail-react
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(fileURLToPath(import.meta.url), '../..');
const manifestIn = (folder) => JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
const packages = new Map(
  manifestIn('.').workspaces.map((folder) => {
    const manifest = manifestIn(folder);
    return [manifest.name, manifest];
  }),
);
const project = process.cwd();
/** In the project, because its package.json names the files. */
const target = path.join(project, 'formtrail-packages');

const wanted = process.argv.slice(2);
const unknown = wanted
  .filter((name) => !packages.has(name))
  .map((name) => `There is no package ${name} here. `);
if (wanted.length === 0 || unknown.length > 0)
  fail(`${unknown.join('')}Name packages to install: ${[...packages.keys()].join(', ')}.`);
if (project === root || project.startsWith(root + path.sep))
  fail('Run this in the folder of your project, outside this checkout.');
if (!existsSync(path.join(root, 'node_modules')))
  fail(`The dependencies of ${root} are not installed. Run "npm ci" there first.`);

const names = withDependencies(wanted);
mkdirSync(target, { recursive: true });
npm(root, 'pack', '--silent', '--pack-destination', target, ...names.flatMap((name) => ['-w', name]));
const files = names.map((name) => `./formtrail-packages/${name}-${packages.get(name).version}.tgz`);
// Without the prefix, npm would install in a parent folder that has a package.json, if the project has none yet.
npm(project, 'install', '--prefix', project, '--no-audit', '--no-fund', ...files);
process.stderr.write('Commit the folder formtrail-packages, because package.json names its files.\n');

/** Also the packages of this checkout on which they depend, because npm would look for those in its registry. */
function withDependencies(some) {
  const all = new Set(some);
  for (const name of all)
    for (const other of Object.keys(packages.get(name).dependencies ?? {}))
      if (packages.has(other)) all.add(other);
  return [...all];
}

function npm(cwd, ...words) {
  const { status } = spawnSync('npm', words, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}

function fail(sentence) {
  process.stderr.write(`formtrail: ${sentence}\n`);
  process.exit(1);
}
