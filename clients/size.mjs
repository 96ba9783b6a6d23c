// Prints how many bytes a package of this folder, and what it builds on, add to a page, minified and compressed with gzip. All of
// the client counts, which an application makes for a session, and not what is loaded later, for forms with files. It takes the
// sources, so that nothing has to be built.
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
    rolldownOptions: { external: /\/files\.js$/ },
    // Of ES modules of a library Vite does not take the white space, as it does where a page is built.
    lib: { entry, formats: ['cjs'] },
    minify: true,
    write: false,
    target: 'es2022',
  },
});
process.stdout.write(`${gzipSync(output[0].code, { level: 9 }).length}\n`);
