// Prints how many bytes a package of this folder and its dependencies add to a page, minified and compressed with gzip. The whole
// client counts, because an application needs a client for a session. The chunks for forms with files or limits do not count,
// because they are loaded later. With the name of a module that is imported on its own, such as `session sentences`, prints what that module adds. For
// the web component, its file counts, but not those that browsers load only for a proof of work, or for a part that a page uses.
// Reads the sources, so no build is needed.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const [, , name = 'typescript', module = 'index'] = process.argv;
const sourcesOf = (folder, file = 'index') =>
  fileURLToPath(new URL(`${folder}/src/${file}.ts`, import.meta.url));
const size = (code) => gzipSync(code, { level: 9 }).length;

async function sizeOfModule() {
  const entry = sourcesOf(name, module);
  const withClient = {
    name: 'with-client',
    transform: (code, id) => (id === entry ? `${code}\nexport * from 'formtrail-client';` : undefined),
  };

  const [{ output }] = await build({
    configFile: false,
    logLevel: 'warn',
    plugins: name === 'typescript' || module !== 'index' ? [] : [withClient],
    resolve: { alias: { 'formtrail-client': sourcesOf('typescript') } },
    build: {
      rolldownOptions: {
        external: [
          /\/sentences\/\w+\.js$/,
          /\/(actions|begin|check|files|form-change|language|limits|prefill|refused-answers|respondent|send-content)\.js$/,
          ...(module === 'index' ? [] : ['formtrail-client']),
        ],
      },
      // CommonJS, because Vite does not strip the white space of a library's ES modules.
      lib: { entry, formats: ['cjs'] },
      minify: true,
      write: false,
      target: 'es2022',
    },
  });
  return size(output[0].code);
}

async function sizeOfElements() {
  const { bundle } = await import('./elements/bundle.mjs');
  return size((await bundle())['formtrail-form.js']);
}

process.stdout.write(`${await (name === 'elements' ? sizeOfElements() : sizeOfModule())}\n`);
