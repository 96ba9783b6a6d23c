// Bundles the programs of a build, dist/src/main.js and cli.js, in place: with what each start loads of libraries they are about
// a hundred files instead of two thousand that Node.js would find, read and link one by one (docs/adr/0026-bundled-programs.md).
// The modules beside them stay as they are.
import { readFileSync } from 'node:fs';
import path from 'node:path';
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

/** Positions in the sources of the service, as the compiler wrote them down; those in libraries would be of no use. */
function withSourceMap(file) {
  const isOurs = file.startsWith(sources + path.sep);
  return {
    code: readFileSync(file, 'utf8'),
    map: isOurs ? readFileSync(`${file}.map`, 'utf8') : { mappings: '' },
  };
}
