import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import {
  AuditEntry,
  createWebhookEndpoint,
  issueToken,
  revokeToken,
  setActor,
  User,
} from '../src/entities.js';
import { MIGRATIONS } from '../src/schema.js';
import { useCommandLine } from './support/command-line.js';
import { newDraft } from './support/drafts.js';
import { buildForm } from './support/forms.js';
import { itOnOneServer } from './support/it-on-one-server.js';
import { newRespondent, publicForm } from './support/respondents.js';
import { testDatabase } from './support/test-database.js';
import { asAnotherProgram } from './support/test-server.js';

const WEBHOOK_KEY = randomBytes(32).toString('base64');
const CLI_ACTOR = `cli:${userInfo().username}`;
const SECRET_VALUE = 'a value that nobody else may read';

const use = useCommandLine({});
const { start, run } = use;
/** The database role of the tests and commands. */
let role: string;

beforeAll(async () => {
  [{ role }] = await use.database.dataSource.query<[{ role: string }]>('select session_user as role');
}, 120_000);

const query = <T = unknown>(sql: string, values: unknown[] = []) =>
  use.database.dataSource.query<T[]>(sql, values);

/** Returns the entries that `work` adds to the audit log, oldest first. */
async function actsOf(work: () => Promise<unknown>) {
  const [{ last } = {}] = await query<{ last?: string }>(
    'select coalesce(max(id), 0) as last from audit_log',
  );
  await work();
  return query<{ actor: string; database_role: string; action: string; subject: string; detail: object }>(
    'select actor, database_role, action, subject, detail from audit_log where id > $1 order by id',
    [last],
  );
}

const newUser = () =>
  use.database.dataSource.manager.save(
    use.database.dataSource.manager.create(User, { email: `${randomUUID()}@example.org` }),
  );

const succeed = async (words: string[], variables: NodeJS.ProcessEnv = {}, input = '') => {
  const outcome = await run(words, variables, input);
  expect(outcome).toMatchObject({ status: 0 });
  return outcome;
};

