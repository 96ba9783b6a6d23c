import { client } from './support/client.js';
import { createDraft } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import { buildForm, type BuiltForm } from './support/forms.js';
import { useCommandLine } from './support/command-line.js';
import { letTokensExpire, newRespondent, publicForm } from './support/respondents.js';
import { onOneServer } from './support/it-on-one-server.js';

const use = useCommandLine({});
const { run } = use;

const begin = async (form: BuiltForm) => {
  const respondent = await newRespondent(use, form);
  return { ...respondent, ...(await createDraft(respondent.client, form)) };
};

const complete = async (form: BuiltForm) => {
  const respondent = await begin(form);
  expect((await respondent.client.patch(respondent.path, { status: 'completed' })).status).toBe(200);
  return respondent;
};

const query = (sql: string, ...parameters: unknown[]) => use.database.dataSource.query(sql, parameters);

const isLeft = async ({ id }: { id: number }) =>
  (await query('select from respondents join users on id = user_id where user_id = $1', id)).length === 1;

const submissionsOf = async ({ id }: { id: number }) =>
  (await query('select status from submissions where user_id = $1', id)).map(
    ({ status }: { status: string }) => status,
  );

const entries = (action: string, form: BuiltForm) =>
  query(
    'select detail from audit_log where action = $1 and subject = $2 order by id',
    action,
    `form:${form.form.slug}`,
  );

onOneServer('respondents revoke (P8)', () => {
  it('ends the tokens and codes of the respondents of one form at once, and keeps their submissions', async () => {
    const form = await publicForm(use);
    const other = await newRespondent(use, await publicForm(use));
    const [first, second] = [await begin(form), await complete(form)];
    const { code } = (await first.client.post('/api/v1/resume-codes')).body.data;

    expect(await run(['respondents', 'revoke', '--form', form.form.slug, '--yes'])).toMatchObject({
      status: 0,
      stdout: `Ended 2 tokens of respondents of the form "${form.form.slug}".\n`,
    });

    for (const { client, path } of [first, second])
      await eventually('the token is rejected', async () => (await client.get(path)).status === 401);
    expect((await use.service.anyone.post('/api/v1/resume', { code })).status).toBe(422);
    expect((await other.client.get('/api/v1/submissions')).status).toBe(200);
    expect([await submissionsOf(first), await submissionsOf(second)]).toEqual([['draft'], ['completed']]);
    expect(await entries('respondents.revoked', form)).toEqual([{ detail: { tokens: 2 } }]);
  });

  it('names a form that does not exist, and asks before it ends anything', async () => {
    const form = await publicForm(use);
    const respondent = await newRespondent(use, form);
    expect(await run(['respondents', 'revoke', '--form', 'none', '--yes'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('There is no form with the slug "none"'),
    });
    expect(await run(['respondents', 'revoke', '--form', form.form.slug])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('add --yes'),
    });
    expect((await respondent.client.get('/api/v1/submissions')).status).toBe(200);
  });
});

