import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { validateSync } from 'class-validator';
import { ValueEntryDto } from '../src/submissions/dto/store-values.dto.js';

const ROOT = path.resolve(__dirname, '..');
const SOURCE = path.join(ROOT, 'src');

interface Import {
  /** A file below src/, or the name of a package. */
  readonly target: string;
  readonly isLocal: boolean;
  /** True for `import type`, which compilation removes. */
  readonly isType: boolean;
  /** True for a dynamic `import()`, which loads its target only when the code runs. */
  readonly isLazy: boolean;
}

/** Matches import statements, not imports in comments or strings. */
const IMPORTS =
  /^\s*(?:import|export)\s+(type\s)?(?:[\w*{}\s,$]+?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)|\brequire\('([^']+)'\)/gm;

function importsIn(text: string, file: string): Import[] {
  return [...text.matchAll(IMPORTS)].map(([, type, ...specifiers]) => {
    const specifier = (specifiers as (string | undefined)[]).find((found) => found !== undefined) ?? '';
    const isLocal = specifier.startsWith('.');
    const target = isLocal
      ? path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '.ts')
      : specifier;
    return { target, isLocal, isType: Boolean(type), isLazy: specifiers[1] !== undefined };
  });
}

/** The imports of each source file, by the file's path below src/. Excludes test files. */
const sources = new Map(
  readdirSync(SOURCE, { recursive: true })
    .map((name) => String(name).replaceAll(path.sep, '/'))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((file) => [file, importsIn(readFileSync(path.join(SOURCE, file), 'utf8'), file)]),
);

const textOf = (file: string) => readFileSync(path.join(SOURCE, file), 'utf8');

const isEntity = (file: string) => /(^|\/)entities\/[^/]+\.ts$/.test(file);
const isRules = (file: string) => file.startsWith('rules/');

/** Returns a sentence for each forbidden import by a file inside the boundary. */
function breaches(inside: (file: string) => boolean, forbidden: (imported: Import) => boolean): string[] {
  return [...sources].flatMap(([file, imports]) =>
    inside(file) ? imports.filter(forbidden).map(({ target }) => `${file} imports ${target}`) : [],
  );
}

/** Returns the files and packages that the file `start` imports, directly or indirectly. */
function loadedWith(start: string, isFollowed: (imported: Import) => boolean) {
  const files = new Set<string>();
  const packages = new Set<string>();
  const follow = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    for (const imported of (sources.get(file) ?? []).filter(isFollowed)) {
      if (imported.isLocal) follow(imported.target);
      else packages.add(imported.target);
    }
  };
  follow(start);
  return { files, packages };
}

it('finds all source files and the local files that they import', () => {
  expect(sources.size).toBeGreaterThan(60);
  expect([...sources.keys()].filter(isEntity).length).toBeGreaterThanOrEqual(13);
  for (const [file, imports] of sources) {
    for (const { target, isLocal } of imports) {
      if (isLocal)
        expect({ file, target, exists: sources.has(target) }).toEqual({ file, target, exists: true });
    }
  }
});

it('recognises each kind of import statement', () => {
  const text = `
import 'reflect-metadata';
import type { A } from './a.js';
import { type B, b } from '../b.js';
import c, {
  d,
} from 'c';
export * from './e.js';
export { f as g } from '../../f.js';
const { h } = await import('./h.js');
// as in: import { x } from './comment.js'
const text = "from './text.js'";
export const from = 'nowhere';
`;
  expect(
    importsIn(text, 'forms/x.ts').map(({ target, isType }) => (isType ? `type ${target}` : target)),
  ).toEqual(['reflect-metadata', 'type forms/a.ts', 'b.ts', 'c', 'forms/e.ts', '../f.ts', 'forms/h.ts']);
});

/** Folders and files of src/ from top to bottom. `entities.ts` is near the top, because it imports all entities. */
const FOLDERS = [
  ...[
    'main.ts',
    'cli.ts',
    'cli',
    'server',
    'entities.ts',
    'metrics',
    'health',
    'docs',
    'files',
    'webhooks',
    'jobs',
  ],
  ...[
    'conditions',
    'respondents',
    'submissions',
    'forms',
    'audit',
    'auth',
    'throttling',
    'http',
    'tracing',
    'migrations',
  ],
  ...['database', 'embedded', 'process', 'config', 'rules'],
];

describe('the layers of folders', () => {
  const folderOf = (file: string) => file.split('/')[0] ?? '';
  const heightOf = (file: string) => FOLDERS.indexOf(folderOf(file));

  it('include every folder', () => {
    expect([...new Set([...sources.keys()].map(folderOf))].toSorted()).toEqual(FOLDERS.toSorted());
  });

  it.each(FOLDERS)('let %s import only from folders below it, except entities from each other', (folder) => {
    const upward = [...sources].flatMap(([file, imports]) =>
      imports
        .filter(({ target, isLocal }) => isLocal && sources.has(target))
        .filter(({ target }) => folderOf(file) === folder && heightOf(target) < heightOf(file))
        .filter(({ target }) => !(isEntity(file) && isEntity(target)))
        .map(({ target }) => `${file} imports ${target}`),
    );
    expect(upward).toEqual([]);
  });
});

