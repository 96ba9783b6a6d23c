// Takes each capability away in turn, checks the types of what remains, and runs tests of the core on it. A capability is taken away
// by its folder below src/capabilities and its lines in src/capabilities.ts and src/entities.ts.
//
//   node scripts/without-each-capability.mjs [NAME...]
//
// Needs a build. With DATABASE_URL, the tests use databases of that server.
import { execFileSync, spawn } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { buildIfNeeded } from './build.mjs';

const ROOT = path.resolve(fileURLToPath(import.meta.url), '../..');
const SRC = path.join(ROOT, 'src');
const NAMING = ['capabilities', 'entities'];

/** The specs of the specification's endpoints. */
const CORE =
  'advance-retreat conditions create-submission delete-submission get-form get-submission list-forms patch-submission store-values';

const all = readdirSync(path.join(SRC, 'capabilities'));
const names = process.argv.length > 2 ? process.argv.slice(2) : all;
const unknown = names.filter((name) => !all.includes(name));
if (unknown.length > 0) fail(`There is no capability ${unknown.join(', ')}. There are: ${all.join(', ')}.`);

/** Removes the import of the capability, and the line of the list that names what it imports. */
function withoutLines(text, name) {
  const isOfFolder = (line) => line.includes(`'./capabilities/${name}/`);
  const [, imported] = /import \{ (\w+) \}/.exec(text.split('\n').find(isOfFolder) ?? '') ?? [];
  return text
    .split('\n')
    .filter((line) => !isOfFolder(line) && line.trim() !== `${imported},`)
    .join('\n');
}

const edited = new Map(
  names.map((name) => [
    name,
    new Map(NAMING.map((file) => [path.join(SRC, `${file}.ts`), withoutLines(read(`src/${file}.ts`), name)])),
  ]),
);

/** Returns the mistakes that the compiler finds in src without the capability. Only what the removal affects is checked again. */
function checkTypes(name, previous) {
  const folder = path.join(SRC, 'capabilities', name ?? '//');
  const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.build.json'), ts.sys.readFile);
  const isGone = (file) => file.startsWith(`${folder}${path.sep}`);
  const host = { ...ts.sys, fileExists: (file) => !isGone(file) && ts.sys.fileExists(file) };
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, host, ROOT);
  Object.assign(options, {
    noCheck: false,
    noEmit: true,
    resolveJsonModule: true,
    paths: { 'formtrail-embedded-postgres': ['./packages/embedded-postgres/src/index.ts'] },
  });
  const compilerHost = ts.createIncrementalCompilerHost(options, {
    ...host,
    readFile: (file) => edited.get(name)?.get(path.resolve(file)) ?? ts.sys.readFile(file),
  });
  const program = ts.createSemanticDiagnosticsBuilderProgram(
    fileNames.filter((file) => !isGone(path.resolve(file))),
    options,
    compilerHost,
    previous,
  );
  const found = [...program.getOptionsDiagnostics(), ...program.getSyntacticDiagnostics()];
  for (let next; (next = program.getSemanticDiagnosticsOfNextAffectedFile()) !== undefined;)
    found.push(...next.result);
  return { program, text: ts.formatDiagnostics(found, { ...compilerHost, getNewLine: () => '\n' }) };
}

/** Runs the core's specs on a copy of the build without the capability. */
async function runSpecs(name) {
  const copy = mkdtempSync(path.join(tmpdir(), `formtrail-without-${name}-`));
  try {
    const copied = readdirSync(ROOT).filter((entry) => !['.git', '.data', 'node_modules'].includes(entry));
    execFileSync('cp', ['-al', ...copied, copy], { cwd: ROOT });
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
    for (const [folder, suffix] of [
      ['src', '.ts'],
      ['dist/src', '.js'],
    ]) {
      rmSync(path.join(copy, folder, 'capabilities', name), { recursive: true });
      for (const file of NAMING) {
        const edited = path.join(copy, folder, file + suffix);
        const text = withoutLines(readFileSync(edited, 'utf8'), name);
        // The copy is a hard link, so the file must not be changed in place.
        rmSync(edited);
        writeFileSync(edited, text);
      }
    }
    // Otherwise the tests would build again, because the sources are newer than the build.
    const stamp = path.join(copy, 'dist/.built');
    rmSync(stamp);
    writeFileSync(stamp, '');
    const later = new Date(Date.now() + 1_000);
    utimesSync(stamp, later, later);
    const jest = path.join(ROOT, 'node_modules/jest/bin/jest.js');
    const specs = CORE.split(' ').map((spec) => `/e2e/${spec}\\.spec`);
    const child = spawn(
      process.execPath,
      [jest, '--selectProjects', 'service', '--maxWorkers=1', '--silent', ...specs],
      {
        cwd: copy,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
    const status = await new Promise((resolve) => child.on('exit', resolve));
    return status === 0 ? '' : output;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function read(file) {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

await buildIfNeeded();
let failures = 0;
const { program } = checkTypes();
const waiting = [...names];

/** Takes away one capability after the other, until none is left. */
async function work() {
  for (let name; (name = waiting.shift()) !== undefined;) {
    const problems = checkTypes(name, program).text || (await runSpecs(name));
    if (problems !== '') failures += 1;
    process.stdout.write(`without ${name}: ${problems === '' ? 'ok' : 'FAILED'}\n${problems}`);
  }
}

// Two at a time, because starting a run and its database takes longer than the specs.
await Promise.all([work(), work()]);
process.exitCode = failures === 0 ? 0 : 1;