describe('for SQL of any program, the audit log', () => {
  it('records that tokens are issued, revoked, changed and deleted, without their hash', async () => {
    const { id: userId } = await newUser();
    const { manager } = use.database.dataSource;
    let id = 0;
    const acts = await actsOf(async () => {
      ({
        token: { id },
      } = await issueToken(manager, { userId, name: 'private name' }));
      await revokeToken(manager, id);
      await revokeToken(manager, id);
      await query('update api_tokens set revoked_at = null where id = $1', [id]);
      await query(`update api_tokens set expires_at = '2036-01-01+00', name = 'another' where id = $1`, [id]);
      await query(`update api_tokens set name = 'a third' where id = $1`, [id]);
      await query('delete from api_tokens where id = $1', [id]);
    });
    expect(acts.map(({ action, detail }) => [action, (detail as { changed?: string[] }).changed])).toEqual([
      ['token.issued', undefined],
      ['token.revoked', ['revoked_at']],
      ['token.changed', ['revoked_at']],
      ['token.changed', ['expires_at', 'name']],
      ['token.deleted', undefined],
    ]);
    expect(acts[0]).toEqual({
      actor: role,
      database_role: role,
      action: 'token.issued',
      subject: `token:${id}`,
      detail: { user_id: userId, expires_at: null },
    });
    for (const { subject } of acts) expect(subject).toBe(`token:${id}`);
    expect(JSON.stringify(acts)).not.toMatch(/private|another|hash|\\x/);
  });

  it('records that users and identities are changed and deleted, without email addresses and accounts', async () => {
    const { id, email } = await newUser();
    await issueToken(use.database.dataSource.manager, { userId: id });
    const [{ identity } = {}] = await query<{ identity?: number }>(
      `insert into user_identities (user_id, issuer, subject) values ($1, 'https://id.example', $2) returning id as identity`,
      [id, 'a private account'],
    );
    const acts = await actsOf(async () => {
      await query(`update users set email = 'new-' || email where id = $1`, [id]);
      await query('update users set tokens_valid_from = created_at where id = $1', [id]);
      await query('update users set created_at = created_at where id = $1', [id]);
      await query('delete from users where id = $1', [id]);
      await query('truncate user_identities');
    });
    // PostgreSQL deletes identities and tokens of a user in either order.
    expect(new Set(acts.map(({ action, subject, detail }) => [action, subject, detail]))).toEqual(
      new Set([
        ['user.changed', `user:${id}`, { changed: ['email'] }],
        ['user.changed', `user:${id}`, { changed: ['tokens_valid_from'] }],
        ['user.deleted', `user:${id}`, {}],
        ['identity.deleted', `identity:${identity}`, { user_id: id }],
        ['token.deleted', expect.stringMatching(/^token:\d+$/), expect.anything()],
        ['identity.deleted', 'identity:*', { count: 0 }],
      ]),
    );
    expect(JSON.stringify(acts)).not.toMatch(new RegExp(`${email}|private account`));
  });

  itOnOneServer('records changes of webhook endpoints, without secrets, paths and passwords', async () => {
    const { form } = await buildForm(use.database.dataSource);
    let id = 0;
    const acts = await actsOf(async () => {
      const url = 'https://user:password@crm.example.org:8443/hooks/token?key=1';
      const endpoint = { url, formId: form.id };
      ({ id } = await createWebhookEndpoint(use.database.dataSource.manager, endpoint, WEBHOOK_KEY));
      await succeed(['webhooks', 'rotate', String(id)], { WEBHOOK_KEY });
      await query(`update webhook_endpoints set disabled_reason = 'they asked' where id = $1`, [id]);
      await succeed(['webhooks', 'enable', String(id)]);
      await query(`update webhook_endpoints set url = 'https://other.example/secret' where id = $1`, [id]);
      await query('update webhook_endpoints set personal = false where id = $1', [id]);
      await query('update webhook_endpoints set failing_since = now() where id = $1', [id]);
      await succeed(['webhooks', 'remove', String(id)]);
    });
    expect(acts.map(({ actor, action }) => [actor, action])).toEqual([
      [role, 'webhook.added'],
      [CLI_ACTOR, 'webhook.rotated'],
      [role, 'webhook.disabled'],
      [CLI_ACTOR, 'webhook.enabled'],
      [role, 'webhook.changed'],
      [role, 'webhook.changed'],
      [CLI_ACTOR, 'webhook.removed'],
    ]);
    expect(acts[0]).toMatchObject({
      subject: `webhook:${id}`,
      detail: {
        form_id: form.id,
        host: 'crm.example.org:8443',
        events: ['submission.completed', 'submission.deleted'],
        body: 'thin',
      },
    });
    expect(acts[4]).toMatchObject({ detail: { host: 'other.example', changed: ['url'] } });
    expect(acts[5]).toMatchObject({ detail: { changed: ['personal'] } });
    expect(JSON.stringify(acts)).not.toMatch(/password|hooks|key|they asked|other.example\/|\\\\x/);
  });

  it('records that forms are deleted, and how many rows a TRUNCATE deletes', async () => {
    const { form } = await buildForm(use.database.dataSource);
    const acts = await actsOf(async () => {
      await query('delete from forms where id = $1', [form.id]);
      await query('truncate api_tokens');
    });
    expect(acts).toMatchObject([
      { action: 'form.deleted', subject: `form:${form.slug}`, detail: { uuid: form.uuid } },
      { action: 'token.deleted', subject: 'token:*', detail: { count: expect.any(Number) } },
    ]);
  });

  it('records the actor that the transaction sets, and nothing of a transaction that is rolled back', async () => {
    const { id: userId } = await newUser();
    const issueAs = (actor: string, work = () => Promise.resolve()) =>
      use.database.dataSource.transaction(async (manager) => {
        await setActor(manager, actor);
        await issueToken(manager, { userId });
        await work();
      });
    const acts = await actsOf(async () => {
      await issueAs('ada@example.org');
      await issueAs('x'.repeat(300));
      await expect(issueAs('nobody', () => Promise.reject(new Error('rolled back')))).rejects.toThrow();
      await issueToken(use.database.dataSource.manager, { userId });
    });
    expect(acts.map(({ actor, database_role }) => [actor, database_role])).toEqual([
      ['ada@example.org', role],
      ['x'.repeat(255), role],
      [role, role],
    ]);
  });

  itOnOneServer('records that submissions are held and released, but no other change of them', async () => {
    const { uuid, form, userId, client, path: submission } = await newDraft(use, [{ name: {} }, {}]);
    const hold = (held: boolean) => query('update submissions set held = $2 where uuid = $1', [uuid, held]);
    const insert = `insert into submissions (uuid, form_id, user_id, held) values (gen_random_uuid(), $1, $2, $3) returning uuid`;
    let inserted: { uuid: string }[] = [];
    const acts = await actsOf(async () => {
      await client.post(`${submission}/values`, { values: [{ field_code: 'name', value: SECRET_VALUE }] });
      await client.post(`${submission}/advance`);
      for (const held of [false, true, true, false]) await hold(held);
      inserted = await query(insert, [form.id, userId, true]);
      await query(insert, [form.id, userId, false]);
    });
    const held = { user_id: userId, form_id: form.id };
    const changed = ['held'];
    expect(acts.map(({ action, subject, detail }) => [action, subject, detail])).toEqual([
      ['submission.held', `submission:${uuid}`, { ...held, uuid, changed }],
      ['submission.released', `submission:${uuid}`, { ...held, uuid, changed }],
      ['submission.held', `submission:${inserted[0]!.uuid}`, { ...held, uuid: inserted[0]!.uuid }],
    ]);
    await query('update submissions set held = false where form_id = $1', [form.id]);
  });

  it('records no requests of API clients', async () => {
    const acts = await actsOf(async () => {
      const { client, path: submission } = await newDraft(use, [{ name: {} }]);
      await client.post(`${submission}/values`, { values: [{ field_code: 'name', value: SECRET_VALUE }] });
      expect((await client.delete(submission)).status).toBe(204);
    });
    // `newDraft` issued the user's token in the database.
    expect(acts.map(({ action }) => action)).toEqual(['token.issued']);
  });

  itOnOneServer('records nothing of what respondents do, but what operators do to their tokens', async () => {
    const form = await publicForm(use);
    const { anyone } = use.service;
    const done = await actsOf(async () => {
      const { id, client } = await newRespondent(use, form);
      const { body } = await client.post('/api/v1/resume-codes');
      const resumed = await anyone.post('/api/v1/resume', { code: body.data.code });
      expect(resumed.status).toBe(201);
      // A renewal.
      await query(`update api_tokens set expires_at = expires_at + interval '1 day' where user_id = $1`, [
        id,
      ]);
      expect((await client.delete('/api/v1/respondents/me')).status).toBe(204);
    });
    expect(done).toEqual([]);

    const { id } = await newRespondent(use, form);
    const issued = await issueToken(use.database.dataSource.manager, { userId: id });
    const acts = await actsOf(async () => {
      await query('update api_tokens set revoked_at = now() where user_id = $1', [id]);
      await revokeToken(use.database.dataSource.manager, issued.token.id);
      await query(`update users set email = $2 where id = $1`, [id, `${randomUUID()}@example.org`]);
      await query('delete from forms where id = $1', [form.form.id]);
    });
    expect(acts.map(({ action, subject }) => [action, subject])).toEqual([
      ['token.revoked', expect.stringMatching(/^token:\d+$/)],
      ['token.revoked', `token:${issued.token.id}`],
      ['user.changed', `user:${id}`],
      ['form.deleted', expect.stringContaining('form:')],
      ['user.deleted', `user:${id}`],
      ['token.deleted', `token:${issued.token.id}`],
    ]);
  });
});

