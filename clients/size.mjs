// Prints how many bytes a package of this folder, and what it builds on, add to a page, minified and compressed. It takes their
// sources, so that nothing has to be built.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const [, , name = 'typescript'] = process.argv;
const sourcesOf = (folder) => fileURLToPath(new URL(`${folder}/src/index.ts`, import.meta.url));

const [{ output }] = await build({
  configFile: false,
  logLevel: 'warn',
  resolve: { alias: { 'formtrail-client': sourcesOf('typescript') } },
  build: {
    // Of ES modules of a library Vite does not take the white space, as it does where a page is built.
    lib: { entry: sourcesOf(name), formats: ['cjs'] },
    minify: true,
    write: false,
    target: 'es2022',
  },
});
process.stdout.write(`${gzipSync(output[0].code).length}\n`);
