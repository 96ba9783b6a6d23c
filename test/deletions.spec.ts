import { PATIENCE, preload } from './support/built-service.js';
import { ended, useCommandLine } from './support/command-line.js';
import { createDraft, newDraft } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import { buildForm, buildRecords } from './support/forms.js';
import { isOneServer } from './support/it-on-one-server.js';
import { asAnotherProgram } from './support/test-server.js';

const NOBODYS = '01890000-0000-7000-8000-000000000001';

const use = useCommandLine({});
const { start, run } = use;

/** Creates a submission with two values and a record. */
async function filledIn() {
  const draft = await newDraft(use, [{ name: {}, age: {} }]);
  const values = ['name', 'age'].map((field_code) => ({ field_code, value: 'x' }));
  expect((await draft.client.post(`${draft.path}/values`, { values })).status).toBe(200);
  await buildRecords(use.database.dataSource, draft.form.id, draft.uuid, 1);
  return draft;
}

/** Counts the remaining submissions and values of this user or form. */
async function left(column: 'user_id' | 'form_id', id: number) {
  const [row] = await use.database.dataSource.query<[Record<string, number>]>(
    `select (select count(*)::integer from submissions where ${column} = $1) as submissions,
            (select count(*)::integer from submission_values join submissions on uuid = submission_uuid
              where submissions.${column} = $1) as values`,
    [id],
  );
  return row;
}

/** The view of running statements. On Citus, a different view includes the workers. */
const ACTIVITY = isOneServer ? 'pg_stat_activity' : 'citus_stat_activity';

