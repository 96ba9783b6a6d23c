import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setActor } from '../src/entities.js';
import { useCommandLine } from './support/command-line.js';
import { newUser } from './support/service.js';

const use = useCommandLine({});
const { run } = use;

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
          { code: 'email', label: 'Email', field_type: text },
          { code: 'note', label: 'Note', field_type: text, rules: [{ kind: 'max_length', value: '9' }] },
        ],
      },
    ],
  };
  await use.service.hearing(async () =>
    expect(await run(['forms', 'import', '-'], {}, JSON.stringify(form))).toMatchObject({ status: 0 }),
  );
  return form;
}

/** Writes a file with the form after the edit. */
async function fileWith(form: any, edit: (fields: any[], form: any) => unknown): Promise<string> {
  const edited = structuredClone(form);
  edit(edited.steps[0].fields, edited);
  await writeFile(path.join(use.directory, 'form.json'), JSON.stringify(edited));
  return 'form.json';
}

/** Changes a form as the administration panel does. */
const change = (sql: string, slug: string, actor = '') =>
  use.service.hearing(() =>
    use.database.dataSource.transaction(async (manager) => {
      if (actor !== '') await setActor(manager, actor);
      await manager.query(sql, [slug]);
    }),
  );

/** Completes a submission of the form, which keeps the version. */
async function complete({ slug }: { slug: string }): Promise<void> {
  const { client } = await newUser(use);
  const { uuid } = (await use.service.anyone.get(`/api/v1/forms/${slug}/by-slug`)).body.data;
  const created = await client.post('/api/v1/submissions', { form_uuid: uuid });
  const completed = await client.patch(`/api/v1/submissions/${created.body.data.uuid as string}`, {
    status: 'completed',
  });
  expect(completed.status).toBe(200);
}

describe('formtrail forms diff SLUG FILE (N5)', () => {
  it('lists what the import of the file would change, breaking changes first, and changes nothing', async () => {
    const form = await newForm();
    const file = await fileWith(form, (fields) => {
      fields[0].label = 'Your email';
      fields[0].is_required = true;
      fields[1].rules[0].value = '20';
    });
    const stdout = `breaking    fields.email.is_required      The field "email" is now required.
compatible  fields.email.label            The label of the field "email" changed from "Email" to "Your email".
compatible  fields.note.rules.max_length  The rule "max_length" of the field "note" changed from "9" to "20", which rejects no more values.
1 breaking change, 2 compatible changes.
`;
    expect(await run(['forms', 'diff', form.slug, file])).toEqual({ status: 0, stdout, stderr: '' });
    expect((await json('forms', 'diff', form.slug, file))[0]).toEqual({
      path: 'fields.email.is_required',
      kind: 'breaking',
      message: 'The field "email" is now required.',
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

  const NO_FORM = 'There is no form with the slug "unknown". "forms list" shows all forms.';
  const NAME = 'Name either a file or versions: "forms diff a FILE" or "forms diff a --from 1 --to 2".';
  it.each([
    ['forms diff unknown -', NO_FORM],
    ['forms versions unknown', NO_FORM],
    ['forms log unknown', NO_FORM],
    ['forms diff unknown --from 1', NO_FORM],
    ['forms diff a', NAME],
    ['forms diff a --to 1', NAME],
    ['forms diff a - --from 1', NAME],
  ])('"%s" fails: %s', async (words, message) => {
    const outcome = await run(words.split(' '), {}, '{}');
    expect(outcome).toEqual({ status: 1, stdout: '', stderr: `formtrail: ${message}\n` });
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
    await writeFile(path.join(use.directory, 'other.json'), JSON.stringify({ ...other, name: 'Other' }));
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

describe('the versions of a form', () => {
  it('are listed, compared and logged', async () => {
    const form = await newForm();
    const { slug } = form;
    await complete(form);
    await complete(form);
    const setField = (columns: string, code: string, actor?: string) =>
      change(
        `update fields set ${columns} where code = '${code}' and form_id = (select id from forms where slug = $1)`,
        slug,
        actor,
      );
    await setField(`label = 'Address'`, 'email');
    await setField(`code = 'mail'`, 'email', 'ada@example.org');
    await complete(form);
    await setField('retired_at = now()', 'note', 'bob@example.org');

    const changed_at = expect.stringMatching(/Z$/);
    const kept = { changed_at, is_current: false, is_kept: true };
    expect(await json('forms', 'versions', slug)).toEqual([
      {
        changed_at,
        version: 4,
        changed_by: 'bob@example.org',
        completed: 0,
        is_current: true,
        is_kept: false,
      },
      { ...kept, version: 3, changed_by: 'ada@example.org', completed: 1 },
      { ...kept, version: 1, changed_by: expect.stringMatching(/^cli:/), completed: 2 },
    ]);
    expect((await run(['forms', 'versions', slug])).stdout).toMatch(
      new RegExp(`^VERSION  CHANGED +BY +COMPLETED  CURRENT
4 +${TIME}  bob@example.org  0          yes
3 +${TIME}  ada@example.org  1          no
1 +${TIME}  cli:\\S+ +2          no
$`),
    );

    const breaking = (at: string, message: string) => ({ path: `fields.${at}`, kind: 'breaking', message });
    const renamed = [
      breaking('mail.code', 'The code of the field "email" changed to "mail".'),
      {
        ...{ path: 'fields.mail.label', kind: 'compatible' },
        message: 'The label of the field "mail" changed from "Email" to "Address".',
      },
    ];
    const removed = breaking('note', 'The field "note" was removed.');
    const diff = (...versions: string[]) => json('forms', 'diff', slug, '--from', ...versions);
    expect(await diff('1', '--to', '3')).toEqual(renamed);
    expect(await diff('3', '--to', '4')).toEqual([removed]);
    expect(await diff('3')).toEqual([removed]);
    expect(await diff('4', '--to', '4')).toEqual([]);
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
    await use.database.dataSource.query(
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

  it('name nobody if the panel has named nobody', async () => {
    const form = await newForm();
    await complete(form);
    await change(`update forms set name = 'Other' where slug = $1`, form.slug);
    expect(await json('forms', 'versions', form.slug)).toMatchObject([{ changed_by: null }, {}]);
    expect(await run(['forms', 'log', form.slug])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/, by unknown\n(.*\n)*.*0 breaking changes, 1 compatible change\./),
    });
  });

  it('escape what the panel calls a person, so that it can neither colour the terminal nor forge a line', async () => {
    const { slug } = await newForm();
    await use.database.dataSource.transaction(async (manager) => {
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
});
