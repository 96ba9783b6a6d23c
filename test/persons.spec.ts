import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { User } from '../src/entities.js';
import { useCommandLine } from './support/command-line.js';
import { type BuiltForm, buildForm } from './support/forms.js';
import { isOneServer, itOnOneServer } from './support/it-on-one-server.js';
import { storeSubmission } from './support/stored-submissions.js';

const use = useCommandLine();
const { run } = use;

const sql = <T = any>(text: string, ...values: unknown[]) => use.database.dataSource.query<T[]>(text, values);

let built: BuiltForm;
beforeAll(async () => {
  built = await buildForm(use.database.dataSource, {
    form: { slug: 'job-application' },
    steps: [{ name: {}, email: { type: 'email' }, reference: { type: 'email' } }],
  });
}, 120_000);

const newAddress = () => `${randomUUID()}@example.org`;

async function account(email: string | null = null) {
  const { manager } = use.database.dataSource;
  return (await manager.save(manager.create(User, { email }))).id;
}

/** Stores a submission of the user. */
async function answer(userId: number, values: Record<string, string>, status?: 'completed') {
  const columns = { uuid: randomUUID(), ...(status && { status }) };
  await storeSubmission(use.database.dataSource, userId, built, columns, values);
  return columns.uuid;
}

/** An account with an address, and another account without an address, whose answers have the address of the first. */
async function twoAccounts() {
  const email = newAddress();
  const [ada, other] = [await account(email), await account()];
  await answer(ada, { name: 'Ada' }, 'completed');
  await answer(other, { email: `\u00a0 ${email.toUpperCase()}\n` });
  return { email, ada, other };
}

const users = async (...words: string[]) => run(['users', ...words]);

const existing = async (...ids: number[]) =>
  (await sql<{ id: number }>('select id from users where id = any ($1) order by id', ids)).map(
    ({ id }) => id,
  );

const IN_EMAIL = 'in the field email of the form job-application';

describe('formtrail users find (T5)', () => {
  it('shows the user with an address and the accounts whose answers have it, and changes nothing', async () => {
    const { email, ada, other } = await twoAccounts();
    await answer(other, { email, reference: email }, 'completed');
    const held = await answer(ada, { email });
    // On Citus, no submission can be held.
    if (isOneServer) await sql('update submissions set held = true where uuid = $1', held);
    // Neither accounts with other addresses nor answers in text fields.
    const bob = await account(newAddress());
    await answer(bob, { email: `x${email}`, name: email });

    const { status, stdout, stderr } = await users('find', '--email', email.toUpperCase());

    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').slice(0, 7)).toEqual([
      `Found user ${ada} (${email}), with no identity`,
      '  Named by --email.',
      `  1 draft and 1 completed submission, of which ${isOneServer ? '1 is' : '0 are'} held.`,
      `Found user ${other} (no email address), with no identity`,
      `  2 submissions have the address ${email} ${IN_EMAIL}.`,
      `  1 submission has the address ${email} in the field reference of the form job-application.`,
      '  1 draft and 1 completed submission, of which 0 are held.',
    ]);
    expect(await existing(ada, other)).toEqual([ada, other]);
  });

  it('searches for the address of a user who is named by id or identity, and says what no address finds', async () => {
    const { email, ada, other } = await twoAccounts();
    const issuer = 'https://id.example.org';
    const subject = randomUUID();
    const insert = 'insert into user_identities (user_id, issuer, subject) values ($1, $2, $3)';
    await sql(insert, ada, issuer, subject);
    await sql(insert, await account(), issuer, randomUUID());
    const byIdentity = ['--issuer', issuer, '--subject', subject];
    for (const [names, why] of [
      [['--user', String(ada)], 'Named by --user.'],
      [byIdentity, 'Named by --issuer and --subject.'],
    ] as const) {
      const { stdout } = await users('find', ...names);
      const lines = stdout.trimEnd().split('\n');
      expect(lines[0]).toBe(`Found user ${ada} (${email}), with these identities:`);
      expect(lines[1]).toContain(`subject "${subject}" of ${issuer}`);
      expect(lines[2]).toBe(`  ${why}`);
      expect(lines[4]).toBe(`Found user ${other} (no email address), with no identity`);
      expect(lines).toHaveLength(7);
    }
    const { stdout } = await users('find', '--email', email);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(
      /^--email cannot find an account whose user has no address, /,
    );
  });

  it('prints JSON for programs', async () => {
    const { email, ada, other } = await twoAccounts();
    const { stdout } = await users('find', '--email', email, '--user', String(ada), '--json');
    const answers = [{ form: 'job-application', field: 'email', address: email, submissions: 1 }];
    expect(JSON.parse(stdout)).toEqual([
      {
        ...{ id: ada, email, named_by: ['email', 'user'], answers: [], identities: [] },
        submissions: { draft: 0, completed: 1, held: 0 },
      },
      {
        ...{ id: other, email: null, named_by: [], answers, identities: [] },
        submissions: { draft: 1, completed: 0, held: 0 },
      },
    ]);
  });

  it('shows accounts whose answers have an address that no user has', async () => {
    const email = newAddress();
    const other = await account();
    await answer(other, { email });
    const { status, stdout } = await users('find', '--email', email);
    expect([status, stdout.split('\n')[0]]).toEqual([
      0,
      `Found user ${other} (no email address), with no identity`,
    ]);
  });

  it.each([
    ['--email', 'nobody@example.org', 'No answer in an email field is this address.'],
    ['--user', '2147483647', 'There is no user with the id 2147483647.'],
  ])('fails if %s %s finds nothing, and prints no other account', async (option, name, message) => {
    const { ada } = await twoAccounts();
    const { status, stdout, stderr } = await users('find', '--user', String(ada), option, name);
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
  });

  it('shows each of thousands of accounts once', async () => {
    const email = newAddress();
    const many = 2_500;
    await sql('insert into users (email) select $1 || n from generate_series(1, $2) n', email, many);
    const ids = (
      await sql<{ id: number }>('select id from users where starts_with(email, $1) order by id', email)
    ).map(({ id }) => id);
    await sql(
      `insert into submissions (uuid, form_id, user_id) select gen_random_uuid(), $1, unnest($2::integer[])`,
      built.form.id,
      ids,
    );
    await sql(
      `insert into submission_values (submission_uuid, field_id, form_id, is_repeatable, value)
       select uuid, field, $1, false, $2 from submissions, unnest($3::integer[]) field where user_id = any ($4)`,
      ...[built.form.id, email, ['email', 'reference'].map((code) => built.fields[code]!.id), ids],
    );
    const { stdout } = await users('find', '--email', email, '--json');
    const found = JSON.parse(stdout) as { id: number; answers: object[] }[];
    expect(found.map(({ id }) => id)).toEqual(ids);
    expect(found.filter(({ answers }) => answers.length !== 2)).toEqual([]);
    const refused = await users('erase', '--email', email, '--yes');
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain(`and further accounts: "users find --email ${email}" shows all.`);
    expect(refused.stderr.split('\n').length).toBeLessThan(60);
  });
});

