// Prints how many bytes a package of this folder and its dependencies add to a page, minified and compressed with gzip. The whole
// client counts, because an application needs a client for a session. The chunk for forms with files does not count, because it is
// loaded later. Reads the sources, so no build is needed.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const [, , name = 'typescript'] = process.argv;
const sourcesOf = (folder) => fileURLToPath(new URL(`${folder}/src/index.ts`, import.meta.url));
const entry = sourcesOf(name);
const withClient = {
  name: 'with-client',
  transform: (code, id) => (id === entry ? `${code}\nexport * from 'formtrail-client';` : undefined),
};

const [{ output }] = await build({
  configFile: false,
  logLevel: 'warn',
  plugins: name === 'typescript' ? [] : [withClient],
  resolve: { alias: { 'formtrail-client': sourcesOf('typescript') } },
  build: {
    rolldownOptions: { external: /\/(files|form-change|respondent|send-content)\.js$/ },
    // CommonJS, because Vite does not strip the white space of a library's ES modules.
    lib: { entry, formats: ['cjs'] },
    minify: true,
    write: false,
    target: 'es2022',
  },
});
process.stdout.write(`${gzipSync(output[0].code, { level: 9 }).length}\n`);
