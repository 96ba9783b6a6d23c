import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { forgetDue } from '../src/capabilities/retention/forget-due.js';
import { forgetOldErasures } from '../src/capabilities/retention/erasures.js';
import { tryTurn } from '../src/capabilities/retention/turns.js';
import type { Connection } from '../src/database/connection.js';
import { createDataSource } from '../src/server/data-source.js';
import { client, type Client } from './support/client.js';
import { createDraft } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import { filesFolder, storeFile } from './support/files.js';
import { buildForm } from './support/forms.js';
import { acceptingTokensOf, type IdentityProvider, identityProvider } from './support/identity-provider.js';
import { isOneServer, itOnOneServer } from './support/it-on-one-server.js';
import { newUser, type Service, startService } from './support/service.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';
import { asAnotherProgram } from './support/test-server.js';

/** The statements of a file for psql, without the commands of psql. */
const statementsOf = (file: string) =>
  readFileSync(`deploy/postgresql/${file}`, 'utf8').replace(/^\\.*$/gm, '');
const RESTRICTIONS = statementsOf('rights.sql');
const FOR_PUBLIC_FORMS = statementsOf('public-forms.sql');

describe('a service with only the privileges of deploy/postgresql', () => {
  const role = `formtrail_roles_${randomBytes(4).toString('hex')}`;
  const panel = `${role}_panel`;
  let database: TestDatabase;
  let service: Service;
  let own: Client;
  let form: { uuid: string; id: number };
  let provider: IdentityProvider;
  const storage = filesFolder();

  beforeAll(async () => {
    database = await testDatabase();
    provider = await identityProvider();
    await asAnotherProgram(database.connection, async (administrator) => {
      // The roles need `login`, because Citus connects to the workers with the same role.
      await administrator.query(`create role ${role} login; create role ${panel} login`);
      await administrator.query(
        `grant select, insert, update, delete on all tables in schema public to ${role}, ${panel}`,
      );
      const statements = RESTRICTIONS.replace(/formtrail_service/g, role).replace(/formtrail_panel/g, panel);
      expect(statements).toContain(`from ${role}`);
      await administrator.query(statements);
    });
    const pooled = { ...database.connection, options: `-c role=${role}` } as Connection;
    const variables = {
      COMPLETION_POLICY: 'strict',
      ...acceptingTokensOf(provider),
      ...(isOneServer && { FILES_URL: storage.url }),
    };
    service = await startService(database, variables, pooled);
    ({ form } = await buildForm(database.dataSource, {
      ...(isOneServer && { form: { maxSubmissions: 9, maxPerUser: 9 } }),
      steps: [{ name: {}, cv: { type: 'file' } }, {}],
    }));
    await database.dataSource.query(
      `insert into entities (form_id, name, label, is_repeatable) values ($1, 'receipt', 'Receipt', true)`,
      [form.id],
    );
    const { plainToken } = await newUser({ database, service });
    own = client(service.url, { Authorization: `Bearer ${plainToken}` });
  });

  afterAll(async () => {
    await service.close();
    await provider.close();
    await asAnotherProgram(database.connection, (administrator) =>
      administrator.query(`drop owned by ${role}, ${panel}; drop role ${role}, ${panel}`),
    );
    await database.close();
    await storage.remove();
  });

  it('can execute every request, and create the user of a JSON web token', async () => {
    const begin = { form_uuid: form.uuid };
    const jwt = await provider.sign({ email: 'first-use@example.org', email_verified: true });
    const first = client(service.url, { Authorization: `Bearer ${jwt}` });
    expect((await first.post('/api/v1/submissions', begin)).status).toBe(201);

    const { status, body } = await own.post('/api/v1/submissions', begin, { 'Idempotency-Key': 'roles' });
    expect(status).toBe(201);
    const path = `/api/v1/submissions/${body.data.uuid}`;
    const record = await own.post(`${path}/records`, { entity: 'receipt' });
    const answers = [
      record,
      await own.delete(`${path}/records/${record.body.data.id}`),
      await own.post(`${path}/values`, { values: [{ field_code: 'name', value: 'Ada' }] }),
      await own.post(`${path}/advance?validate=true`),
      await own.post(`${path}/retreat`),
      await own.patch(path, { status: 'completed', meta: {} }),
    ];
    for (const read of ['', '/records', '/conditions', '/validation'])
      answers.push(await own.get(path + read));
    answers.push(
      await own.get('/api/v1/submissions'),
      await own.get(`/api/v1/forms/${form.uuid}/availability`),
    );
    for (const version of ['', `?version=${body.form_version}`])
      answers.push(await own.get(`/api/v1/forms/${form.uuid}/schema${version}`));
    expect(answers.map((answer) => answer.status)).toEqual([201, 204, ...Array<number>(12).fill(200)]);
    const draft = await own.post('/api/v1/submissions', begin);
    expect((await own.delete(`/api/v1/submissions/${draft.body.data.uuid}`)).status).toBe(204);
  });

  itOnOneServer('can store and delete files, and so can the panel', async () => {
    const { body } = await own.post('/api/v1/submissions', { form_uuid: form.uuid });
    const path = `/api/v1/submissions/${body.data.uuid}`;
    const store = async () => {
      const { value } = await storeFile(own, path);
      return own.post(`${path}/values`, { values: [{ field_code: 'cv', value }] });
    };
    const unheld = await storeFile(own, path);
    const answers = [
      await store(),
      await store(),
      await own.get(`${path}/files`),
      await own.delete(`${path}/files/${unheld.uuid}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 204]);
    // Make all deletions of replaced and deleted files due, and let all pending files expire.
    await storeFile(own, path);
    await database.dataSource.query('update file_deletions set due_at = now(), until = now()');
    await database.dataSource.query('update files set expires_at = now()');
    await service.workOnFiles();
    const [{ files, deletions } = {}] = await database.dataSource.query<Record<string, unknown>[]>(
      `select (select count(*)::int from files) as files, (select count(*)::int from file_deletions) as deletions`,
    );
    expect([files, deletions]).toEqual([1, 1]);

    await asAnotherProgram(database.connection, async (program) => {
      await program.query(`set role ${panel}`);
      await program.query('delete from submissions where uuid = $1', [body.data.uuid]);
    });
    await service.workOnFiles();
    expect(await storage.uuids()).toEqual([]);
  });

  itOnOneServer(
    'writes to the outbox of webhooks by trigger, but cannot read or write it itself',
    async () => {
      await database.dataSource.query(
        `insert into webhook_endpoints (url, secret, events)
         values ('https://receiver.example', '', '{submission.created,submission.deleted}')`,
      );
      const { body } = await own.post('/api/v1/submissions', { form_uuid: form.uuid });
      expect((await own.delete(`/api/v1/submissions/${body.data.uuid}`)).status).toBe(204);
      expect(await database.dataSource.query('select event from webhook_outbox order by event')).toEqual([
        { event: 'submission.created' },
        { event: 'submission.deleted' },
      ]);
      await asAnotherProgram(database.connection, async (program) => {
        await program.query(`set role ${role}`);
        // The service's metrics need these numbers. The role cannot read the outbox itself.
        expect((await program.query('select * from formtrail_webhooks_state()')).rows).toMatchObject([
          { events: 2, deliveries: 0 },
        ]);
      });
    },
  );

  itOnOneServer(
    'lets roles that may delete submissions delete the webhooks with their contents',
    async () => {
      const forget = `select formtrail_webhooks_forget('{}', null)`;
      await asAnotherProgram(database.connection, async (program) => {
        for (const allowed of [role, panel]) {
          await program.query(`set role ${allowed}`);
          await program.query(forget);
          await program.query('reset role');
        }
        await program.query('begin');
        await program.query(`revoke delete on submissions from ${panel}`);
        await program.query(`set local role ${panel}`);
        await expect(program.query(forget)).rejects.toMatchObject({ code: '42501' });
        await program.query('rollback');
      });
    },
  );

  it('lets the panel add entries to the audit log, but not change them', async () => {
    await asAnotherProgram(database.connection, async (program) => {
      await program.query(`set role ${panel}`);
      const email = `${randomBytes(4).toString('hex')}@example.org`;
      const { rows } = await program.query<{ id: number }>(
        `with made as (insert into users (email) values ($1) returning id)
         insert into api_tokens (user_id, token_hash) select id, sha256('panel') from made returning id`,
        [email],
      );
      await program.query(`insert into audit_log (action, subject) values ('submissions.deleted', 'form:a')`);
      const { rows: acts } = await program.query(
        'select action, subject from audit_log order by id desc limit 2',
      );
      expect(acts).toEqual([
        { action: 'submissions.deleted', subject: 'form:a' },
        { action: 'token.issued', subject: `token:${rows[0]!.id}` },
      ]);
      await expect(program.query(`update audit_log set actor = 'x'`)).rejects.toMatchObject({
        code: '42501',
      });
      await expect(program.query('delete from audit_log')).rejects.toMatchObject({ code: '23514' });
    });
  });

  itOnOneServer('lets the panel hold a submission, for which it needs no other right to update', async () => {
    const { body } = await own.post('/api/v1/submissions', { form_uuid: form.uuid });
    await asAnotherProgram(database.connection, async (program) => {
      const set = async (held: boolean) => {
        const text = 'update submissions set held = $2 where uuid = $1 returning held';
        const { rows } = await program.query<{ held: boolean }>(text, [body.data.uuid, held]);
        expect(rows).toEqual([{ held }]);
      };
      await program.query(`begin; revoke update on submissions from ${panel}`);
      await program.query(`grant update (held) on submissions to ${panel}; set local role ${panel}`);
      await set(true);
      await set(false);
      await expect(program.query('update submissions set current_step = 2')).rejects.toMatchObject({
        code: '42501',
      });
      await program.query('rollback');
      await program.query(`set role ${panel}`);
      await set(true);
      await set(false);
    });
  });

  itOnOneServer.each([
    ['a server with RETENTION=on', () => role],
    ['a command of the panel', () => panel],
  ])('lets %s delete what is due, but change no record of it', async (_, roleOf) => {
    const { dataSource } = database;
    const due = await buildForm(dataSource, {
      form: { keepPersonalDays: 1, keepDraftsDays: 1, keepCompletedDays: 9 },
      steps: [{ name: { isPersonal: true } }],
    });
    const user = await newUser({ database, service });
    const begin = async () => (await createDraft(user.client, due)).path;
    for (const status of ['draft', 'completed', 'completed']) {
      const path = await begin();
      await user.client.post(`${path}/values`, { values: [{ field_code: 'name', value: 'Ada' }] });
      await user.client.patch(path, { status });
    }
    await dataSource.query(
      `update submissions set updated_at = updated_at - interval '2 days', completed_at = completed_at - interval '2 days'
        where form_id = $1`,
      [due.form.id],
    );
    await dataSource.query(
      `update submissions set completed_at = completed_at - interval '9 days' where uuid = (
         select uuid from submissions where form_id = $1 and status = 'completed' limit 1)`,
      [due.form.id],
    );
    const connection = { ...database.connection, options: `-c role=${roleOf()}` } as Connection;
    const restricted = await createDataSource(connection, { size: 2, deadlines: true }).initialize();
    const done = await forgetDue(restricted, { formId: due.form.id, takeTurn: tryTurn });
    await forgetOldErasures(restricted, 400);
    expect(done.map(({ counts }) => counts)).toEqual([{ completed: 1, drafts: 1, personal: 1 }]);
    for (const statement of ['update erasures set reason = reason', 'delete from held_submissions'])
      await expect(restricted.query(statement)).rejects.toMatchObject({ code: '42501' });
    await restricted.destroy();
  });

  it('lets the panel delete a step, whose trigger writes another table', async () => {
    const { form: shorter } = await buildForm(database.dataSource, { steps: [{ name: {} }, {}] });
    await asAnotherProgram(database.connection, async (program) => {
      await program.query(`set role ${panel}`);
      const { rowCount } = await program.query('delete from steps where form_id = $1 and step_number = 2', [
        shorter.id,
      ]);
      expect(rowCount).toBe(1);
    });
  });

  it('can neither issue a token nor change a form', async () => {
    await asAnotherProgram(database.connection, async (program) => {
      await program.query(`set role ${role}`);
      for (const statement of [
        `insert into api_tokens (user_id, token_hash) select id, sha256('') from users`,
        `update forms set name = 'Another'`,
        'update forms set keep_completed_days = 1',
        'update fields set is_personal = true',
        'select from webhook_endpoints',
        'insert into webhook_deliveries default values',
        'select from audit_log',
        `insert into audit_log (action, subject) values ('token.issued', 'token:1')`,
        'delete from audit_log',
        // Skipped on Citus, which has no outbox: the workers do not know the function.
        ...(isOneServer
          ? [`select formtrail_webhooks_tell(submissions, 'submission.deleted') from submissions`]
          : []),
        `update field_rules set value = '1'`,
        `delete from users`,
        'delete from deleted_steps',
        'insert into backups default values',
        `insert into migrations (timestamp, name) values (1, 'x')`,
      ])
        await expect(program.query(statement)).rejects.toMatchObject({ code: '42501' });
    });
  });

  // Last, because it grants more privileges.
  itOnOneServer('can serve respondents only with the privileges for public forms', async () => {
    const { form: open } = await buildForm(database.dataSource, {
      form: { access: 'public', proofOfWork: null },
      steps: [{ name: {} }],
    });
    const { anyone } = service;
    const create = () => anyone.post('/api/v1/respondents', { form_uuid: open.uuid });
    expect((await create()).status).toBe(500);

    expect(FOR_PUBLIC_FORMS).toContain('api_tokens to formtrail_service');
    const grants = FOR_PUBLIC_FORMS.replaceAll('formtrail_service', role);
    await asAnotherProgram(database.connection, (administrator) => administrator.query(grants));

    const created = await create();
    expect(created.status).toBe(201);
    const [first, second] = await Promise.all([create(), create()]);
    expect([first.status, second.status]).toEqual([201, 201]);
    const respondent = client(service.url, { Authorization: `Bearer ${created.body.data.token}` });
    const draft = await respondent.post('/api/v1/submissions', { form_uuid: open.uuid });
    const code = await respondent.post('/api/v1/resume-codes');
    const resumed = await anyone.post('/api/v1/resume', { code: code.body.data.code });
    expect([draft.status, code.status, resumed.status]).toEqual([201, 201, 201]);

    const leftDays = async () => {
      const [row] = await database.dataSource.query<{ days: number }[]>(
        `select extract(epoch from max(expires_at) - now())::float8 / 86400 as days from api_tokens
           join respondents using (user_id) where form_id = $1 and name is null`,
        [open.id],
      );
      return row!.days;
    };
    await database.dataSource.query(
      `update api_tokens set expires_at = now() + interval '2 days' where user_id in (select user_id from respondents)`,
    );
    await eventually('the token is renewed', async () => {
      expect((await respondent.get('/api/v1/submissions')).status).toBe(200);
      return (await leftDays()) > 29;
    });
    expect((await respondent.delete('/api/v1/respondents/me')).status).toBe(204);
    const sweeps = ['delete from resume_codes where expires_at <= now()', 'delete from spent_proofs'];
    await asAnotherProgram(database.connection, async (program) => {
      await program.query(`set role ${role}`);
      for (const statement of sweeps) await program.query(statement);
    });

    // The panel can end respondents.
    await asAnotherProgram(database.connection, async (program) => {
      await program.query(`set role ${panel}`);
      await program.query('delete from submissions where form_id = $1', [open.id]);
      const { rowCount } = await program.query('delete from respondents where form_id = $1', [open.id]);
      expect(rowCount).toBe(3);
    });
  });
});