describe('formtrail users erase and export refuse to guess (T5)', () => {
  const refusal = ({ email, ada, other }: Awaited<ReturnType<typeof twoAccounts>>, command: string) => [
    `formtrail: The address does not say which of these accounts are the person's, so nothing was done:`,
    `  user ${ada} (${email}): named`,
    `  user ${other} (no email address): 1 submission has the address ${email} ${IN_EMAIL}`,
    'Decide which accounts are the person, and run one of these commands:',
    `  formtrail ${command} --user ${ada}`,
    `  formtrail ${command} --user ${ada} --user ${other}`,
    '',
  ];

  it('if answers of another account have the address, and name the command for each choice, which works', async () => {
    for (const [choice, left] of [
      [4, 'other'],
      [5, 'nobody'],
    ] as const) {
      const accounts = await twoAccounts();
      const { email, ada, other } = accounts;
      const { status, stdout, stderr } = await users('erase', '--email', email, '--yes');
      const lines = stderr.split('\n');
      expect([status, stdout, lines]).toEqual([1, '', refusal(accounts, 'users erase')]);
      expect(await existing(ada, other)).toEqual([ada, other]);

      const words = lines[choice]!.trim().split(' ').slice(1);
      expect(await run([...words, '--yes'])).toMatchObject({ status: 0 });
      expect(await existing(ada, other)).toEqual(left === 'other' ? [other] : []);
    }
  });

  it('before anything is written', async () => {
    const accounts = await twoAccounts();
    const { status, stdout, stderr } = await users(
      'export',
      '--email',
      accounts.email,
      '--out',
      "Ada's data",
    );
    const command = `users export --out 'Ada'\\''s data'`;
    expect([status, stdout, stderr.split('\n')]).toEqual([1, '', refusal(accounts, command)]);
    expect(await readdir(use.directory)).not.toContain("Ada's data");
    expect(await sql('select from audit_log where subject = $1', `user:${accounts.ada}`)).toEqual([]);
  });

  it('also if no user has the address', async () => {
    const email = newAddress();
    const [one, two] = [await account(), await account(newAddress())];
    await answer(one, { email });
    await answer(two, { reference: email });
    const { status, stderr } = await users('erase', '--email', email, '--yes');
    expect(status).toBe(1);
    expect(stderr.trimEnd().split('\n').slice(-3)).toEqual([
      `  formtrail users erase --user ${one}`,
      `  formtrail users erase --user ${two}`,
      `  formtrail users erase --user ${one} --user ${two}`,
    ]);
    expect(await existing(one, two)).toEqual([one, two]);
  });

  it('but not if all these accounts are named, or are the account of the address', async () => {
    const { email, ada, other } = await twoAccounts();
    await answer(ada, { email });
    const { status } = await users('erase', '--email', email, '--user', String(other), '--yes');
    expect([status, await existing(ada, other)]).toEqual([0, []]);
  });

  it('and go on if users are named by id, but say in a line which accounts may also be the person', async () => {
    const { email, ada, other } = await twoAccounts();
    const { status, stderr } = await users('erase', '--user', String(ada), '--yes');
    expect([status, stderr.trimEnd().split('\n')]).toEqual([
      0,
      [
        `Found user ${ada} (${email}), with no identity`,
        'Answers of these accounts have an address of the named users, so that they may belong to the same people: ' +
          `user ${other} (no email address). "users find --user ${ada}" says why.`,
      ],
    ]);
    expect(await existing(ada, other)).toEqual([other]);
  });
});

