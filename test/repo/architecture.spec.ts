import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { validateSync } from 'class-validator';
import { ValueEntryDto } from '../../src/submissions/dto/store-values.dto.js';
import { filesIn, read, ROOT } from './repository.js';

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

const textOf = (file: string) => read(`src/${file}`);

/** The imports of each source file, by the file's path below src/. Excludes test files. */
const sources = new Map(
  filesIn('src')
    .filter((name) => /(?<!\.spec)\.ts$/.test(name))
    .map((file) => [file, importsIn(textOf(file), file)]),
);

const isEntity = (file: string) => /(^|\/)entities\/[^/]+\.ts$/.test(file);
const isRules = (file: string) => file.startsWith('rules/');

/** Returns a sentence for each forbidden import by a file inside the boundary. */
function breaches(
  inside: (file: string) => boolean,
  forbidden: (imported: Import, file: string) => boolean,
): string[] {
  return [...sources].flatMap(([file, imports]) =>
    imports
      .filter((imported) => inside(file) && forbidden(imported, file))
      .map(({ target }) => `${file} imports ${target}`),
  );
}

/** Returns the packages that the file `start` loads, directly or indirectly. */
function packagesOf(start: string, isFollowed: (imported: Import) => boolean): Set<string> {
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
  return packages;
}

it('every local import leads to a source file', () => {
  expect(sources.size).toBeGreaterThan(60);
  expect(
    breaches(
      () => true,
      ({ target, isLocal }) => isLocal && !sources.has(target),
    ),
  ).toEqual([]);
});

/** Folders and files of src/ from top to bottom. `entities.ts` is near the top, because it imports all entities. */
const FOLDERS = [
  ...['main.ts', 'cli.ts', 'cli', 'server', 'entities.ts', 'metrics', 'health', 'docs', 'files', 'webhooks'],
  ...['conditions', 'respondents', 'submissions', 'forms', 'audit', 'auth', 'throttling', 'http'],
  ...['tracing', 'migrations', 'database', 'process', 'config', 'rules'],
];