onOneServer('respondents purge', () => {
  it('deletes who can no longer continue, with drafts, and who began nothing within a day; keeps all others', async () => {
    const form = await publicForm(use);
    const expire = (respondent: { id: number }) => letTokensExpire(use.database, respondent);
    const age = ({ id }: { id: number }) =>
      query(`update respondents set created_at = now() - interval '25 hours' where user_id = $1`, id);

    const expired = await begin(form);
    await expire(expired);
    const ended = await begin(form);
    expect((await ended.client.delete('/api/v1/respondents/me')).status).toBe(204);
    const idle = await newRespondent(use, form);
    await age(idle);
    const both = await complete(form);
    await createDraft(both.client, form);
    await expire(both);

    const active = await begin(form);
    await age(active);
    const fresh = await newRespondent(use, form);
    const done = await complete(form);
    await expire(done);
    const onAnotherDevice = await begin(form);
    expect((await onAnotherDevice.client.post('/api/v1/resume-codes')).status).toBe(201);
    await expire(onAnotherDevice);
    const elsewhere = await begin(await publicForm(use));
    await expire(elsewhere);

    const purge = ['respondents', 'purge', '--form', form.form.slug];
    expect(await run([...purge, '--dry-run'])).toMatchObject({
      status: 0,
      stdout: '4 respondents would be deleted, or would lose drafts.\n',
    });
    expect(await run([...purge, '--json'])).toMatchObject({
      status: 0,
      stdout: `${JSON.stringify({ respondents: 3, drafts: 3, dry_run: false }, null, 2)}\n`,
    });

    for (const gone of [expired, ended, idle]) expect(await isLeft(gone)).toBe(false);
    for (const kept of [both, active, fresh, done, onAnotherDevice, elsewhere])
      expect(await isLeft(kept)).toBe(true);
    expect(await submissionsOf(both)).toEqual(['completed']);
    expect(await submissionsOf(active)).toEqual(['draft']);
    expect(await submissionsOf(elsewhere)).toEqual(['draft']);
    expect((await active.client.get(active.path)).status).toBe(200);
    expect(await entries('respondents.purged', form)).toEqual([{ detail: { respondents: 3, drafts: 3 } }]);
    expect(await run(purge)).toMatchObject({ stdout: 'Deleted 0 respondents and 0 drafts.\n' });
  });
});

onOneServer('forms preview (P10)', () => {
  it('issues a token for an hour, with which an inactive form can be tried; its tests are in no export, and have no address (P9)', async () => {
    const form = await buildForm(use.database.dataSource, {
      form: { isActive: false },
      steps: [{ name: {} }],
    });
    const { stdout, status: exit } = await run(['forms', 'preview', form.form.slug]);
    expect(exit).toBe(0);
    const token = stdout.trim();
    expect(token).toMatch(/^ftr_[\w-]{43}$/);
    const headers = { Authorization: `Bearer ${token}` };
    const own = client(use.service.url, headers);
    const { status, body } = await own.post('/api/v1/submissions', { form_uuid: form.form.uuid });
    expect({ status, is_test: body.data.is_test }).toEqual({ status: 201, is_test: true });
    const path = `/api/v1/submissions/${body.data.uuid as string}`;
    const completed = await own.patch(path, { status: 'completed' });
    expect([completed.status, 'is_test' in completed.body.data]).toEqual([200, false]);
    expect((await own.get(path)).body.data.is_test).toBe(true);
    expect((await own.get('/api/v1/submissions')).body.data).toMatchObject([{ is_test: true }]);
    const other = await buildForm(use.database.dataSource, { form: { isActive: false } });
    expect((await own.post('/api/v1/submissions', { form_uuid: other.form.uuid })).status).toBe(422);

    const exported = ['submissions', 'export', '--form', form.form.slug];
    expect(await run(exported)).toMatchObject({ status: 0, stdout: '' });
    const { stdout: lines } = await run([...exported, '--include-tests']);
    expect(JSON.parse(lines)).toMatchObject({ is_test: true, user_email: null, status: 'completed' });
    expect(await run([...exported, '--include-tests', '--format', 'csv'])).toMatchObject({ status: 0 });

    const purge = ['submissions', 'purge', '--drafts-older-than', '90d', '--form', form.form.slug];
    expect(await run(purge)).toMatchObject({ stdout: 'Deleted 0 drafts.\n' });
    await query(
      `update respondents set created_at = now() - interval '25 hours 1 second' where form_id = $1`,
      form.form.id,
    );
    expect(await run(purge)).toMatchObject({ stdout: 'Deleted 0 drafts.\nDeleted 1 test submission.\n' });
    expect(await query('select from respondents where form_id = $1', form.form.id)).toEqual([]);
    await eventually(
      'the token is rejected',
      async () => (await own.get('/api/v1/submissions')).status === 401,
    );
  });

  it('names a form that does not exist', async () => {
    expect(await run(['forms', 'preview', 'none'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('There is no form with the slug "none"'),
    });
  });
});
