import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { validateSync } from 'class-validator';
import { ValueEntryDto } from '../../src/submissions/dto/store-values.dto.js';
import { read, ROOT } from './repository.js';
import { breaches, capabilityOf, type Import, isEngine, isEntity, sources, textOf } from './sources.js';

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

/** Folders and files of the core from top to bottom. A folder in another folder of the list is a room of its own. */
const ROOMS = [
  ...['main.ts', 'cli.ts', 'cli', 'server', 'server/health', 'server/docs', 'schema.ts', 'entities.ts'],
  ...['conditions', 'submissions', 'submissions/idempotency', 'conditions/states', 'forms'],
  ...[
    'auth',
    'throttling',
    'http/wire',
    'http',
    'http/headers',
    'migrations',
    'database',
    'process',
    'config',
  ],
  'conditions/engine',
];

describe('the rooms of the core', () => {
  const isCore = (file: string) => capabilityOf(file) === '' && file !== 'capabilities.ts';
  const deepestFirst = ROOMS.toSorted((a, b) => b.length - a.length);
  const roomOf = (file: string) =>
    deepestFirst.find((room) => file === room || file.startsWith(`${room}/`)) ?? file;
  const heightOf = (file: string) => ROOMS.indexOf(roomOf(file));

  it('include every file', () => {
    const rooms = new Set([...sources.keys()].filter(isCore).map(roomOf));
    expect([...rooms].toSorted()).toEqual(ROOMS.toSorted());
  });

  it('import only from rooms below them, except entities from each other', () => {
    const upward = breaches(
      isCore,
      ({ target, isLocal }, file) =>
        isLocal &&
        isCore(target) &&
        heightOf(target) < heightOf(file) &&
        !(isEntity(file) && isEntity(target)),
    );
    expect(upward).toEqual([]);
  });
});

it('the engine of conditions imports only files of its own folder', () => {
  expect(breaches(isEngine, ({ target }) => !isEngine(target))).toEqual([]);
});

describe('entities, which the administration panel imports too,', () => {
  it('import only TypeORM, each other and the engine of conditions', () => {
    expect(
      breaches(isEntity, ({ target }) => target !== 'typeorm' && !isEntity(target) && !isEngine(target)),
    ).toEqual([]);
  });

  it('load only TypeORM and modules of Node.js, directly or indirectly', () => {
    const packages = [...packagesOf('entities.ts', () => true)];
    expect(packages.filter((name) => !name.startsWith('node:'))).toEqual(['typeorm']);
  });

  it('are all exported by entities.ts, or by an index.ts that it exports', () => {
    const exportedBy = (file: string): string[] =>
      (sources.get(file) ?? []).flatMap(({ target }) =>
        target.endsWith('/entities/index.ts') ? [target, ...exportedBy(target)] : [target],
      );
    const exported = new Set(exportedBy('entities.ts'));
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
    const packages = packagesOf('capabilities/definitions/lint-files.ts', everything);
    expect(packages).toContain('jsonc-parser');
    for (const name of ['typeorm', 'pg', '@nestjs/common']) expect(packages).not.toContain(name);
  });

  it('that generate the OpenAPI document are loaded by the build only', () => {
    expect(packagesOf('server/write-openapi.ts', everything)).toContain('@nestjs/swagger');
    for (const start of ['server/serve.ts', 'cli.ts'])
      expect(packagesOf(start, everything)).not.toContain('@nestjs/swagger');
  });
});

it('only entities import each other in cycles, unless one import waits until the code runs', () => {
  const cycles: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, trail: readonly string[]) => {
    const start = trail.indexOf(file);
    if (start >= 0) cycles.push([...trail.slice(start), file].join(' > '));
    if (start >= 0 || done.has(file)) return;
    for (const { target, isLocal, isLazy } of sources.get(file) ?? []) {
      if (isLocal && !isLazy && !(isEntity(file) && isEntity(target))) walk(target, [...trail, file]);
    }
    done.add(file);
  };
  for (const file of sources.keys()) walk(file, []);
  expect(cycles).toEqual([]);
});

describe('the suffix of a file determines its role:', () => {
  it('controllers contain no SQL and no snake_case keys, which belong in services and presenters', () => {
    const controllers = [...sources.keys()].filter((file) =>
      /^(?!server\/health\/).*\.controller\.ts$/.test(file),
    );
    expect(controllers.length).toBeGreaterThan(5);
    const lines = controllers.flatMap((file) => textOf(file).split('\n'));
    const sql = /\b(select|insert|update|delete) .*\b(from|into|set)\b/i;
    expect(lines.filter((line) => sql.test(line) || /^\s*[a-z]+_[a-z_]+:/.test(line))).toEqual([]);
  });

  it('presenters and the engine of conditions import no framework and no database', () => {
    const isPure = (file: string) => file.endsWith('.presenter.ts') || isEngine(file);
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
  ['CONTRIBUTING.md', /(?<![\w/])((?:src|test|scripts|docs|schemas)\/[\w./-]*\w)/g, 20],
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
