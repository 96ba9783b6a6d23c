import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from '../support/built-service.js';
import { client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { codeOf, compileRecipes, install, Panel } from '../support/panel.js';
import { useService } from '../support/service.js';

const ROOT = path.resolve(__dirname, '../..');

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

const use = useService();
let directory: string;
let packed: Packed;

beforeAll(async () => {
  await build();
  directory = await mkdtemp(path.join(tmpdir(), 'formtrail-package-'));
  // Without scripts: "prepack" deletes the build, which other tests use meanwhile.
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
  const { stdout } = await promisify(execFile)('npm', words, { cwd: ROOT });
  [packed] = JSON.parse(stdout) as [Packed];
}, 120_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the package', () => {
  const paths = () => packed.files.map(({ path: file }) => file);

  it('holds the built service, the example forms, and what says what they are', () => {
    const rest = paths().filter((file) => !/^dist\/src\/.*\.(js|d\.ts|js\.map)$/.test(file));
    expect(rest.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'conditions-vectors.json',
      'dist/openapi.json',
      ...['event-registration', 'job-application', 'patient-intake', 'travel-expense-claim'].map(
        (form) => `examples/forms/${form}.json`,
      ),
      'form-definition.schema.json',
      'package.json',
    ]);
    expect(paths()).toEqual(
      expect.arrayContaining(['dist/src/main.js', 'dist/src/cli.js', 'dist/src/entities.d.ts']),
    );
  });

  it('holds no test, and is small', () => {
    expect(paths().filter((file) => /\.spec\.|(^|\/)tests?\/|\.tsbuildinfo$/.test(file))).toEqual([]);
    expect(packed.unpackedSize).toBeLessThan(3 * 2 ** 20);
  });

  it('has source maps with the sources in them', async () => {
    const maps = paths().filter((file) => file.endsWith('.map'));
    expect(maps.length).toBeGreaterThan(100);
    for (const file of maps) {
      const { sources, sourcesContent = [] } = JSON.parse(await readFile(path.join(ROOT, file), 'utf8'));
      expect([file, sources.length, typeof sourcesContent[0]]).toEqual([file, 1, 'string']);
    }
  });

  it('leads, by what its manifest says, to files that it holds', async () => {
    const manifest = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
    const named = JSON.stringify([manifest.exports, manifest.typesVersions, manifest.bin ?? {}]);
    const targets = [...named.matchAll(/:\[?"(?:\.\/)?((?:dist\/|package)[^"]*)"/g)].map(([, file]) => file);
    expect(targets.length).toBeGreaterThanOrEqual(4);
    expect(targets.filter((file) => !paths().includes(file!))).toEqual([]);
  });

  it('says where it comes from, as provenance asks', async () => {
    expect(JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'))).toMatchObject({
      repository: { type: 'git', url: 'git+https://github.com/formtrail/formtrail.git' },
      publishConfig: { access: 'public', provenance: true },
    });
  });
});

