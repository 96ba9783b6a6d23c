// Bundles the programs of a build, dist/src/main.js and cli.js, in place: with what each start loads of libraries they are about
// a hundred files instead of two thousand that Node.js would find, read and link one by one (docs/adr/0026-bundled-programs.md).
// The modules beside them stay as they are.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** What every start loads. Other dependencies stay in node_modules: few need them, or OpenTelemetry instruments them there. */
const BUNDLED = [
  '@nestjs/common',
  '@nestjs/config',
  '@nestjs/core',
  '@nestjs/passport',
  '@nestjs/platform-fastify',
  '@nestjs/throttler',
  '@nestjs/typeorm',
  // Fastify's too.
  'ajv',
  'class-transformer',
  'class-validator',
  'commander',
  'fastify',
  'passport',
  'passport-http-bearer',
  'pino',
  'reflect-metadata',
  'rxjs',
  'typeorm',
  'uuid',
];

const sources = path.resolve(process.argv[2]);
const manifest = new URL('../package.json', import.meta.url);
const { dependencies, optionalDependencies } = JSON.parse(readFileSync(manifest, 'utf8'));
const external = Object.keys({ ...dependencies, ...optionalDependencies })
  .filter((name) => !BUNDLED.includes(name))
  .concat('#swagger');

const bundler = await rolldown({
  input: ['main.js', 'cli.js'].map((program) => path.join(sources, program)),
  platform: 'node',
  external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [
    { name: 'source-maps', load: withSourceMap },
    { name: 'one-typeorm', transform: requireBundledTypeorm },
    { name: 'one-driver', transform: onlyDriverOfPostgres },
    { name: 'es-modules', resolveId: asEsModule },
  ],
  onLog(level, log, next) {
    // Parts of libraries that are optional and not installed: they look for them when they run, as without a bundle.
    if (log.code !== 'UNRESOLVED_IMPORT' && log.code !== 'EVAL') next(level, log);
  },
});
await bundler.write({
  dir: sources,
  chunkFileNames: 'bundle/[name].js',
  sourcemap: true,
  // Nest and TypeORM know classes by their names.
  keepNames: true,
  // What is no Latin letter would make V8 keep all of a file in two bytes a character, for as long as the process runs.
  charset: 'ascii',
  comments: { legal: true, annotation: false, jsdoc: false },
  // A service that runs while it is built again loads a chunk of the new build by the names of the old.
  minifyInternalExports: false,
});
await bundler.close();

/** By a `require()` that a bundler does not see, Nest's module would load TypeORM once more, from node_modules. */
function requireBundledTypeorm(code, file) {
  if (!file.endsWith('/@nestjs/typeorm/dist/common/typeorm-compat.js')) return null;
  const visible = code.replace('const require = createRequire(import.meta.url);', '');
  if (visible === code) throw new Error(`${file} has changed: does it load TypeORM in another way?`);
  return { code: visible, map: { mappings: '' } };
}

/** TypeORM loads a driver for each database there is, which are half of it. */
function onlyDriverOfPostgres(code, file) {
  if (!file.endsWith('/typeorm/driver/DriverFactory.js')) return null;
  const others = /^const \w+ = require\("\.\/(?!postgres\/)[^"]+"\);$/gm;
  if (!others.test(code)) throw new Error(`${file} has changed: does it load drivers in another way?`);
  return { code: code.replace(others, ''), map: { mappings: '' } };
}

/** As ES modules, of which what nobody uses is left out: most of rxjs, and what class-validator brings for e-mail and phones. */
function asEsModule(name, importer) {
  if (name === 'rxjs' || name === 'rxjs/operators')
    return fileURLToPath(
      new URL(`../node_modules/rxjs/dist/esm/${name.slice('rxjs/'.length)}/index.js`, import.meta.url),
    );
  if (name !== 'class-validator') return null;
  // Nest's own pipe would take all of it; nobody loads that.
  if (!importer.startsWith(sources)) return { id: name, external: true };
  return fileURLToPath(new URL('../node_modules/class-validator/esm2015/index.js', import.meta.url));
}

/** Positions in the sources of the service, as the compiler wrote them down; those in libraries would be of no use. */
function withSourceMap(file) {
  const isOurs = file.startsWith(sources + path.sep);
  return {
    code: readFileSync(file, 'utf8'),
    map: isOurs ? readFileSync(`${file}.map`, 'utf8') : { mappings: '' },
  };
}