it('the rule engine imports only files of its own folder', () => {
  expect(breaches(isRules, ({ target }) => !isRules(target))).toEqual([]);
});

describe('entities, which the administration panel imports too,', () => {
  it('import only TypeORM, each other and the rules', () => {
    expect(
      breaches(isEntity, ({ target }) => target !== 'typeorm' && !isEntity(target) && !isRules(target)),
    ).toEqual([]);
  });

  it('load only TypeORM and modules of Node.js, directly or indirectly', () => {
    const { files, packages } = loadedWith('entities.ts', () => true);
    expect(files.size).toBeGreaterThan(13);
    expect([...packages].filter((name) => name !== 'typeorm' && !name.startsWith('node:'))).toEqual([]);
  });

  it('are all exported by entities.ts', () => {
    const exported = new Set((sources.get('entities.ts') ?? []).map(({ target }) => target));
    expect([...sources.keys()].filter((file) => isEntity(file) && !exported.has(file))).toEqual([]);
  });
});

it('only the server loads the metrics, and only on demand', () => {
  expect(
    breaches(
      (file) => !file.startsWith('metrics/'),
      ({ target, isType }) => !isType && (target.startsWith('metrics/') || target === 'prom-client'),
    ),
  ).toEqual([
    'server/app.ts imports metrics/metrics.module.ts',
    'server/open-metrics.ts imports metrics/metrics-server.ts',
  ]);
  expect(textOf('server/app.ts')).toContain("await import('../metrics/");
  expect(textOf('server/open-metrics.ts')).toContain("await import('../metrics/");
});

it.each(['server/serve.ts', 'cli.ts'])(
  '%s loads the checkers of definitions only when it checks one',
  (start) => {
    const atOnce = loadedWith(start, ({ isType, isLazy }) => !isType && !isLazy);
    const inTheEnd = loadedWith(start, ({ isType }) => !isType);
    const checkers = ['ajv/dist/2020.js', 'jsonc-parser'];
    expect(checkers.filter((name) => inTheEnd.packages.has(name))).toEqual(checkers);
    expect(checkers.filter((name) => atOnce.packages.has(name))).toEqual([]);
  },
);

it('the command line loads the packages of a command only when the command runs', () => {
  const { packages } = loadedWith('cli/run.ts', ({ isType, isLazy }) => !isType && !isLazy);
  const installed = [...packages].filter((name) => !name.startsWith('node:'));
  expect(installed.toSorted()).toEqual(['commander', 'reflect-metadata']);
});

it('checking definitions loads no database packages', () => {
  const { packages } = loadedWith('forms/definitions/lint-files.ts', ({ isType }) => !isType);
  expect(packages).toContain('jsonc-parser');
  for (const name of ['typeorm', 'pg', '@nestjs/common']) expect(packages).not.toContain(name);
});

it('the server loads the delivery of webhooks only if WEBHOOKS enables it, and request handlers never do', () => {
  const atOnce = loadedWith('server/serve.ts', ({ isType, isLazy }) => !isType && !isLazy);
  const inTheEnd = loadedWith('server/serve.ts', ({ isType }) => !isType);
  const deliverers = ['graphile-worker', 'undici'];
  expect(deliverers.filter((name) => inTheEnd.packages.has(name))).toEqual(deliverers);
  expect(deliverers.filter((name) => atOnce.packages.has(name))).toEqual([]);
  expect(
    breaches(
      (file) => !/^(webhooks|cli)\//.test(file),
      ({ target, isType }) => !isType && target.startsWith('webhooks/'),
    ),
  ).toEqual([
    'entities.ts imports webhooks/entities/webhook-delivery.ts',
    'entities.ts imports webhooks/entities/webhook-endpoint.ts',
    'entities.ts imports webhooks/entities/webhook-outbox-entry.ts',
    'entities.ts imports webhooks/create-webhook-endpoint.ts',
    'entities.ts imports webhooks/entities/webhook-endpoint.ts',
    'server/app.ts imports webhooks/webhooks.module.ts',
    'server/deliver.ts imports webhooks/webhooks.service.ts',
    'server/openapi-document.ts imports webhooks/webhooks.openapi.ts',
    'server/serve.ts imports webhooks/webhooks.service.ts',
  ]);
});

it('the server loads the verification of JSON web tokens only if JWT_ISSUERS is set', () => {
  const atOnce = loadedWith('server/serve.ts', ({ isType, isLazy }) => !isType && !isLazy);
  expect(loadedWith('server/serve.ts', ({ isType }) => !isType).packages).toContain('jose');
  expect(atOnce.packages).not.toContain('jose');
  expect(
    breaches(
      (file) => !file.startsWith('auth/identities/'),
      ({ target, isType }) => !isType && (target.startsWith('auth/identities/') || target === 'jose'),
    ),
  ).toEqual(['server/app.ts imports auth/identities/identities.module.ts']);
});