it('formtrail users erase says what stays', async () => {
  const ada = await account(newAddress());
  const { stdout } = await users('erase', '--user', String(ada), '--yes');
  expect(stdout.trimEnd().split('\n').slice(1)).toEqual([
    'This stays:',
    expect.stringMatching(/^- Records of deletions, .* without contents\.$/),
    expect.stringMatching(/^- Webhooks that were delivered: /),
    expect.stringMatching(/^- Entries of the audit log: .* no name and no answer\.$/),
    expect.stringMatching(/^- Kept versions of forms: /),
    expect.stringMatching(/^- Backups and earlier exports: /),
    expect.stringMatching(/^- Logs: /),
  ]);
});

itOnOneServer(
  'formtrail users erase keeps held submissions with their users, names them, and fails (T2)',
  async () => {
    const email = newAddress();
    const ada = await account(email);
    const [held, other] = [
      await answer(ada, { name: 'Ada' }, 'completed'),
      await answer(ada, { name: 'Ada' }),
    ];
    await sql('update submissions set held = true where uuid = $1', held);
    const bob = await account(newAddress());

    const { status, stdout, stderr } = await users(
      'erase',
      '--yes',
      '--user',
      String(ada),
      '--user',
      String(bob),
    );

    expect(status).toBe(1);
    expect(stdout).toContain(
      `Erased the data of user ${ada} (${email}): 1 submission, 1 value, 0 records, 0 idempotency keys, 0 tokens.\n`,
    );
    expect(stdout).toContain('This stays:');
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(
      `formtrail: Kept user ${ada} and 1 held submission: ${held}. Set submissions.held of it to false, for example in the administration panel, then run the command again.`,
    );
    expect(await existing(ada, bob)).toEqual([ada]);
    const left = await sql('select uuid from submissions where uuid = any ($1)', [held, other]);
    expect(left).toEqual([{ uuid: held }]);
    await sql('update submissions set held = false where uuid = $1', held);
    expect(await users('erase', '--yes', '--user', String(ada))).toMatchObject({ status: 0 });
    expect(await existing(ada)).toEqual([]);
  },
);

itOnOneServer('searches answers by their fields, not by reading all answers', async () => {
  const { accountsInAnswers } = await import('../src/capabilities/retention/persons/accounts-in-answers.js');
  const { manager } = use.database.dataSource;
  const statements: [string, unknown[]][] = [];
  const query = (text: string, values: unknown[] = []) => {
    statements.push([text, values]);
    return manager.query(text, values);
  };
  for await (const _found of accountsInAnswers({ query } as typeof manager, ['a@example.org'], []));
  const [search, values] = statements.find(([text]) => text.includes('from submission_values'))!;
  const plan = await use.database.dataSource.transaction(async (inTransaction) => {
    await inTransaction.query('set local enable_seqscan = off');
    return inTransaction.query<{ 'QUERY PLAN': string }[]>(`explain ${search}`, values);
  });
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('submission_values_field_id_idx');
});
