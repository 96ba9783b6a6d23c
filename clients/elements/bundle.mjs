// Bundles the element, and everything that it needs, into one file. Each part that only some pages use, in src/parts, is one more file,
// and so is each language besides English, in src/languages, with its sentences for errors.
// The proof of work is in three: for its start, for a worker, and for the work itself, which the main thread does if it may start no
// worker. Values to begin with, forms with files, forms with limits, changes of a form, and forms in several languages have one each. Browsers load these files only when they need them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, minify } from 'vite';

const here = path.dirname(fileURLToPath(import.meta.url));
const clients = path.dirname(here);
const license = path.join(path.dirname(clients), 'node_modules/preact/LICENSE');
const sourcesOf = (name, file = 'index.ts') => path.join(clients, name, 'src', file);

/** Returns the code of each file by its name. */
export async function bundle() {
  const entries = {
    'search.js': sourcesOf('session', 'search.ts'),
    'prefill.js': sourcesOf('session', 'prefill.ts'),
    'proof.js': sourcesOf('session', 'proof.ts'),
    'proof-worker.js': sourcesOf('session', 'proof-worker.ts'),
    'formtrail-form.js': sourcesOf('elements'),
  };
  const files = {};
  for (const [name, entry] of Object.entries(entries)) Object.assign(files, await codeOf(name, entry));
  return files;
}

export async function writeBundle() {
  const dist = path.join(here, 'dist');
  mkdirSync(dist, { recursive: true });
  writeFileSync(path.join(dist, 'LICENSES.txt'), `preact\n\n${readFileSync(license, 'utf8')}`);
  for (const [name, code] of Object.entries(await bundle())) writeFileSync(path.join(dist, name), code);
}

/** The file, and those of the parts that it imports when it needs them. */
async function codeOf(name, entry) {
  const [{ output }] = await build({
    configFile: false,
    root: here,
    // Also for the other packages' sources: classes without the fields that only a type needs are smaller.
    tsconfig: path.join(here, 'tsconfig.json'),
    logLevel: 'warn',
    plugins: [inTheseFiles],
    // Smaller than the automatic runtime.
    oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment', development: false } },
    resolve: {
      alias: [
        { find: /^formtrail-session$/, replacement: sourcesOf('session') },
        { find: /^formtrail-session\/(.+)$/, replacement: sourcesOf('session', '$1.ts') },
        { find: /^formtrail-client$/, replacement: sourcesOf('typescript') },
      ],
    },
    build: {
      target: 'es2022',
      write: false,
      minify: false,
      cssMinify: true,
      // These browsers have light-dark().
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      lib: { entry, formats: ['es'], fileName: () => name },
      rolldownOptions: {
        // The parts import what they share with the element from its file.
        preserveEntrySignatures: 'allow-extension',
        // Names with a hash, because a part fits only the version of the element that it was built with.
        output: {
          chunkFileNames: '[name]-[hash].js',
          // Otherwise what parts share with the element may be in more files that every page loads.
          codeSplitting: { groups: [{ name: 'formtrail-form', tags: ['$initial'] }] },
        },
      },
    },
  });
  const files = {};
  for (const { fileName, code } of output) files[fileName] = await minified(fileName, code);
  return files;
}

/** Vite does not minify ES modules of libraries fully. */
async function minified(name, readable) {
  const { code } = await minify(name, readable, { module: true });
  const address = 'new URL("./proof-worker.js",import.meta.url)';
  // Only this file has code of a library.
  const note = name === 'formtrail-form.js' ? '/*! License of preact: LICENSES.txt */\n' : '';
  return note + code.replace('PROOF_WORKER', address);
}

/** Parts that are in chunks of the session, because they show what these chunks do. */
const PARTS_OF_CHUNKS = {
  'files.ts': 'parts/files.tsx',
  'form-change.ts': 'parts/form-change.tsx',
  'limits.ts': 'parts/unavailable.tsx',
};

/**
 * Keeps the proof of work, values to begin with, files, limits, changes of the form, languages and the parts out of the main file. Imports other chunks at once, because small files are larger.
 */
const inTheseFiles = {
  name: 'in-these-files',
  enforce: 'pre',
  resolveId(id, importer) {
    // A copy for each language, because browsers would load a shared file only after that of the language.
    const [, language] = /\/sentences\/(\w+)\.ts$/.exec(importer) ?? [];
    if (language && id === '../grammar.js') return `${sourcesOf('session', 'grammar.ts')}?${language}`;
    if (/^\.\/(search|proof|prefill)\.js$/.test(id)) return { id, external: true };
    return id === './sha256.js' ? sourcesOf('elements', 'sha256.ts') : undefined;
  },
  transform(code, id) {
    const imports = id.endsWith('.tsx') ? ["import { Fragment, h } from 'preact';"] : [];
    for (const [chunk, part] of Object.entries(PARTS_OF_CHUNKS))
      if (id === sourcesOf('session', chunk)) imports.push(`import '${sourcesOf('elements', part)}';`);
    const changed = code
      .replace("new URL('./proof-worker.js', import.meta.url)", 'PROOF_WORKER')
      .replace(
        /\bimport\(('\.\/(?!search|proof|prefill|files|form-change|language|limits|parts\/|sentences\/)[^']+')\)/g,
        (_, from) => {
          imports.push(`import * as lazy${imports.length} from ${from};`);
          return `Promise.resolve(lazy${imports.length - 1})`;
        },
      );
    return [...imports, changed].join('\n');
  },
};