describe('the audit log is append-only:', () => {
  const refusal = { code: '23514', constraint: 'audit_log_append_only_check' };

  it.each([
    ['an update', `update audit_log set actor = 'nobody'`],
    ['a deletion', 'delete from audit_log'],
    ['a TRUNCATE', 'truncate audit_log'],
  ])('%s is rejected, even from the owner of the table', async (_, statement) => {
    await query(`insert into audit_log (action, subject) values ('token.issued', 'token:0')`);
    const before = await query('select * from audit_log');
    await expect(query(statement)).rejects.toMatchObject(refusal);
    expect(await query('select * from audit_log')).toEqual(before);
  });

  it('nobody can choose the time, the actor or the role of an entry', async () => {
    const [entry] = await query<Record<string, unknown>>(
      `insert into audit_log (happened_at, actor, database_role, action, subject)
         values ('2001-01-01', 'somebody else', 'somebody else', 'token.issued', 'token:0')
       returning actor, database_role, happened_at > now() - interval '1 minute' as is_now`,
    );
    expect(entry).toEqual({ actor: role, database_role: role, is_now: true });
  });

  it('a purge deletes entries older than 30 days, and is recorded itself', async () => {
    await asAnotherProgram(use.database.connection, async (program) => {
      await program.query('alter table audit_log disable trigger audit_log_guard');
      await program.query(
        `insert into audit_log (happened_at, actor, action, subject) values
           (now() - interval '40 days', 'old', 'token.issued', 'token:1'),
           (now() - interval '29 days', 'young', 'token.issued', 'token:2')`,
      );
      await program.query('alter table audit_log enable trigger audit_log_guard');
    });
    const words = ['audit', 'purge', '--older-than', '30d'];
    expect(await succeed([...words, '--dry-run'])).toMatchObject({ stdout: 'Would delete 1 act.\n' });
    const acts = await actsOf(async () => {
      expect(JSON.parse((await succeed([...words, '--json'])).stdout)).toEqual({ acts: 1, dry_run: false });
    });
    expect(acts).toMatchObject([{ actor: CLI_ACTOR, action: 'audit.purged', detail: { entries: 1 } }]);
    expect(await query(`select actor from audit_log where actor in ('old', 'young')`)).toEqual([
      { actor: 'young' },
    ]);
    const { status, stderr } = await run(['audit', 'purge', '--older-than', '29d']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('from 30d')]);
  });
});