it('only the build loads the generator of the OpenAPI document', () => {
  const makers = ['@nestjs/swagger', 'server/openapi-document.ts'];
  expect(
    breaches(
      () => true,
      ({ target }) => makers.includes(target),
    ),
  ).toEqual([
    'server/openapi-document.ts imports @nestjs/swagger',
    'server/write-openapi.ts imports server/openapi-document.ts',
  ]);
});

it('only entities import each other in cycles', () => {
  const cycles: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, trail: readonly string[]) => {
    const start = trail.indexOf(file);
    if (start >= 0) cycles.push([...trail.slice(start), file].join(' > '));
    if (start >= 0 || done.has(file)) return;
    for (const { target, isLocal } of sources.get(file) ?? []) {
      if (isLocal && !(isEntity(file) && isEntity(target))) walk(target, [...trail, file]);
    }
    done.add(file);
  };
  for (const file of sources.keys()) walk(file, []);
  expect(cycles).toEqual([]);
});

describe('the suffix of a file determines its role:', () => {
  const files = (suffix: string) => [...sources.keys()].filter((file) => file.endsWith(suffix));

  it('controllers contain no SQL and no snake_case keys, which belong in services and presenters', () => {
    for (const file of files('.controller.ts').filter((name) => !name.startsWith('health/'))) {
      const text = textOf(file);
      expect({
        file,
        statements: /\b(select|insert|update|delete) .*\b(from|into|set)\b/i.test(text),
      }).toMatchObject({
        statements: false,
      });
      expect({ file, keys: text.match(/^\s*[a-z]+_[a-z_]+:/gm) }).toEqual({ file, keys: null });
    }
  });

  it('presenters and rules import no framework and no database', () => {
    const isPure = (file: string) => file.endsWith('.presenter.ts') || isRules(file);
    const frameworks = ({ target }: Import) => /^(@nestjs|typeorm|pg|fastify|class-)/.test(target);
    expect(breaches(isPure, frameworks)).toEqual([]);
  });
});

describe('only documented features of the framework are used:', () => {
  /** Controllers that write responses themselves, because they already have the bytes. */
  const READY_MADE_BYTES: string[] = [];

  it('handlers return the response body, because Nest sends nothing if @Res() is not passthrough', () => {
    const injected = [...sources.keys()].flatMap((file) =>
      [...textOf(file).matchAll(/@(?:Res|Response|Next)\(([^)]*)\)/g)].map(([, options]) => ({
        file,
        options,
      })),
    );
    expect(injected.length).toBeGreaterThan(0);
    const own = injected.filter(({ options }) => !/^\{\s*passthrough: true,?\s*\}$/.test(options ?? ''));
    expect(own.map(({ file }) => file)).toEqual(READY_MADE_BYTES);
  });

  it('the entry DTO of @EntriesOf() has no validation rules, because nothing would apply them', () => {
    expect(validateSync(new ValueEntryDto())).toMatchObject([
      { constraints: { unknownValue: expect.any(String) } },
    ]);
  });

  /** Undocumented parts of Node.js, Fastify, Nest, class-validator and pg, and ways to bypass the router. */
  const PRIVATE_PARTS = [
    '_storeHeader',
    '_httpMessage',
    'getMetadataStorage',
    '.prototype as unknown',
    'pg/lib/',
    "'onRoute'",
    'reply.hijack',
    'lib/symbols',
    '{ master',
    'driver.master',
    'NetServer.prototype',
    "server.emit('request'",
  ];
  /** These folders have tests of the undocumented parts that they use. */
  const mayUsePrivateParts = (file: string) => /^(database|http)\/wire\//.test(file);

  it.each(PRIVATE_PARTS)('%s is mentioned only in database/wire and http/wire', (part) => {
    const files = [...sources.keys()].filter((file) => !mayUsePrivateParts(file));
    expect(files.filter((file) => textOf(file).includes(part))).toEqual([]);
  });
});

it('docs/architecture.md names only files and folders that exist', () => {
  const page = readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8');
  const named = [...page.matchAll(/`((?:src|test|clients|examples)\/[^`\s]+)`/g)].map(
    ([, name]) => name ?? '',
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
});

it('CONTRIBUTING.md names only files that exist', () => {
  const page = readFileSync(path.join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const named = page.match(/\b(?:src|test|scripts|docs)\/[\w./-]+\.(?:ts|mjs|cjs|md)\b/g) ?? [];
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
});

it('no file refers to a path outside the repository', () => {
  const outside = /(\.\.|\/work)\/shared\b/;
  const skipped = new Set(['node_modules', '.git', 'dist', 'coverage', '.data']);
  const filesIn = (directory: string): string[] =>
    readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const name = path.join(directory, entry.name);
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesIn(name);
      return entry.isFile() && statSync(name).size < 2 ** 20 ? [name] : [];
    });
  const files = filesIn(ROOT);
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((name) => outside.test(readFileSync(name, 'utf8')))).toEqual([]);
});
