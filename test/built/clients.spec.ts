import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { importForms } from '../../src/capabilities/definitions/import-forms.js';
import { buildForm } from '../support/forms.js';
import { onEachNode } from '../support/nodes.js';
import { OPENAPI_FILE } from '../support/openapi-file.js';
import { blocksOf } from '../support/panel.js';
import { newUser, useService } from '../support/service.js';

const ROOT = path.resolve(__dirname, '../..');
const PACKAGES = ['formtrail-client', 'formtrail-session', 'formtrail-react', 'formtrail-elements'];
const WORDS = ['--json', '--prefer-offline', '--no-audit', '--no-fund'];

/** A program that fills in a form, and then renders a form on the server side. */
const PROGRAM = `
const draft = new Draft({ client: new FormtrailClient({ url, token }), form });
draft.open().then(async () => {
  draft.change('name', 'Ada');
  const outcome = await draft.complete();
  const Form = () => createElement('p', null, useDraft(new Draft(draft.options)).status);
  console.log(JSON.stringify([outcome, draft.getSnapshot().status, renderToString(createElement(Form))]));
});
`;

const IMPORTED: Readonly<Record<string, string>> = {
  FormtrailClient: 'formtrail-client',
  Draft: 'formtrail-session',
  useDraft: 'formtrail-react',
  createElement: 'react',
  renderToString: 'react-dom/server',
};

const AS_MODULE = Object.entries(IMPORTED).map(([name, from]) => `import { ${name} } from '${from}';`);
const AS_COMMONJS = Object.entries(IMPORTED).map(([name, from]) => `const { ${name} } = require('${from}');`);

/** The compiler accepts the first switch, which has a case for each component, and rejects the second. */
const TYPES = `
import type { Component, UnknownComponent } from 'formtrail-client';
import { Draft, type Question } from 'formtrail-session';
import { useFormtrail } from 'formtrail-react';
import { takeResumeCode } from 'formtrail-session/resume-link';
import { loadLanguage } from 'formtrail-session/languages';
import { English, type Language, sentences } from 'formtrail-session/sentences';
import { German } from 'formtrail-session/sentences/de';

export const statusOf = (draft: Draft): 'loading' | 'failed' | 'open' | 'completed' | 'discarded' =>
  draft.getSnapshot().status;
export const hook: typeof useFormtrail = useFormtrail;
export const code: string | undefined = takeResumeCode();
export const say = sentences({ ...English, required: 'Please answer this.' });
export const inGerman = sentences({ ...German, label: ({ label, colon }) => label + colon });
export const austrian: Promise<Language> = loadLanguage('de-AT');
export const beside = ({ mistake, ...question }: Question) => mistake && say.mistake(mistake, question);

export function elementOf({ field }: Question): string {
  const { component } = field.field_type;
  switch (component) {
    case 'text-input': case 'email-input': case 'number-input': case 'date-input': case 'file-input': return 'input';
    case 'checkbox-input': case 'radio-input': return 'fieldset';
    case 'textarea-input': return 'textarea';
    case 'select-input': return 'select';
    case 'heading-display': return 'h2';
    case 'paragraph-display': return 'p';
    case 'our-signature': return 'canvas';
    default: component satisfies UnknownComponent; return 'input';
  }
}

export function forgetful(component: Component): string {
  switch (component) {
    case 'text-input': return 'input';
    // @ts-expect-error ten are missing
    default: component satisfies UnknownComponent; return 'input';
  }
}
`;

/** The package of the element has only ES modules. */
const ELEMENT_TYPES = `
import type { FormtrailFormElement, Sentences } from 'formtrail-elements';

export const submissionOf = (element: HTMLElementTagNameMap['formtrail-form'] & FormtrailFormElement) =>
  new Promise<string>((resolve) =>
    element.addEventListener('formtrail-complete', ({ detail }) => resolve(detail.submission)),
  );
export const german: Partial<Sentences> = { stepOf: (number, count) => \`Schritt \${number} von \${count}\` };
`;

const use = useService();
let directory: string;

/** Runs a program in the folder and returns its output. Throws with the output if the program fails. */
async function run(program: string, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, words, { cwd: directory, maxBuffer: 2 ** 24 }).catch(
    (error: unknown) => {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(stdout + stderr);
    },
  );
  return stdout;
}

const node = (...words: string[]) => run(process.execPath, ...words);