/** Resolves when the deletion waits for a lock that the test holds. */
async function deletionWaits(): Promise<void> {
  await eventually(
    'the deletion waits',
    async () => {
      const rows = await use.database.dataSource.query<unknown[]>(
        `select from ${ACTIVITY} where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    },
    PATIENCE,
  );
}

const succeeded = (stdout: string) => ({ status: 0, stdout, stderr: '' });
const failed = (stderr: string) => ({ status: 1, stdout: '', stderr: `formtrail: ${stderr}\n` });
const foundUser = (id: number, email: string) => `Found user ${id} (${email}), with no identity\n`;
const NO_FORM = 'There is no form with the slug "nowhere". "forms list" shows all forms.';

const emailOf = async (id: number): Promise<string> => {
  const [user] = await use.database.dataSource.query<{ email: string }[]>(
    'select email from users where id = $1',
    [id],
  );
  return user!.email;
};

it.each([
  [['forms', 'retire', 'nowhere'], NO_FORM],
  [['forms', 'delete', 'nowhere'], NO_FORM],
  [
    ['submissions', 'delete', NOBODYS],
    `There is no submission with the UUID ${NOBODYS}. "submissions export" lists the submissions of a form.`,
  ],
  [
    ['users', 'erase', '--email', 'nobody@example.org'],
    'There is no user with the email address "nobody@example.org". "tokens list" shows the users with tokens. If the person ' +
      'signs in at an identity provider, name the account with --issuer and --subject.',
  ],
])('%j says what to do if there is nothing to delete', async (words, sentence) => {
  expect(await run([...words, '--yes'])).toEqual(failed(sentence));
});

it('forms retire makes running instances reject new submissions of the form at once (F4)', async () => {
  const { client, path: submission, form } = await filledIn();
  const retire = () => run(['forms', 'retire', form.slug, '--yes']);
  expect(await retire()).toEqual(succeeded(`The form ${form.slug} is retired.\n`));
  await eventually('the form is inactive', async () => {
    const { body } = await client.get(`/api/v1/forms/${form.uuid}`);
    return body.data.is_active === false;
  });
  expect((await client.post('/api/v1/submissions', { form_uuid: form.uuid })).status).toBe(422);
  expect((await client.patch(submission, { status: 'completed' })).status).toBe(200);
  expect(await retire()).toEqual(succeeded(`The form ${form.slug} is already retired.\n`));
});

describe('formtrail forms delete', () => {
  it('deletes a form without submissions, and running instances notice at once', async () => {
    const { form } = await buildForm(use.database.dataSource);
    const read = () => use.service.anyone.get(`/api/v1/forms/${form.uuid}/schema`);
    expect((await read()).status).toBe(200);
    expect(await run(['forms', 'delete', form.slug, '--yes'])).toEqual(
      succeeded(`Deleted the form ${form.slug} with 0 submissions, 0 values and 0 records.\n`),
    );
    await eventually('the form is gone', async () => (await read()).status === 404);
  });

  it('fails if the form has submissions, unless --with-submissions is given', async () => {
    const { client, form, path: submission } = await filledIn();
    const other = await filledIn();
    expect(await run(['forms', 'delete', form.slug, '--yes'])).toEqual(
      failed(
        `The form "${form.slug}" has submissions. Keep them with "forms retire ${form.slug}", or add ` +
          `--with-submissions after "submissions export --form ${form.slug}".`,
      ),
    );
    expect(await left('form_id', form.id)).toEqual({ submissions: 1, values: 2 });
    expect(await run(['forms', 'delete', form.slug, '--with-submissions', '--yes'])).toEqual(
      succeeded(`Deleted the form ${form.slug} with 1 submission, 2 values and 1 record.\n`),
    );
    expect(await left('form_id', form.id)).toEqual({ submissions: 0, values: 0 });
    expect(await left('form_id', other.form.id)).toEqual({ submissions: 1, values: 2 });
    expect((await client.get(submission)).status).toBe(404);
  });

  it('deletes nothing if a submission is created meanwhile', async () => {
    const { client, form } = await newDraft(use);
    await use.database.dataSource.query('delete from submissions where form_id = $1', [form.id]);
    await asAnotherProgram(use.database.connection, async (program) => {
      await program.query('begin');
      await program.query(
        'insert into submissions (uuid, form_id, user_id) select gen_random_uuid(), $1, min(id) from users',
        [form.id],
      );
      const outcome = run(['forms', 'delete', form.slug, '--yes']);
      await deletionWaits();
      await program.query('commit');
      expect(await outcome).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringMatching(/has submissions/),
      });
    });
    expect((await client.get(`/api/v1/forms/${form.uuid}`)).status).toBe(200);
  });
});

it('submissions delete deletes one completed submission with its values and records', async () => {
  const { client, uuid, path: submission, ...built } = await filledIn();
  const second = await createDraft(client, built);
  await client.patch(submission, { status: 'completed' });
  expect(await run(['submissions', 'delete', uuid.toUpperCase(), '--yes'])).toEqual(
    succeeded(`Deleted the submission ${uuid} with 2 values and 1 record.\n`),
  );
  expect((await client.get(submission)).status).toBe(404);
  expect((await client.get(second.path)).status).toBe(200);
});

describe('formtrail users erase', () => {
  it('deletes everything of a person, ignoring the letter case of the address, and nothing of others', async () => {
    const person = await filledIn();
    const other = await filledIn();
    await createDraft(person.client, other);
    await person.client.post(
      '/api/v1/submissions',
      { form_uuid: other.form.uuid },
      { 'Idempotency-Key': 'a' },
    );
    const email = await emailOf(person.userId);
    expect(await run(['users', 'erase', '--email', email.toUpperCase(), '--yes'])).toEqual({
      status: 0,
      stdout: expect.stringContaining(
        `Erased user ${person.userId} (${email}): 3 submissions, 2 values, 1 record, 1 idempotency key, 1 token, 1 user.\nThis stays:\n`,
      ),
      stderr: foundUser(person.userId, email),
    });
    await eventually('the token is refused', async () => {
      return (await person.client.get(person.path)).status === 401;
    });
    for (const table of ['submissions', 'api_tokens', 'idempotency_keys']) {
      const rows = await use.database.dataSource.query<unknown[]>(`select from ${table} where user_id = $1`, [
        person.userId,
      ]);
      expect([table, rows.length]).toEqual([table, 0]);
    }
    expect(await use.database.dataSource.query('select from users where id = $1', [person.userId])).toEqual(
      [],
    );
    expect((await other.client.get(other.path)).body.data.values).toHaveLength(2);
  });

  it('waits for a concurrent change, and counts the rows after it', async () => {
    const { userId, uuid } = await filledIn();
    await asAnotherProgram(use.database.connection, async (program) => {
      await program.query('begin');
      await program.query('update submissions set updated_at = now() where uuid = $1', [uuid]);
      await program.query('delete from submission_values where submission_uuid = $1', [uuid]);
      const email = await emailOf(userId);
      const outcome = run(['users', 'erase', '--email', email, '--yes']);
      await deletionWaits();
      await program.query('commit');
      expect(await outcome).toMatchObject({
        status: 0,
        stdout: expect.stringContaining(
          `Erased user ${userId} (${email}): 1 submission, 0 values, 1 record, 0 idempotency keys, 1 token, 1 user.\n`,
        ),
      });
    });
  });
});

describe('each deletion asks for confirmation', () => {
  const AT_TERMINAL = true;

  let userId: number;
  /** The commands with their questions, and with what they print before. */
  let asked: [words: string[], question: string, before?: string][];
  beforeAll(async () => {
    const { uuid, form, ...draft } = await filledIn();
    userId = draft.userId;
    const email = await emailOf(userId);
    asked = [
      [['forms', 'retire', form.slug], `Close the form "${form.slug}" to new submissions?`],
      [['submissions', 'delete', uuid], `Permanently delete the submission ${uuid} with 2 values?`],
      [
        ['forms', 'delete', form.slug, '--with-submissions'],
        `Permanently delete the form "${form.slug}" with 1 submission?`,
      ],
      [
        ['users', 'erase', '--email', email],
        `Permanently erase user ${userId} (${email}) with 1 submission and 1 token?`,
        foundUser(userId, email),
      ],
    ];
  });
  const nothingIsDeleted = async () =>
    expect(await left('user_id', userId)).toEqual({ submissions: 1, values: 2 });

  it('and fails without a terminal and without --yes', async () => {
    for (const [words, question, before = ''] of asked) {
      const stderr = `${before}formtrail: ${question} Standard input is not a terminal: add --yes.\n`;
      expect(await run(words)).toEqual({ status: 1, stdout: '', stderr });
    }
    await nothingIsDeleted();
  });

  it.each(['', 'n\n', 'yesterday\n'])('and treats the answer %j as no', async (answer) => {
    for (const [words, question, before = ''] of answer === 'n\n' ? asked : asked.slice(0, 1)) {
      const stderr = `${before}${question} [y/N] formtrail: Nothing was changed.\n`;
      expect(await run(words, {}, answer, AT_TERMINAL)).toEqual({ status: 1, stdout: '', stderr });
    }
    await nothingIsDeleted();
  });

  it('and ends on Ctrl-C like every command', async () => {
    const [words, question] = asked[3]!;
    const child = start(words, { NODE_OPTIONS: preload('process.stdin.isTTY = true') });
    const outcome = ended(child);
    let shown = '';
    child.stderr?.on('data', (text: Buffer) => (shown += text.toString()));
    await eventually('it asks', () => shown.includes(question), PATIENCE);
    child.kill('SIGINT');
    expect(await outcome).toMatchObject({ status: 130, stdout: '' });
    await nothingIsDeleted();
  });

  it('and continues after y or yes', async () => {
    const [retire, submission] = asked.map(([words]) => words);
    const answers = [
      [retire, 'y\n'],
      [submission, 'Yes\n'],
    ] as const;
    for (const [words, answer] of answers)
      expect(await run(words!, {}, answer, AT_TERMINAL)).toMatchObject({ status: 0 });
  });
});
