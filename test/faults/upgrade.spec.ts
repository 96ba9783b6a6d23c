import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { Environment } from '../../src/config/environment.js';
import { MIGRATIONS } from '../../src/schema.js';
import { migrate } from '../../src/migrations/migrate.js';
import { retryWhileLocked } from '../../src/migrations/retry-while-locked.js';
import { createDataSource } from '../../src/server/data-source.js';
import { build, type BuiltService, killBuilt, runListening, within } from '../support/built-service.js';
import { eventually } from '../support/eventually.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';
import { Load } from './support/load.js';
import { UpgradedWriters } from './support/upgraded-writers.js';
import { buildVersionBefore, type Version } from './support/version-before.js';

const CLIENTS = 4;
/** Submissions that exist before the upgrade, for migrations to read. */
const STORED = 20_000;
/** Requests that must be acknowledged before, between and after the steps of the rehearsal. */
const SOME = 60;

const field = (code: string, order: number, rest: object = {}) => ({
  ...{ code, order, label: code, placeholder: null, description: null, is_required: true },
  ...{ is_repeatable: false, default_value: null, options: [], conditions: [], rules: [] },
  field_type: { name: 'text', component: 'text-input' },
  ...rest,
});
const step = (step_number: number, fields: object[]) => ({
  ...{ step_number, title: `Step ${step_number}`, description: '', is_visible: true, meta: null, fields },
});
const FORM = {
  ...{ uuid: '0191d6a4-7a2b-7c3d-8e4f-5a6b7c8d9e0f', name: 'Claim', slug: 'claim', description: '' },
  is_active: true,
  entities: [{ name: 'expense', label: 'Expense', is_repeatable: true }],
  steps: [
    step(1, [field('name', 1), field('amount', 2, { entity: 'expense', is_repeatable: true })]),
    step(2, [field('note', 1)]),
  ],
};

/** A migration like those of a later version, so that there is always one. It locks a table that every request uses. */
class Rehearsed4000000000000 {
  up = (runner: QueryRunner) =>
    runner.query('alter table submissions add rehearsed integer not null default 0');
  down = (runner: QueryRunner) => runner.query('alter table submissions drop rehearsed');
}

let before: Version;
let database: TestDatabase;
let migrator: DataSource;

beforeAll(async () => {
  await build();
  before = await buildVersionBefore();
  database = await testDatabase('template0');
  migrator = createDataSource(database.connection, { size: 2, deadlines: false });
  migrator.setOptions({ migrations: [...MIGRATIONS, Rehearsed4000000000000] });
  await migrator.initialize();
}, 300_000);

afterEach(async () => {
  Load.stopAll();
  await killBuilt();
});

afterAll(async () => {
  await migrator.destroy();
  await database.close();
  await rm(before.directory, { recursive: true, force: true });
});

async function command(cli: string, ...words: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: database.url };
  const { stdout } = await promisify(execFile)(process.execPath, [cli, ...words], { env });
  return stdout.trim();
}

async function fill(): Promise<string> {
  const file = path.join(before.directory, 'claim.json');
  await writeFile(file, JSON.stringify(FORM));
  await command(before.cli, 'forms', 'import', file);
  const plainToken = await command(before.cli, 'tokens', 'create', '--email', 'ada@example.org');
  const { dataSource } = database;
  await dataSource.query(
    `insert into submissions (uuid, form_id, user_id) select gen_random_uuid(), forms.id, users.id
       from forms, users, generate_series(1, $1)`,
    [STORED],
  );
  await dataSource.query(
    `insert into submission_values (submission_uuid, field_id, form_id, is_repeatable, value)
     select submissions.uuid, fields.id, fields.form_id, false, 'stored before'
       from submissions join fields on fields.form_id = submissions.form_id and code in ('name', 'note')`,
  );
  // Create a webhook endpoint. No worker runs, so all events stay in the outbox.
  await dataSource.query(
    `insert into webhook_endpoints (url, secret) values ('https://example.org', '\\x00')`,
  );
  return plainToken;
}

/** Reverts migrations, for which there is no command, with the same retries as `db migrate`. */
async function undo(count: number): Promise<void> {
  const runner = migrator.createQueryRunner();
  try {
    const executor = new MigrationExecutor(migrator, runner);
    const retrying = {
      runner,
      watcher: migrator.manager,
      onProgress: () => undefined,
      tries: 100,
      lockTimeout: new Environment().migrateLockTimeout,
    };
    for (let undone = 0; undone < count; undone += 1) {
      await retryWhileLocked('A migration', retrying, () => executor.undoLastMigration());
    }
  } finally {
    await runner.release();
  }
}

async function serve(main?: string): Promise<BuiltService & { readonly url: string }> {
  return runListening({ DATABASE_URL: database.url, LOG_LEVEL: 'error' }, main);
}

it('the previous version serves while its database is migrated and reverted, and no acknowledged write is lost', async () => {
  await command(before.cli, 'db', 'migrate');
  const known = (await command(before.cli, 'db', 'status')).split('\n').length;
  const newer = [...MIGRATIONS.slice(known), Rehearsed4000000000000].map(({ name }) => name);
  const writers = new UpgradedWriters(FORM.uuid, await fill(), CLIENTS);
  const oldService = await serve(before.main);
  let urls = [oldService.url];
  let asked = 0;
  const load = writers.start(() => urls[asked++ % urls.length]!);
  const some = () => {
    const enough = writers.acknowledged + SOME;
    const haveEnough = () => {
      expect(writers.wrong.slice(0, 3)).toEqual([]);
      return writers.acknowledged >= enough;
    };
    return eventually(`${enough} requests`, haveEnough, 120_000);
  };
  await some();

  expect(await migrate(migrator)).toEqual(newer);
  await some();

  // A rolling update: both versions serve. Then the release is rolled back.
  const newService = await serve();
  urls = [oldService.url, newService.url];
  await some();
  urls = [oldService.url];
  await some();
  newService.child.kill('SIGTERM');
  expect(await within(newService.ended, 'the end')).toEqual({ code: 0, signal: null });

  await undo(newer.length);
  await some();
  expect(await migrate(migrator)).toEqual(newer);
  await some();

  writers.finish();
  await load.done();
  expect(writers.wrong.slice(0, 3)).toEqual([]);
  await writers.expectAllStored(database.dataSource, STORED);
}, 600_000);