const write = (name: string, text: string) => writeFile(path.join(directory, name), text);

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'formtrail-clients-'));
  await write('package.json', '{ "private": true }');
  // The READMEs say so. The script packs formtrail-client and formtrail-session too, because others need them.
  await node(path.join(ROOT, 'scripts/install.mjs'), 'formtrail-react', 'formtrail-elements');
  const { devDependencies } = JSON.parse(
    await readFile(path.join(ROOT, 'clients/react/package.json'), 'utf8'),
  ) as { devDependencies: Record<string, string> };
  const others = ['react', 'react-dom', '@types/react'].map((name) => `${name}@${devDependencies[name]}`);
  await run('npm', 'install', ...WORDS, ...others);
}, 600_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the packages of the clients, installed in an empty folder,', () => {
  onEachNode('fill in a form of a service, from ES modules and CommonJS', async (program) => {
    const { form } = await buildForm(use.database.dataSource);
    const { plainToken } = await newUser(use);
    const given = { url: use.service.url, token: plainToken, form: form.slug };
    const constants = Object.entries(given).map(([name, value]) => `const ${name} = '${value}';`);
    for (const [file, imports] of [
      ['program.mjs', AS_MODULE],
      ['program.cjs', AS_COMMONJS],
    ] as const) {
      await write(file, [...imports, ...constants, PROGRAM].join('\n'));
      expect(JSON.parse(await run(program, file))).toEqual(['done', 'completed', '<p>loading</p>']);
    }
  });

  it("print the questions of a speaker: the first program of formtrail-client's README", async () => {
    const text = await readFile(path.join(ROOT, 'examples/forms/event-registration.json'), 'utf8');
    await importForms(use.database.dataSource, [{ name: 'event-registration.json', text }]);
    const { plainToken: TOKEN } = await newUser(use);
    const [program = ''] = await blocksOf('clients/typescript/README.md', 'js');
    await write('first.mjs', program.replace('http://127.0.0.1:3000', use.service.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['first.mjs'], {
      cwd: directory,
      env: { TOKEN },
    });
    expect(stdout.trim().split('\n').slice(-2)).toEqual(['I am registering as', 'Title of your talk']);
  });

  it.each([
    ['node16', 'node16', ['types.mts', 'types.cts']],
    ['esnext', 'bundler', ['types.ts']],
  ])('have types for the modules %s with the resolution %s', async (module, moduleResolution, names) => {
    const [question = '', form = '', filePart = '', publicForm = '', markup = ''] = await blocksOf(
      'clients/react/README.md',
      'tsx',
    );
    expect(question.split('\n').length).toBeLessThanOrEqual(14);
    expect(form.split('\n').length).toBeLessThanOrEqual(42);
    const files: Record<string, string> = {
      ...Object.fromEntries(names.map((name) => [name, TYPES])),
      ...{
        'question.tsx': question,
        'form.tsx': form,
        'file-part.tsx': filePart,
        'public-form.tsx': publicForm,
        'markup.tsx': markup,
      },
      'element.mts': ELEMENT_TYPES,
    };
    for (const name of ['typescript', 'session']) {
      const blocks = await blocksOf(`clients/${name}/README.md`, 'ts');
      const about = blocks.filter((block) => block.includes('esumeCode'));
      expect(about).toHaveLength(1);
      files[`public-${name}.mts`] = about.join('');
    }
    for (const [name, text] of Object.entries(files)) await write(name, text);
    const compilerOptions = {
      ...{ module, moduleResolution },
      ...{ target: 'es2022', lib: ['es2022', 'dom'], jsx: 'react-jsx', types: [] },
      ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true },
    };
    await write('tsconfig.json', JSON.stringify({ compilerOptions, files: Object.keys(files) }));
    await node(path.join(ROOT, 'node_modules/typescript/bin/tsc'));
  });

  it('work with React 18, and have types for it', async () => {
    await run('npm', 'install', ...WORDS, 'react@18.3.1', 'react-dom@18.3.1', '@types/react@18');
    // The program and the files of the tests before.
    expect(JSON.parse(await node('program.mjs'))).toEqual(['done', 'completed', '<p>loading</p>']);
    await node(path.join(ROOT, 'node_modules/typescript/bin/tsc'));
  });

  it('can be imported on a server, where no elements exist: formtrail-elements', async () => {
    await write(
      'element.mjs',
      `import { FormtrailFormElement } from 'formtrail-elements';
console.log(FormtrailFormElement.observedAttributes.join());`,
    );
    expect((await node('element.mjs')).trim()).toBe(
      'form,url,submission,lang,locale,list,outline,height-origin',
    );
  });

  it('can be tested with Jest', async () => {
    await mkdir(path.join(directory, 'test'), { recursive: true });
    const assertion = `new Draft({ client: new FormtrailClient(), form: 'f' }).getSnapshot()`;
    await write(
      'test/form.test.js',
      `${AS_COMMONJS.join('\n')}
it('loads', () => expect(${assertion}).toEqual({ status: 'loading' }));`,
    );
    await node(path.join(ROOT, 'node_modules/jest/bin/jest.js'), '--rootDir', directory);
  });

  it.each(PACKAGES)(
    '%s contains the files that its manifest names and no tests, and its README has no relative links',
    async (name) => {
      const at = path.join(directory, 'node_modules', name);
      const { exports, main, types, license } = JSON.parse(
        await readFile(path.join(at, 'package.json'), 'utf8'),
      );
      const targets = [...JSON.stringify([exports, main, types]).matchAll(/"(\.\/[^"]*)"/g)].map(
        ([, file]) => file!,
      );
      expect(targets.length).toBeGreaterThanOrEqual(4);
      for (const file of targets.filter((one) => path.extname(one))) await readFile(path.join(at, file));
      expect(existsSync(path.join(at, 'test'))).toBe(false);
      expect(license).toBe('MIT');
      await readFile(path.join(at, 'LICENSE'));
      const links = [...(await readFile(path.join(at, 'README.md'), 'utf8')).matchAll(/\]\(([^)]+)\)/g)];
      expect(links.map(([, link]) => link).filter((link) => !/^(https:\/\/|#)/.test(link!))).toEqual([]);
    },
  );
});

