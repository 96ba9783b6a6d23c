// Prints how many bytes the client adds to a page, minified and compressed.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const entry = fileURLToPath(new URL('../src/index.ts', import.meta.url));
const [{ output }] = await build({
  configFile: false,
  logLevel: 'warn',
  build: { lib: { entry, formats: ['es'] }, minify: true, write: false, target: 'es2022' },
});
process.stdout.write(`${gzipSync(output[0].code).length}\n`);
