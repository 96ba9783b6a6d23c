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
  /** Gone after compilation. */
  readonly isType: boolean;
  /** Loaded only when the code comes by. */
  readonly isLazy: boolean;
}

/** Statements only: what a comment or a text says of an import is none. */
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

/** Every source file but tests, by its path below src/, with what it imports. */
const sources = new Map(
  readdirSync(SOURCE, { recursive: true })
    .map((name) => String(name).replaceAll(path.sep, '/'))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((file) => [file, importsIn(readFileSync(path.join(SOURCE, file), 'utf8'), file)]),
);

const textOf = (file: string) => readFileSync(path.join(SOURCE, file), 'utf8');

const isEntity = (file: string) => /(^|\/)entities\/[^/]+\.ts$/.test(file);
const isRules = (file: string) => file.startsWith('rules/');

/** Which imports of which files break a fence, as sentences. */
function breaches(inside: (file: string) => boolean, forbidden: (imported: Import) => boolean): string[] {
  return [...sources].flatMap(([file, imports]) =>
    inside(file) ? imports.filter(forbidden).map(({ target }) => `${file} imports ${target}`) : [],
  );
}

/** What is loaded with a file, however far one follows. */
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

it('the fences look at the files that there are', () => {
  expect(sources.size).toBeGreaterThan(60);
  expect([...sources.keys()].filter(isEntity).length).toBeGreaterThanOrEqual(13);
  for (const [file, imports] of sources) {
    for (const { target, isLocal } of imports) {
      if (isLocal)
        expect({ file, target, exists: sources.has(target) }).toEqual({ file, target, exists: true });
    }
  }
});

it('imports are read as they are written', () => {
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

/** Folders from top to bottom. `entities.ts` stands below `server`, because it imports the entities of all folders. */
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
  ...['conditions', 'submissions', 'forms', 'audit', 'auth', 'throttling', 'http', 'tracing', 'migrations'],
  ...['database', 'embedded', 'process', 'config', 'rules'],
];

describe('data enters at the top and leaves at the bottom', () => {
  const folderOf = (file: string) => file.split('/')[0] ?? '';
  const heightOf = (file: string) => FOLDERS.indexOf(folderOf(file));

  it('every folder has its place', () => {
    expect([...new Set([...sources.keys()].map(folderOf))].toSorted()).toEqual(FOLDERS.toSorted());
  });

  it.each(FOLDERS)(
    '%s imports only from folders below it, except for entities among themselves',
    (folder) => {
      const upward = [...sources].flatMap(([file, imports]) =>
        imports
          .filter(({ target, isLocal }) => isLocal && sources.has(target))
          .filter(({ target }) => folderOf(file) === folder && heightOf(target) < heightOf(file))
          .filter(({ target }) => !(isEntity(file) && isEntity(target)))
          .map(({ target }) => `${file} imports ${target}`),
      );
      expect(upward).toEqual([]);
    },
  );
});

it('the rule engine imports nothing from outside its folder', () => {
  expect(breaches(isRules, ({ target }) => !isRules(target))).toEqual([]);
});

describe('entities, which another team imports', () => {
  it('import only TypeORM, each other and the rules', () => {
    expect(
      breaches(isEntity, ({ target }) => target !== 'typeorm' && !isEntity(target) && !isRules(target)),
    ).toEqual([]);
  });

  it('bring nothing along but TypeORM and what Node.js has, however far one follows', () => {
    const { files, packages } = loadedWith('entities.ts', () => true);
    expect(files.size).toBeGreaterThan(13);
    expect([...packages].filter((name) => name !== 'typeorm' && !name.startsWith('node:'))).toEqual([]);
  });

  it('are in the barrel one and all', () => {
    const exported = new Set((sources.get('entities.ts') ?? []).map(({ target }) => target));
    expect([...sources.keys()].filter((file) => isEntity(file) && !exported.has(file))).toEqual([]);
  });
});

it('what measures is loaded by the server alone, and only as it is asked for', () => {
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
  '%s loads what checks definitions only where one is checked',
  (start) => {
    const atOnce = loadedWith(start, ({ isType, isLazy }) => !isType && !isLazy);
    const inTheEnd = loadedWith(start, ({ isType }) => !isType);
    const checkers = ['ajv/dist/2020.js', 'jsonc-parser'];
    expect(checkers.filter((name) => inTheEnd.packages.has(name))).toEqual(checkers);
    expect(checkers.filter((name) => atOnce.packages.has(name))).toEqual([]);
  },
);

it('the command line loads what a command needs only once it runs', () => {
  const { packages } = loadedWith('cli.ts', ({ isType, isLazy }) => !isType && !isLazy);
  const installed = [...packages].filter((name) => !name.startsWith('node:'));
  expect(installed.toSorted()).toEqual(['commander', 'reflect-metadata']);
});

it('definitions are checked without what a database takes', () => {
  const { packages } = loadedWith('forms/definitions/lint-files.ts', ({ isType }) => !isType);
  expect(packages).toContain('jsonc-parser');
  for (const name of ['typeorm', 'pg', '@nestjs/common']) expect(packages).not.toContain(name);
});

it('what delivers webhooks is loaded only where WEBHOOKS asks for it, and by nothing that serves', () => {
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

it('what makes the OpenAPI document is loaded by the build alone', () => {
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

it('only entities may refer to each other in a circle', () => {
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

describe('suffixes say the role', () => {
  const files = (suffix: string) => [...sources.keys()].filter((file) => file.endsWith(suffix));

  it('controllers have no SQL and no keys of the wire: services and presenters have', () => {
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

  it('presenters and what is pure need no framework and no database', () => {
    const isPure = (file: string) => file.endsWith('.presenter.ts') || isRules(file);
    const frameworks = ({ target }: Import) => /^(@nestjs|typeorm|pg|fastify|class-)/.test(target);
    expect(breaches(isPure, frameworks)).toEqual([]);
  });
});

describe('the framework is used as it is documented', () => {
  /** Handlers that write the response themselves, because its bytes are there already. */
  const READY_MADE_BYTES: string[] = [];

  it('handlers return what they respond with: Nest does not send where @Res() is not passthrough', () => {
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

  it('what @EntriesOf() takes has no rules of its own, which nobody would ask', () => {
    expect(validateSync(new ValueEntryDto())).toMatchObject([
      { constraints: { unknownValue: expect.any(String) } },
    ]);
  });

  /** Parts of Node.js, Fastify, Nest, class-validator and pg that they do not document, and ways around the router. */
  const PRIVATE_PARTS = [
    '_storeHeader',
    '_httpMessage',
    'setFlagsFromString',
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
  /** These folders have tests of what they rely on. */
  const mayUsePrivateParts = (file: string) => /^(database|http)\/wire\//.test(file);

  it.each(PRIVATE_PARTS)('%s is mentioned only in database/wire and http/wire', (part) => {
    const files = [...sources.keys()].filter((file) => !mayUsePrivateParts(file));
    expect(files.filter((file) => textOf(file).includes(part))).toEqual([]);
  });
});

it('docs/architecture.md names files and folders that there are', () => {
  const page = readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8');
  const named = [...page.matchAll(/`((?:src|test|clients|examples)\/[^`\s]+)`/g)].map(
    ([, name]) => name ?? '',
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
});

it('nothing in the repository leads out of it', () => {
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