describe('a client that openapi-typescript and openapi-fetch generate', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(directory, 'generated-'));
    await mkdir(path.join(folder, 'node_modules'));
    const name = 'node_modules/openapi-fetch';
    await symlink(path.join(ROOT, name), path.join(folder, name));
    const generator = path.join(ROOT, 'node_modules/openapi-typescript/bin/cli.js');
    await node(generator, OPENAPI_FILE, '-o', path.join(folder, 'api.ts'));
  });

  it.each([
    ['node16', 'node16', true],
    ['esnext', 'bundler', true],
    ['esnext', 'bundler', false],
  ])(
    "types errors as the contract's example says: modules %s, resolution %s, media type named: %s",
    async (module, moduleResolution, isNamed) => {
      const [example = ''] = await blocksOf('docs/contract.md', 'ts');
      expect(example.trim().split('\n')).toHaveLength(2);
      const code = isNamed ? example : example.replace(", 'application/json'", '');
      expect(code === example).toBe(isNamed);
      const imports = `import createClient from 'openapi-fetch';\nimport type { paths } from './api.js';\n`;
      const text = `${imports}${code}export const sentence: string | undefined = message;\n`;
      await writeFile(path.join(folder, 'errors.mts'), text);
      const compilerOptions = {
        ...{ module, moduleResolution, target: 'es2022', lib: ['es2022', 'dom'], types: [] },
        ...{ strict: true, skipLibCheck: true, noEmit: true },
      };
      const config = path.join(folder, 'tsconfig.json');
      await writeFile(config, JSON.stringify({ compilerOptions, files: ['errors.mts'] }));
      const compiled = node(path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config);
      if (isNamed) expect(await compiled).toBe('');
      else await expect(compiled).rejects.toThrow(/errors\.mts\(4,.*Property 'message' does not exist/);
    },
  );
});

describe('the sources of the clients', () => {
  const OF_SESSION = ['', '/inputs', '/languages', '/markup', '/resume-link', '/sentences'].map(
    (name) => `formtrail-session${name}`,
  );

  it.each([
    ['typescript', []],
    // The build bundles @noble/hashes into the chunk for the proof of work, so formtrail-session does not depend on it.
    ['session', ['@noble/hashes/sha2.js', 'formtrail-client']],
    ['react', [...OF_SESSION, 'react']],
    // The bundle contains these packages, so formtrail-elements does not depend on them.
    [
      'elements',
      [
        'formtrail-client',
        ...OF_SESSION,
        ...['ar', 'de', 'es', 'fr'].map((tag) => `formtrail-session/sentences/${tag}`),
        'preact',
      ],
    ],
  ])('import only the allowed packages, and no modules of Node.js: clients/%s', (name, others) => {
    const sources = path.join(ROOT, 'clients', name, 'src');
    const imported = readdirSync(sources, { recursive: true })
      .map(String)
      .filter((file) => /\.tsx?$/.test(file) && file !== 'schema.ts')
      .flatMap((file) => [...readFileSync(path.join(sources, file), 'utf8').matchAll(/from '([^']+)'/g)])
      .map(([, from]) => from!);
    expect([...new Set(imported.filter((from) => !/^\.\.?\//.test(from)))].sort()).toEqual(others);
  });

  it.each([
    ['typescript', 3_000],
    // This size includes clients/typescript, but not the chunks that are loaded later: for files, for public forms, with the first answer,
    // when the user moves, and for forms with limits or several languages. The rest of the code for limits is here: whether a form has any, and what the
    // snapshot says of them.
    ['session', 11_000],
    ['session sentences', 5_500],
    // For a page that needs only this language.
    ['session sentences/ar', 5_500],
    ['session sentences/de', 5_200],
    ['session sentences/es', 5_200],
    ['session sentences/fr', 5_200],
    ['session languages', 4_900],
    ['session markup', 1_200],
    // The file that every page loads, with everything that it bundles, but not the parts that only some pages load.
    ['elements', 40_000],
  ])('add little to a page, minified and compressed: clients/%s less than %i bytes', async (name, limit) => {
    const size = Number(await node(path.join(ROOT, 'clients/size.mjs'), ...name.split(' ')));
    expect(size).toBeGreaterThan(limit / 2);
    expect(size).toBeLessThan(limit);
  });
});