describe('the layers of folders', () => {
  const folderOf = (file: string) => file.split('/')[0] ?? '';
  const heightOf = (file: string) => FOLDERS.indexOf(folderOf(file));

  it('include every folder', () => {
    expect([...new Set([...sources.keys()].map(folderOf))].toSorted()).toEqual(FOLDERS.toSorted());
  });

  it.each(FOLDERS)('let %s import only from folders below it, except entities from each other', (folder) => {
    const upward = breaches(
      (file) => folderOf(file) === folder,
      ({ target, isLocal }, file) =>
        isLocal && heightOf(target) < heightOf(file) && !(isEntity(file) && isEntity(target)),
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
    const packages = [...packagesOf('entities.ts', () => true)];
    expect(packages.filter((name) => !name.startsWith('node:'))).toEqual(['typeorm']);
  });

  it('are all exported by entities.ts', () => {
    const exported = new Set((sources.get('entities.ts') ?? []).map(({ target }) => target));
    expect([...sources.keys()].filter((file) => isEntity(file) && !exported.has(file))).toEqual([]);
  });
});

describe('packages that need a variable or a command', () => {
  const atStart = ({ isType, isLazy }: Import) => !isType && !isLazy;
  const everything = ({ isType }: Import) => !isType;

  it.each([
    ['of the embedded database', 'server/serve.ts', ['formtrail-embedded-postgres']],
    ['of metrics', 'server/serve.ts', ['prom-client']],
    ['of Redis', 'server/serve.ts', ['ioredis', 'rate-limiter-flexible']],
    ['of webhooks', 'server/serve.ts', ['undici']],
    ['of JSON web tokens', 'server/serve.ts', ['jose']],
    ['of files', 'server/serve.ts', ['@aws-sdk/client-s3', 'file-type/node']],
    ['of readable logs', 'server/serve.ts', ['pino-pretty']],
    ['of tracing', 'cli.ts', ['@opentelemetry/sdk-trace-node']],
    ['that check definitions', 'server/serve.ts', ['ajv/dist/2020.js', 'jsonc-parser']],
    ['that check definitions', 'cli.ts', ['ajv/dist/2020.js', 'jsonc-parser']],
  ])('%s are not loaded by %s when it starts', (_, start, packages) => {
    const [soon, late] = [packagesOf(start, atStart), packagesOf(start, everything)];
    expect(packages.filter((name) => late.has(name))).toEqual(packages);
    expect(packages.filter((name) => soon.has(name))).toEqual([]);
  });

  it('of commands are loaded only when the command runs', () => {
    const installed = [...packagesOf('cli/run.ts', atStart)].filter((name) => !name.startsWith('node:'));
    expect(installed.toSorted()).toEqual(['commander', 'reflect-metadata']);
  });

  it('of the database are not loaded to check definitions', () => {
    const packages = packagesOf('forms/definitions/lint-files.ts', everything);
    expect(packages).toContain('jsonc-parser');
    for (const name of ['typeorm', 'pg', '@nestjs/common']) expect(packages).not.toContain(name);
  });

  it('that generate the OpenAPI document are loaded by the build only', () => {
    expect(packagesOf('server/write-openapi.ts', everything)).toContain('@nestjs/swagger');
    for (const start of ['server/serve.ts', 'cli.ts'])
      expect(packagesOf(start, everything)).not.toContain('@nestjs/swagger');
  });
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
  it('controllers contain no SQL and no snake_case keys, which belong in services and presenters', () => {
    const controllers = [...sources.keys()].filter((file) => /^(?!health\/).*\.controller\.ts$/.test(file));
    expect(controllers.length).toBeGreaterThan(5);
    const lines = controllers.flatMap((file) => textOf(file).split('\n'));
    const sql = /\b(select|insert|update|delete) .*\b(from|into|set)\b/i;
    expect(lines.filter((line) => sql.test(line) || /^\s*[a-z]+_[a-z_]+:/.test(line))).toEqual([]);
  });

  it('presenters and rules import no framework and no database', () => {
    const isPure = (file: string) => file.endsWith('.presenter.ts') || isRules(file);
    expect(breaches(isPure, ({ target }) => /^(@nestjs|typeorm|pg|fastify|class-)/.test(target))).toEqual([]);
  });
});

describe('only documented features of the framework are used:', () => {
  it('handlers return the response body, because Nest sends nothing if @Res() is not passthrough', () => {
    const injected = [...sources.keys()].flatMap((file) =>
      [...textOf(file).matchAll(/@(?:Res|Response|Next)\(([^)]*)\)/g)].map(([, options = '']) => options),
    );
    expect(injected.length).toBeGreaterThan(0);
    expect(injected.filter((options) => !/^\{\s*passthrough: true,?\s*\}$/.test(options))).toEqual([]);
  });

  it('the entry DTO of @EntriesOf() has no validation rules, because nothing would apply them', () => {
    expect(validateSync(new ValueEntryDto())).toMatchObject([
      { constraints: { unknownValue: expect.any(String) } },
    ]);
  });

  /** Undocumented parts of Node.js, Fastify, Nest, class-validator and pg, and ways to bypass the router. */
  const PRIVATE_PARTS = [
    ...[
      '_storeHeader',
      '_httpMessage',
      'getMetadataStorage',
      '.prototype as unknown',
      'pg/lib/',
      "'onRoute'",
    ],
    ...['reply.hijack', 'lib/symbols', '{ master', 'driver.master', 'NetServer.prototype'],
    "server.emit('request'",
  ];

  it.each(PRIVATE_PARTS)('%s is mentioned only in database/wire and http/wire, which test it', (part) => {
    const files = [...sources.keys()].filter((file) => !/^(database|http)\/wire\//.test(file));
    expect(files.filter((file) => textOf(file).includes(part))).toEqual([]);
  });
});

it.each([
  ['docs/architecture.md', /`((?:src|test|clients|examples|packages)\/[^`\s]+)`/g, 30],
  ['CONTRIBUTING.md', /\b((?:src|test|scripts|docs)\/[\w./-]+\.(?:ts|mjs|cjs|md))\b/g, 10],
])('%s names only files and folders that exist', (page, pattern, least) => {
  const named = [...read(page).matchAll(pattern)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(least);
  expect(named.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
});

it('no file refers to a path outside the repository', () => {
  const outside = /(\.\.|\/work)\/shared\b/;
  const skipped = new Set(['node_modules', '.git', 'dist', 'coverage', '.data']);
  const filesBelow = (directory: string): string[] =>
    readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const name = path.join(directory, entry.name);
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesBelow(name);
      return entry.isFile() && statSync(name).size < 2 ** 20 ? [name] : [];
    });
  const files = filesBelow(ROOT);
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((name) => outside.test(readFileSync(name, 'utf8')))).toEqual([]);
});
