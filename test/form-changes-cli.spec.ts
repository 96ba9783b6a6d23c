import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { compareWithFile } from '../src/cli/form-changes.js';
import { setActor } from '../src/entities.js';
import { findForm } from '../src/forms/definitions/export-form.js';
import { importForms } from '../src/forms/definitions/import-forms.js';
import { openCommandLine, type OpenCommandLine } from './support/command-line.js';
import { newUser, type Service, startService } from './support/service.js';

let { database, directory, run, close } = {} as OpenCommandLine;
let service: Service;

beforeAll(async () => {
  ({ database, directory, run, close } = await openCommandLine());
  service = await startService(database);
}, 120_000);
afterAll(async () => {
  await service.close();
  await close();
});

const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ';

async function json(...words: string[]): Promise<any> {
  const { status, stdout, stderr } = await run([...words, '--json']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

let slugs = 0;

/** Imports a new form, and returns its definition. */
async function newForm(): Promise<any> {
  slugs += 1;
  const text = { name: 'text' };
  const form = {
    name: 'Form',
    slug: `changing-${slugs}`,
    steps: [
      {
        step_number: 1,
        title: 'One',
        fields: [
          { code: 'email', label: 'E-mail', field_type: text },
          { code: 'note', label: 'Note', field_type: text, rules: [{ kind: 'max_length', value: '9' }] },
        ],
      },
    ],
  };
  await importForm(form);
  return form;
}

const importForm = async (form: object) => {
  await service.hearing(async () => {
    expect(await run(['forms', 'import', '-'], {}, JSON.stringify(form))).toMatchObject({
      status: 0,
    });
  });
};

/** Writes a file with the form after the edit. */
async function fileWith(form: any, edit: (fields: any[], form: any) => unknown): Promise<string> {
  const edited = structuredClone(form);
  edit(edited.steps[0].fields, edited);
  await writeFile(path.join(directory, 'form.json'), JSON.stringify(edited));
  return 'form.json';
}

/** Changes a form as the administration panel does. */
const change = (sql: string, slug: string, actor = '') =>
  service.hearing(() =>
    database.dataSource.transaction(async (manager) => {
      if (actor !== '') await setActor(manager, actor);
      await manager.query(sql, [slug]);
    }),
  );
const FIELDS = 'form_id = (select id from forms where slug = $1)';

/** Completes a submission of the form, which keeps the version. */
async function complete({ slug }: { slug: string }): Promise<void> {
  const { client } = await newUser({ database, service });
  const { uuid } = (await service.anyone.get(`/api/v1/forms/${slug}/by-slug`)).body.data;
  const created = await client.post('/api/v1/submissions', { form_uuid: uuid });
  const completed = await client.patch(`/api/v1/submissions/${created.body.data.uuid as string}`, {
    status: 'completed',
  });
  expect(completed.status).toBe(200);
}

describe('formtrail forms diff SLUG FILE', () => {
  it('lists what the import of the file would change, breaking changes first, and changes nothing', async () => {
    const form = await newForm();
    const file = await fileWith(form, (fields) => {
      fields[0].label = 'Your e-mail';
      fields[0].is_required = true;
      fields[1].rules[0].value = '20';
    });
    const stdout = `breaking    fields.email.is_required      The field "email" became required.
compatible  fields.email.label            The label of the field "email" changed from "E-mail" to "Your e-mail".
compatible  fields.note.rules.max_length  The rule "max_length" of the field "note" changed from "9" to "20", which rejects no more values.
1 breaking change, 2 compatible changes.
`;
    expect(await run(['forms', 'diff', form.slug, file])).toEqual({ status: 0, stdout, stderr: '' });
    expect((await json('forms', 'diff', form.slug, file))[0]).toEqual({
      path: 'fields.email.is_required',
      kind: 'breaking',
      message: 'The field "email" became required.',
    });
    expect(await json('forms', 'versions', form.slug)).toMatchObject([{ version: 1 }]);
  });

  it('lists nothing for an export, and for a file that was imported', async () => {
    const form = await newForm();
    const exported = await run(['forms', 'export', form.slug]);
    const nothing = { status: 0, stdout: 'No changes.\n', stderr: '' };
    expect(await run(['forms', 'diff', form.slug, '-'], {}, exported.stdout)).toEqual(nothing);
    expect(await run(['forms', 'diff', form.slug, await fileWith(form, () => undefined)])).toEqual(nothing);
  });

  it.each([
    [
      ['forms', 'diff', 'unknown', '-'],
      'There is no form with the slug "unknown". "forms list" shows all forms.',
    ],
    [
      ['forms', 'versions', 'unknown'],
      'There is no form with the slug "unknown". "forms list" shows all forms.',
    ],
    [['forms', 'log', 'unknown'], 'There is no form with the slug "unknown". "forms list" shows all forms.'],
    [
      ['forms', 'diff', 'unknown', '--from', '1'],
      'There is no form with the slug "unknown". "forms list" shows all forms.',
    ],
    ...[[], ['--to', '1'], ['-', '--from', '1']].map((words): [string[], string] => [
      ['forms', 'diff', 'a', ...words],
      'Name either a file or versions: "forms diff a FILE" or "forms diff a --from 1 --to 2".',
    ]),
  ])('%j fails: %s', async (words, message) => {
    expect(await run(words, {}, '{}')).toEqual({ status: 1, stdout: '', stderr: `formtrail: ${message}\n` });
  });

  it('names the mistakes of a file, and the form of a file with another slug', async () => {
    const [form, other] = [await newForm(), await newForm()];
    const mistaken = await run(['forms', 'diff', form.slug, '-'], {}, '{\n]');
    expect(mistaken).toMatchObject({ status: 1, stdout: '' });
    expect(mistaken.stderr).toMatch(
      /^formtrail: This cannot be compared:\n {2}standard input: line 2, column 1: /,
    );
    const { stderr } = await run(['forms', 'diff', form.slug, '-'], {}, JSON.stringify(other));
    expect(stderr).toBe(
      `formtrail: The slug in standard input is "${other.slug}", not "${form.slug}". ` +
        `Compare the file with its own form: "forms diff ${other.slug} FILE".\n`,
    );
  });
});

describe('formtrail forms import --refuse-breaking', () => {
  it('imports no file if one has a breaking change', async () => {
    const [form, other] = [await newForm(), await newForm()];
    const file = await fileWith(form, (fields) => {
      fields[0].label = 'Other';
      fields[1].retired = true;
    });
    await writeFile(path.join(directory, 'other.json'), JSON.stringify({ ...other, name: 'Other' }));
    expect(await run(['forms', 'import', '--refuse-breaking', 'other.json', file])).toEqual({
      status: 1,
      stdout: '',
      stderr: `formtrail: Nothing was imported, because of 1 breaking change:
  form.json: fields.note.retired: The field "note" was retired.
Undo these changes in the file, or import without --refuse-breaking to accept them. "forms diff" also lists the compatible changes.
`,
    });
    for (const { slug } of [form, other])
      expect(await json('forms', 'versions', slug)).toMatchObject([{ version: 1 }]);
  });

  it('imports new forms and compatible changes', async () => {
    const form = await newForm();
    const file = await fileWith(form, (fields) => (fields[0].label = 'Other'));
    const created = { ...form, slug: `${form.slug as string}-new` };
    expect(
      await run(['forms', 'import', file, '-', '--refuse-breaking'], {}, JSON.stringify(created)),
    ).toMatchObject({ status: 0, stdout: expect.stringMatching(/ 2 {2}changed\n.* 1 {2}created\n$/) });
  });
});

/** Random forms with the same slug, so that importing one after another changes the form in many ways. */
function randomForm(slug: string): fc.Arbitrary<object> {
  const condition = fc.record({
    depends_on_field_code: fc.constant('first'),
    operator: fc.constantFrom('equals', 'not_empty'),
    value: fc.constantFrom('a', 'b'),
    action: fc.constantFrom('show', 'hide'),
  });
  const field = (code: string) =>
    fc.record({
      code: fc.constant(code),
      label: fc.constantFrom('One', 'Two'),
      field_type: fc.constantFrom({ name: 'select' }, { name: 'text' }),
      is_required: fc.boolean(),
      retired: fc.boolean(),
      options: fc.subarray(['a', 'b', 'c'].map((value) => ({ value, label: value }))),
      rules: fc.subarray([
        { kind: 'min_length', value: '2' },
        { kind: 'pattern', value: 'a' },
      ]),
      conditions: fc.array(condition, { maxLength: 2 }),
    });
  const fields = ['second', 'third', 'fourth'].map((code) => fc.option(field(code)));
  const withoutNull = (rows: readonly unknown[]) => rows.filter((row) => row !== null);
  return fc.tuple(field('first'), ...fields).chain(([first, ...others]) =>
    fc.record({
      name: fc.constantFrom('Form', 'Other'),
      slug: fc.constant(slug),
      completion: fc.constantFrom('strict', 'lenient', null),
      steps: fc.constantFrom(
        [{ step_number: 1, title: 'All', fields: withoutNull([first, ...others]) }],
        [
          { step_number: 1, title: 'One', fields: [first] },
          { step_number: 2, title: 'Two', fields: withoutNull(others) },
        ],
      ),
    }),
  );
}

it('forms diff finds a change exactly if the import changes the form, and none after the import', async () => {
  const { dataSource } = database;
  await fc.assert(
    fc.asyncProperty(randomForm('random'), async (form) => {
      const files = [{ name: 'form.json', text: JSON.stringify(form) }];
      const isNew = (await findForm(dataSource.manager, 'random')) === undefined;
      const changes = isNew ? [] : await compareWithFile(dataSource, 'random', files);
      const [imported] = (await importForms(dataSource, files)).forms;
      expect(imported?.change).toBe(isNew ? 'created' : changes.length > 0 ? 'changed' : 'unchanged');
      expect(await compareWithFile(dataSource, 'random', files)).toEqual([]);
      expect((await importForms(dataSource, files)).forms[0]?.change).toBe('unchanged');
    }),
    { numRuns: 60 },
  );
});

describe('the versions of a form', () => {
  it('are listed, compared and logged', async () => {
    const form = await newForm();
    const { slug } = form;
    await complete(form);
    await complete(form);
    await change(`update fields set label = 'Address' where code = 'email' and ${FIELDS}`, slug);
    await change(
      `update fields set code = 'mail' where code = 'email' and ${FIELDS}`,
      slug,
      'ada@example.org',
    );
    await complete(form);
    await change(
      `update fields set retired_at = now() where code = 'note' and ${FIELDS}`,
      slug,
      'bob@example.org',
    );

    expect(await json('forms', 'versions', slug)).toEqual(
      [
        { version: 4, changed_by: 'bob@example.org', completed: 0, is_current: true, is_kept: false },
        { version: 3, changed_by: 'ada@example.org', completed: 1, is_current: false, is_kept: true },
        {
          version: 1,
          changed_by: expect.stringMatching(/^cli:/),
          completed: 2,
          is_current: false,
          is_kept: true,
        },
      ].map((version) => ({ ...version, changed_at: expect.stringMatching(/Z$/) })),
    );
    expect((await run(['forms', 'versions', slug])).stdout).toMatch(
      new RegExp(`^VERSION  CHANGED +BY +COMPLETED  CURRENT
4 +${TIME}  bob@example.org  0          yes
3 +${TIME}  ada@example.org  1          no
1 +${TIME}  cli:\\S+ +2          no
$`),
    );

    const renamed = [
      {
        path: 'fields.mail.code',
        kind: 'breaking',
        message: 'The code of the field "email" changed to "mail".',
      },
      {
        path: 'fields.mail.label',
        kind: 'compatible',
        message: 'The label of the field "mail" changed from "E-mail" to "Address".',
      },
    ];
    const removed = { path: 'fields.note', kind: 'breaking', message: 'The field "note" was removed.' };
    expect(await json('forms', 'diff', slug, '--from', '1', '--to', '3')).toEqual(renamed);
    expect(await json('forms', 'diff', slug, '--from', '3', '--to', '4')).toEqual([removed]);
    expect(await json('forms', 'diff', slug, '--from', '3')).toEqual([removed]);
    expect(await json('forms', 'diff', slug, '--from', '4', '--to', '4')).toEqual([]);
    for (const versions of [['2'], ['1', '--to', '5']])
      expect(await run(['forms', 'diff', slug, '--from', ...versions])).toEqual({
        status: 1,
        stdout: '',
        stderr:
          `formtrail: Version ${versions.at(-1)} of the form "${slug}" is not kept. Only versions in which a submission was ` +
          `completed are kept. "forms versions ${slug}" lists the versions that can be compared.\n`,
      });

    expect(await json('forms', 'log', slug)).toMatchObject([
      { version: 4, changed_by: 'bob@example.org', compared_with: 3, changes: [removed] },
      { version: 3, changed_by: 'ada@example.org', compared_with: 1, changes: renamed },
      { version: 1, compared_with: null, changes: [] },
    ]);
    expect((await run(['forms', 'log', slug])).stdout).toMatch(
      new RegExp(`^Version 4 \\(current\\), ${TIME}, by bob@example.org
  Changes since version 3:
  breaking  fields.note  The field "note" was removed.
  1 breaking change, 0 compatible changes.

Version 3, ${TIME}, by ada@example.org
  Changes since version 1:
  breaking    fields.mail.code   The code .*
  compatible  fields.mail.label  The label .*
  1 breaking change, 1 compatible change.

Version 1, ${TIME}, by cli:\\S+
  No earlier version is kept.
`),
    );
  });

  it('are logged although another program has written something else than a schema', async () => {
    const form = await newForm();
    for (const name of ['Second', 'Third', 'Fourth']) {
      await complete(form);
      await change(`update forms set name = '${name}' where slug = $1`, form.slug);
    }
    await database.dataSource.query(
      `update form_versions set schema = '{}' where version = 2 and form_id = (select id from forms where slug = $1)`,
      [form.slug],
    );

    expect(await json('forms', 'log', form.slug)).toMatchObject([
      { version: 4, is_readable: true, compared_with: 3 },
      { version: 3, is_readable: true, compared_with: 1, changes: [{ path: 'name' }] },
      { version: 2, is_readable: false, compared_with: null, changes: [] },
      { version: 1, is_readable: true, compared_with: null, changes: [] },
    ]);
    expect((await run(['forms', 'log', form.slug])).stdout).toMatch(
      /\nVersion 2, .*\n {2}This version cannot be read, because its row in form_versions holds no schema\./,
    );
    expect(await run(['forms', 'diff', form.slug, '--from', '2'])).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(`Version 2 of the form "${form.slug}" cannot be read`),
    });
    expect(await json('forms', 'diff', form.slug, '--from', '1', '--to', '3')).toMatchObject([
      { path: 'name' },
    ]);
  });

  it('compare with a version that was kept before fields had meta (F12)', async () => {
    const form = await newForm();
    await complete(form);
    const where = 'where form_id = (select id from forms where slug = $1)';
    const [{ schema }] = await database.dataSource.query(`select schema from form_versions ${where}`, [
      form.slug,
    ]);
    for (const field of schema.data.steps[0].fields) delete field.meta;
    await database.dataSource.query(`update form_versions set schema = $2 ${where}`, [form.slug, schema]);
    await change(`update forms set name = 'Other' where slug = $1`, form.slug);
    expect(await run(['forms', 'log', form.slug])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('0 breaking changes, 1 compatible change.'),
    });
  });

  it('escape what the panel calls a person, so that it can neither colour the terminal nor forge a line', async () => {
    const { slug } = await newForm();
    await database.dataSource.transaction(async (manager) => {
      await setActor(manager, 'a\u001b[31mb\nVersion 9, by c\u009b1m\u202e');
      await manager.query(`update forms set name = 'Other' where slug = $1`, [slug]);
    });
    const escaped = 'a\\u001b[31mb\\u000aVersion 9, by c\\u009b1m\\u202e';
    const [heading = ''] = (await run(['forms', 'log', slug])).stdout.split('\n');
    expect(heading.replace(new RegExp(TIME), 'TIME')).toBe(`Version 2 (current), TIME, by ${escaped}`);
    expect((await run(['forms', 'versions', slug])).stdout).toContain(escaped);
    const asJson = await run(['forms', 'log', slug, '--json']);
    expect(asJson.stdout).not.toMatch(/[\u0080-\u009f\u202e]/);
    expect(JSON.parse(asJson.stdout)).toMatchObject([
      { changed_by: 'a\u001b[31mb\nVersion 9, by c\u009b1m\u202e' },
    ]);
  });

  it('have an unknown person if the panel names nobody', async () => {
    const { slug } = await newForm();
    await change(`update forms set name = 'Other' where slug = $1`, slug);
    expect((await run(['forms', 'log', slug])).stdout).toMatch(
      new RegExp(`^Version 2 \\(current\\), ${TIME}, by unknown\n  No earlier version is kept.\n`),
    );
    expect(await json('forms', 'versions', slug)).toMatchObject([{ changed_by: null }]);
  });
});