itOnOneServer(
  'keeps all its entries when the migration of new actions is undone and executed again',
  async () => {
    const database = await testDatabase();
    const { dataSource } = database;
    const insert = (action: string) =>
      dataSource.query(`insert into audit_log (action, subject) values ($1, 'user:1')`, [action]);
    const actions = () => dataSource.query('select action from audit_log order by id');
    await insert('user.exported');
    const newest = MIGRATIONS.findIndex(({ name }) => name === 'PersonalDataActs1798000000043');
    for (const _migration of MIGRATIONS.slice(newest)) await dataSource.undoLastMigration();
    await insert('user.erased');
    await expect(insert('user.exported')).rejects.toMatchObject({ constraint: 'audit_log_action_check' });
    const kept = [{ action: 'user.exported' }, { action: 'user.erased' }];
    expect(await actions()).toEqual(kept);

    await dataSource.runMigrations();
    await insert('submission.held');
    expect(await actions()).toEqual([...kept, { action: 'submission.held' }]);
    await database.close();
  },
);

describe('for the command line, the audit log records', () => {
  it('that a token is created and revoked, by the operating system account or the actor of PGOPTIONS', async () => {
    const create = ['tokens', 'create', '--email', `${randomUUID()}@example.org`];
    const acts = await actsOf(async () => {
      await succeed(create);
      const [token] = await query<{ id: number }>('select max(id) as id from api_tokens');
      await succeed(['tokens', 'revoke', String(token!.id)]);
      await succeed(create, { PGOPTIONS: '-c formtrail.actor=ada@example.org' });
    });
    expect(acts.map(({ actor, database_role, action }) => [actor, database_role, action])).toEqual([
      [CLI_ACTOR, role, 'token.issued'],
      [CLI_ACTOR, role, 'token.revoked'],
      ['ada@example.org', role, 'token.issued'],
    ]);
  });

  it('that a form is imported, unless nothing changes', async () => {
    const { form } = await buildForm(use.database.dataSource, { steps: [{ name: {} }] });
    const { stdout } = await succeed(['forms', 'export', form.slug]);
    const changed = stdout.replace(/"name": "[^"]*"/, '"name": "Another name"');
    const acts = await actsOf(async () => {
      for (let times = 0; times < 2; times += 1) await succeed(['forms', 'import', '-'], {}, changed);
    });
    expect(acts).toMatchObject([
      {
        ...{ actor: CLI_ACTOR, action: 'form.imported', subject: `form:${form.slug}` },
        detail: { uuid: form.uuid, change: 'changed', version: expect.any(Number) },
      },
    ]);
  });

  it('that a submission, a form with submissions or drafts are deleted, or that a user is erased, without values and addresses', async () => {
    const filled = async () => {
      const draft = await newDraft(use, [{ name: {} }]);
      await draft.client.post(`${draft.path}/values`, {
        values: [{ field_code: 'name', value: SECRET_VALUE }],
      });
      return draft;
    };
    const [one, two, three, four] = [await filled(), await filled(), await filled(), await filled()];
    const [{ email }] = (await query('select email from users where id = $1', [three.userId])) as [
      { email: string },
    ];
    await query(`update submissions set updated_at = now() - interval '2 days' where uuid = $1`, [four.uuid]);
    const acts = await actsOf(async () => {
      await succeed(['submissions', 'delete', one.uuid, '--yes']);
      await succeed(['forms', 'delete', two.form.slug, '--with-submissions', '--yes']);
      await succeed(['users', 'erase', '--email', email, '--yes']);
      const purge = ['submissions', 'purge', '--drafts-older-than', '1d', '--form', four.form.slug];
      await succeed([...purge, '--dry-run']);
      await succeed(purge);
    });
    const counts = { submissions: 1, values: 1, records: 0 };
    expect(acts).toMatchObject([
      { action: 'submissions.deleted', subject: `submission:${one.uuid}`, detail: counts },
      { action: 'submissions.deleted', subject: `form:${two.form.slug}`, detail: counts },
      { action: 'form.deleted', subject: `form:${two.form.slug}` },
      {
        action: 'user.erased',
        subject: `user:${three.userId}`,
        detail: { ...counts, tokens: 1, idempotency_keys: 0 },
      },
      { action: 'token.deleted' },
      { action: 'user.deleted', subject: `user:${three.userId}` },
      {
        action: 'submissions.deleted',
        subject: `form:${four.form.slug}`,
        detail: { status: 'draft', submissions: 1, last_written_before: expect.stringMatching(/Z$/) },
      },
    ]);
    for (const { actor } of acts) expect(actor).toBe(CLI_ACTOR);
    expect(JSON.stringify(acts)).not.toContain(SECRET_VALUE);
    expect(JSON.stringify(acts)).not.toContain(email);
  });

  it('an export, with its options', async () => {
    const { form } = await buildForm(use.database.dataSource);
    const acts = await actsOf(async () => {
      const words = ['submissions', 'export', '--since', '2026-11-01', '--format', 'csv', '--form'];
      await succeed([...words, form.slug]);
      expect(await run([...words, 'nowhere'])).toMatchObject({ status: 1 });
    });
    expect(acts).toMatchObject([
      {
        actor: CLI_ACTOR,
        action: 'submissions.exported',
        subject: `form:${form.slug}`,
        detail: { format: 'csv', since: '2026-11-01T00:00Z', files: false },
      },
    ]);
  });

  it('no export by a role that may only read, which is rejected before it reads anything', async () => {
    const { form } = await buildForm(use.database.dataSource);
    const variables = { PGOPTIONS: '-c role=pg_read_all_data' };
    expect(await run(['submissions', 'export', '--form', form.slug, '--format', 'csv'], variables)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'formtrail: The database denies this: permission denied for table audit_log. ' +
        'Use a role with the privilege ("Roles" in docs/operations/install.md).\n',
    });
  });

  itOnOneServer('no export from a read-only database, which succeeds with a warning', async () => {
    const { form } = await buildForm(use.database.dataSource);
    const variables = { PGOPTIONS: '-c default_transaction_read_only=on' };
    const acts = await actsOf(async () => {
      expect(await run(['submissions', 'export', '--form', form.slug], variables)).toMatchObject({
        status: 0,
        stderr: expect.stringContaining('it has no record of this export'),
      });
    });
    expect(acts).toEqual([]);
  });
});

