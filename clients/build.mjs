// Builds the packages of this folder that are older than their sources or dependencies. If it is run in a package's folder, it
// builds only that package and its dependencies. Writes ES modules to dist and CommonJS modules to dist/cjs, both with types. The web
// component is a bundle.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneBuildAtATime } from '../scripts/one-build-at-a-time.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);
const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
// Each package depends on those before it.
const packages = ['typescript', 'session', 'react', 'elements'];
const last = packages.indexOf(path.relative(here, process.cwd()));
const wanted = last === -1 ? packages : packages.slice(0, last + 1);

if (!areBuilt())
  await oneBuildAtATime(path.join(root, '.building-clients'), async () => areBuilt() || (await build()));

async function build() {
  process.stderr.write('Building the clients (half a minute, only after a change)\n');
  const startedAt = new Date();
  generateTypes(startedAt);
  for (const name of wanted.filter((one) => !isBuilt(one))) {
    rmSync(path.join(here, name, 'dist'), { recursive: true, force: true });
    run(name, tsc);
    if (name === 'elements') await (await import('./elements/bundle.mjs')).writeBundle();
    else await writeCommonJs(name);
    utimesSync(stampOf(name), startedAt, startedAt);
  }
  // The service's sources are newer even if its API has not changed: mark the client as up to date.
  utimesSync(stampOf('typescript'), startedAt, startedAt);
}

/** Dates a new schema.ts before this build, because otherwise the schema would look changed since the build. */
function generateTypes(startedAt) {
  run('typescript', 'scripts/generate.mjs');
  const schema = path.join(here, 'typescript/src/schema.ts');
  if (statSync(schema).mtimeMs < startedAt.getTime()) return;
  const before = new Date(startedAt.getTime() - 1);
  utimesSync(schema, before, before);
}

async function writeCommonJs(name) {
  const options = [
    '--module',
    'commonjs',
    '--moduleResolution',
    'bundler',
    '--outDir',
    'dist/cjs',
    '--noCheck',
  ];
  run(name, tsc, ...options);
  if (name === 'session') await finishSession();
  writeFileSync(stampOf(name), '{ "type": "commonjs" }\n');
}

/**
 * Bundles the library for SHA-256 into its module, because a worker of a page without a bundler cannot resolve the name of a package.
 * CommonJS has no `import.meta`: there the proof of work runs on the main thread.
 */
async function finishSession() {
  const { build: bundle } = await import('vite');
  const dist = path.join(here, 'session/dist');
  const license = readFileSync(path.join(root, 'node_modules/@noble/hashes/LICENSE'), 'utf8');
  const lib = { entry: path.join(dist, 'sha256.js'), formats: ['es', 'cjs'] };
  const bundles = await bundle({
    configFile: false,
    logLevel: 'warn',
    build: {
      lib,
      rolldownOptions: { output: { banner: `/*! @noble/hashes\n${license}*/` } },
      write: false,
      minify: false,
      target: 'es2022',
    },
  });
  for (const [index, folder] of ['', 'cjs'].entries()) {
    writeFileSync(path.join(dist, folder, 'sha256.js'), bundles[index].output[0].code);
    rmSync(path.join(dist, folder, 'sha256.js.map'));
  }
  const proof = path.join(dist, 'cjs/proof.js');
  writeFileSync(proof, readFileSync(proof, 'utf8').replace('import.meta.url', 'undefined'));
}

function areBuilt() {
  // The client's types come from the OpenAPI document, which any source file of the service may change.
  return wanted.every(isBuilt) && newestIn(path.join(root, 'src')) < builtAt('typescript');
}

function isBuilt(name) {
  const sources = packages.slice(0, packages.indexOf(name) + 1);
  return sources.every((source) =>
    ['src', 'package.json', 'tsconfig.json'].every(
      (place) => newestIn(path.join(here, source, place)) < builtAt(name),
    ),
  );
}

function builtAt(name) {
  return existsSync(stampOf(name)) ? statSync(stampOf(name)).mtimeMs : 0;
}

/** Written last, with the time at which the build started. In dist/cjs, it marks the modules of its folder as CommonJS. */
function stampOf(name) {
  return path.join(here, name, name === 'elements' ? 'dist/formtrail-form.js' : 'dist/cjs/package.json');
}

function newestIn(place) {
  const names = statSync(place).isDirectory() ? readdirSync(place, { recursive: true }) : [''];
  return Math.max(...names.map((name) => statSync(path.join(place, name)).mtimeMs));
}

function run(name, script, ...args) {
  const { status } = spawnSync(process.execPath, [script, ...args], {
    cwd: path.join(here, name),
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) return;
  process.stderr.write(`formtrail: clients/${name} could not be built; see above.\n`);
  process.exit(1);
}