describe.each([
  ['an ES module', { type: 'module' }],
  ['a CommonJS module', { type: 'commonjs' }],
  ['an ES module, with another copy of TypeORM,', { type: 'module', ownTypeOrm: true }],
] as const)('the administration panel as %s', (_what, kind) => {
  let panel: Panel;
  const slug = `expenses-${kind.type}${'ownTypeOrm' in kind ? '-copy' : ''}`;
  const schemaOf = async (of = slug) => {
    const { body } = await use.service.anyone.get(`/api/v1/forms/${of}/by-slug`);
    return (await use.service.anyone.get(`/api/v1/forms/${body.data.uuid}/schema`)).body.data;
  };
  const newly = <T>(what: string, look: () => Promise<T>) => eventually(what, look, 2_000);

  beforeAll(async () => {
    const project = await mkdtemp(path.join(directory, 'project-'));
    await install({ directory: project, tarball: path.join(directory, packed.filename), ...kind });
    expect(existsSync(path.join(project, 'node_modules/@nestjs'))).toBe(false);
    await compileRecipes(project, await codeOf('docs/administration-panel.md', 'ts'));
    panel = await Panel.start(project, use.database.url);
  }, 120_000);
  afterAll(() => panel.end());

  it('makes a form, which the service publishes at once', async () => {
    const bySlug = `/api/v1/forms/${slug}/by-slug`;
    expect((await use.service.anyone.get(bySlug)).status).toBe(404);

    const { result: id } = await panel.call('makeForm', slug);

    await newly('it is published', async () => (await use.service.anyone.get(bySlug)).status === 200);
    expect((await use.service.anyone.get(bySlug)).body.data).toMatchObject({
      id,
      version: 1,
      is_active: true,
    });
    expect(await panel.call('makeForm', slug)).toEqual({ refusedBy: 'forms_slug_key' });
  });

  it('issues a token, which the service takes and, once it is revoked, refuses', async () => {
    const address = `${slug}@example.org`;
    const { result: token } = await panel.call('grantToken', address);
    expect(await panel.call('grantToken', address.toUpperCase())).toMatchObject({
      result: { id: expect.any(Number) },
    });
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

    expect(await panel.call('withdrawToken', token.id)).toEqual({ result: 'revoked' });
    await newly('it is refused', async () => (await user.get(`/api/v1/submissions/${uuid}`)).status === 401);
    expect(await panel.call('withdrawToken', token.id)).toEqual({ result: 'was revoked already' });
    expect(await panel.call('withdrawToken', 2_147_483_647)).toEqual({ result: 'unknown' });
  });

  it('copies a form with all that it has, and retires the first', async () => {
    expect(await panel.call('copyForm', slug, `${slug}-two`)).toEqual({ result: expect.any(Number) });
    await panel.call('retireForm', slug);

    const retired = await newly('it is retired', async () => {
      const schema = await schemaOf();
      return !schema.is_active && schema;
    });
    const copy = await schemaOf(`${slug}-two`);
    expect(copy.is_active).toBe(false);
    expect(retired.version).toBe(2);
    expect(withoutIds(copy)).toEqual(withoutIds(retired));
    expect(JSON.stringify(copy)).toContain('"depends_on_field_code":"travelled"');
  });

  it('reorders steps and fields, and renames codes, each in one version', async () => {
    const form = await schemaOf(`${slug}-two`);
    const { body } = await use.service.anyone.get(`/api/v1/forms/${slug}-two/by-slug`);
    const formId = body.data.id as number;
    const [about, costs] = form.steps;
    const [name, travelled] = about.fields;

    await panel.call('reorderSteps', formId, [costs.id, about.id]);
    await panel.call('reorderFields', about.id, [travelled.id, name.id]);
    await panel.call('renameCodes', formId, { name: 'travelled', travelled: 'name' });
    expect(await panel.call('renameCodes', formId, { name: 'travelled' })).toEqual({
      refusedBy: 'fields_form_id_code_key',
    });

    const changed = await newly('all of it', async () => {
      const schema = await schemaOf(`${slug}-two`);
      return schema.version === (form.version as number) + 3 && schema;
    });
    const order = changed.steps.map((step: any) => [
      step.id,
      step.step_number,
      step.fields.map(({ id, code }: any) => [id, code]),
    ]);
    expect(order).toEqual([
      [costs.id, 1, [[costs.fields[0].id, 'amount']]],
      [
        about.id,
        2,
        [
          [travelled.id, 'name'],
          [name.id, 'travelled'],
        ],
      ],
    ]);
    expect(changed.steps[0].fields[0].conditions).toMatchObject([
      { depends_on_field_id: travelled.id, depends_on_field_code: 'name' },
    ]);
  });
});

/** A schema as it is whatever its rows are called. */
function withoutIds(schema: unknown): unknown {
  const skipped = new Set(['id', 'uuid', 'slug', 'version', 'is_active', 'depends_on_field_id']);
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (skipped.has(key) ? undefined : value)));
}