describe('formtrail audit list', () => {
  it('lists the entries since a time, oldest first', async () => {
    const { id: userId } = await newUser();
    const [{ now }] = (await query(
      `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
    )) as [{ now: string }];
    const { token } = await issueToken(use.database.dataSource.manager, { userId });
    await revokeToken(use.database.dataSource.manager, token.id);
    const listed = JSON.parse((await succeed(['audit', 'list', '--since', now, '--json'])).stdout);
    expect(listed).toEqual([
      {
        id: expect.any(Number),
        happened_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        actor: role,
        database_role: role,
        action: 'token.issued',
        subject: `token:${token.id}`,
        detail: { user_id: userId, expires_at: null },
      },
      expect.objectContaining({ action: 'token.revoked' }),
    ]);
    expect((await succeed(['audit', 'list', '--since', '2999-01-01', '--json'])).stdout).toBe('[]\n');
    const { stdout } = await succeed(['audit', 'list', '--since', now]);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^TIME +ACTOR +ROLE +ACTION +SUBJECT +DETAIL$/),
      expect.stringContaining(`token.issued   token:${token.id}`),
      expect.stringContaining('token.revoked'),
      '',
    ]);
  });

  it('lists each of many entries once, and ends without an error message if its reader closes the pipe', async () => {
    await query(
      `insert into audit_log (action, subject) select 'token.issued', 'many:' || n from generate_series(1, 1500) n`,
    );
    const listed: AuditEntry[] = JSON.parse((await succeed(['audit', 'list', '--json'])).stdout);
    const many = listed.map(({ subject }) => subject).filter((subject) => subject.startsWith('many:'));
    expect([many.length, new Set(many).size]).toEqual([1500, 1500]);

    const child = start(['audit', 'list']);
    child.stdout!.once('data', () => child.stdout!.destroy());
    let errors = '';
    child.stderr!.on('data', (text: Buffer) => (errors += text.toString()));
    await once(child, 'close');
    expect(errors).toBe('');
  });
});
