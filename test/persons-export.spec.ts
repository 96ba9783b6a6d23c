import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { openStorage } from '../src/capabilities/files/storage/open-storage.js';
import { User } from '../src/entities.js';
import { PATIENCE } from './support/built-service.js';
import type { Client } from './support/client.js';
import { ended, useCommandLine } from './support/command-line.js';
import { eventually } from './support/eventually.js';
import { filesFolder, PDF, storeFile, uploadFile } from './support/files.js';
import { buildEntity, buildForm, type BuiltForm } from './support/forms.js';
import { onOneServer as describe } from './support/it-on-one-server.js';
import { newUser } from './support/service.js';
import { asAnotherProgram } from './support/test-server.js';

const storage = filesFolder();
const use = useCommandLine({ FILES_URL: storage.url });
const FILES = { FILES_URL: storage.url };

let built: BuiltForm;
beforeAll(async () => {
  built = await buildForm(use.database.dataSource, {
    form: { slug: 'claim', name: 'Claim <expenses>' },
    steps: [
      {
        ...{ name: { label: 'Your "name" & title' }, colours: { type: 'checkbox', options: ['r', 'g,b'] } },
        ...{ cv: { type: 'file' }, amount: { isRepeatable: true } },
      },
    ],
  });
  await buildEntity(
    use.database.dataSource,
    built,
    { name: 'expense', label: 'An expense', isRepeatable: true },
    ['amount'],
  );
  await sql(
    `update options set label = case value when 'r' then 'Red' else 'Green, blue' end where field_id = $1`,
    built.fields['colours']!.id,
  );
}, 120_000);
afterAll(() => storage.remove());

const sql = <T = any>(text: string, ...values: unknown[]) => use.database.dataSource.query<T[]>(text, values);

/** Creates a user with a submission, and stores values in it. */
async function person(values: Record<string, string> = {}) {
  const { id, client } = await newUser(use);
  const { email } = await use.database.dataSource.manager.findOneByOrFail(User, { id });
  return { id, client, email: email ?? '', ...(await begin(client, values)) };
}

async function begin(client: Client, values: Record<string, string> = {}) {
  const { body } = await client.post('/api/v1/submissions', { form_uuid: built.form.uuid });
  const submission = `/api/v1/submissions/${body.data.uuid}`;
  await store(client, submission, values);
  return { uuid: body.data.uuid as string, submission };
}

async function store(client: Client, submission: string, values: Record<string, string>) {
  const entries = Object.entries(values).map(([field_code, value]) => ({ field_code, value }));
  if (entries.length > 0)
    expect((await client.post(`${submission}/values`, { values: entries })).status).toBe(200);
}

async function storeCv(client: Client, submission: string, name = 'cv.pdf') {
  const { uuid, value } = await storeFile(client, submission, PDF, { name });
  await store(client, submission, { cv: value });
  return uuid;
}

/** Runs the export of some users to a new folder, and reads what it has written. */
async function exported(ids: readonly number[], variables: Record<string, string> = FILES) {
  const out = path.join(use.directory, randomUUID());
  const names = ids.flatMap((id) => ['--user', String(id)]);
  const outcome = await use.run(['users', 'export', ...names, '--out', out], variables);
  const read = (name: string) => readFile(path.join(out, name), 'utf8').catch(() => undefined);
  const people = [];
  const index = (await read('index.html')) ?? '';
  if (index !== '') for (const id of ids) people.push(JSON.parse((await read(`user-${id}.json`)) ?? ''));
  return { ...outcome, out, people, index };
}

describe('formtrail users export (T5)', () => {
  it('writes everything that is stored of a user as JSON', async () => {
    const { id, client, email, uuid, submission } = await person({ name: 'Ada', colours: 'g,b,r' });
    const file = await storeCv(client, submission);
    const { body: record } = await client.post(`${submission}/records`, { entity: 'expense' });
    const values = [{ field_code: 'amount', value: '12.50', entity_record_id: record.data.id }];
    expect((await client.post(`${submission}/values`, { values })).status).toBe(200);
    expect((await client.patch(submission, { status: 'completed', meta: { source: 'web' } })).status).toBe(
      200,
    );
    const draft = await begin(client);
    await sql('update submissions set anonymized_at = now() where uuid = $1', draft.uuid);
    await sql('update submissions set held = true where uuid = $1', uuid);
    await sql(
      `insert into user_identities (user_id, issuer, subject) values ($1, 'https://id.example.org', $2)`,
      ...[id, `ada-${id}`],
    );

    const { status, stdout, people } = await exported([id]);

    expect(status).toBe(0);
    expect(stdout).toContain('1 draft and 1 completed submission, of which 1 is held; 1 file, 1 token.');
    expect(people[0].user).toEqual({ id, email, created_at: expect.any(String), tokens_valid_from: null });
    expect(people[0].identities).toMatchObject([{ issuer: 'https://id.example.org', subject: `ada-${id}` }]);
    expect(people[0].tokens).toEqual([
      {
        ...{ id: expect.any(Number), name: null, created_at: expect.any(String) },
        ...{ expires_at: null, revoked_at: null },
      },
    ]);
    const [completed, begun] = people[0].submissions;
    const { body } = await client.get(submission);
    const { uuid: form_uuid, slug, name } = built.form;
    expect(completed).toMatchObject({
      ...{ uuid, status: 'completed', is_test: false, locale: null, held: true, anonymized_at: null },
      ...{ form: { uuid: form_uuid, slug, name }, meta: { source: 'web' } },
      ...{ created_at: body.data.created_at, updated_at: body.data.updated_at },
      completed_at: body.data.updated_at,
    });
    expect(completed.values.map((one: any) => [one.field_code, one.label, one.value, one.shown])).toEqual([
      ['name', 'Your "name" & title', 'Ada', undefined],
      ['colours', 'colours', 'g,b,r', 'Green, blue, Red'],
      ['cv', 'cv', `file:${file}`, undefined],
      ['amount', 'amount', '12.50', undefined],
    ]);
    expect(completed.values[3].entity_record_id).toBe(record.data.id);
    expect(completed.records).toEqual([record.data]);
    expect(completed.files).toMatchObject([
      {
        ...{ uuid: file, name: 'cv.pdf', size: PDF.length, state: 'stored', field_code: 'cv' },
        ...{ sha256: createHash('sha256').update(PDF).digest('hex'), path: `files/${uuid}/${file}.pdf` },
      },
    ]);
    expect(begun).toMatchObject({ uuid: draft.uuid, status: 'draft', held: false, files: [], values: [] });
    expect(begun.anonymized_at).toEqual(expect.any(String));
    expect(JSON.stringify(people)).not.toMatch(/hash/);
    await sql('update submissions set held = false where uuid = $1', uuid);
  });

  it('writes an index that a browser shows without a network and scripts, and in which texts are only texts', async () => {
    const attack = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`;
    const { id, client, submission, uuid } = await person({ name: `${attack}\nsecond line` });
    const file = await storeCv(client, submission);
    const { uuid: other } = await storeFile(client, submission);
    const rename = 'update files set name = $2 where uuid = $1';
    await sql(rename, file, `../../${attack}.p"df`);
    await sql(rename, other, `..\\CON.${'x'.repeat(20)}`);
    await sql(`update users set email = $2 where id = $1`, id, `<b>${randomUUID()}</b>@example.org`);

    const { status, out, index } = await exported([id]);

    expect(status).toBe(0);
    expect(index).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(index).toMatch(
      /<title>Personal data of &lt;b&gt;[-\w]+&lt;\/b&gt;@example\.org \(user \d+\)<\/title>/,
    );
    expect(index).toContain(`default-src 'none'`);
    expect(index).toContain('<h1>');
    expect(index).toMatch(/stored at <time datetime="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ">/);
    expect(index).toContain('Claim &lt;expenses&gt;, draft');
    expect(index).toContain('Your &quot;name&quot; &amp; title');
    expect(index).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    const tags = new Set(Array.from(index.matchAll(/<([a-z]+\d?)/g), ([, tag]) => tag));
    expect([...tags].filter((tag) => ['script', 'img', 'b', 'iframe', 'link'].includes(tag!))).toEqual([]);
    expect(index).not.toMatch(/\son\w+=[^&\s]*>/);
    // Each tag ends in the order in which the tags began.
    const open: string[] = [];
    for (const [, end, tag = ''] of index.matchAll(/<(\/?)([a-z]+\d?)/g))
      if (end === '/') expect(open.pop()).toBe(tag);
      else if (!['meta', 'br'].includes(tag)) open.push(tag);
    expect(open).toEqual([]);

    const links = Array.from(index.matchAll(/href="([^"]*)"/g), ([, link = '']) => link);
    for (const link of links.filter((one) => !one.startsWith('#'))) {
      expect(link).toMatch(/^[\w./-]+$/);
      expect(existsSync(path.join(out, link))).toBe(true);
    }
    expect(links).toEqual(expect.arrayContaining([`files/${uuid}/${file}`, `files/${uuid}/${other}`]));
    expect(await readFile(path.join(out, 'files', uuid, file))).toEqual(PDF);
    for (const [, anchor = ''] of index.matchAll(/href="#([^"]*)"/g))
      expect(index).toContain(`id="${anchor}"`);
  });

  it('writes folders and files that only their owner can read, and nothing else', async () => {
    const { id, client, submission, uuid } = await person();
    const file = await storeCv(client, submission);
    const { out } = await exported([id]);
    const entries = (await readdir(out, { recursive: true })).toSorted();
    expect(entries).toEqual(
      ['files', `files/${uuid}`, `files/${uuid}/${file}.pdf`, 'index.html', `user-${id}.json`].toSorted(),
    );
    for (const entry of ['.', ...entries]) {
      const { mode } = await stat(path.join(out, entry));
      const expected = path.extname(entry) === '' || entry === '.' ? 0o700 : 0o600;
      expect([entry, mode & 0o777]).toEqual([entry, expected]);
    }
  });

  it('exports several people at once, all submissions of each, in one index', async () => {
    const [ada, bob] = [await person(), await person({ name: 'Bob' })];
    await sql(
      `insert into submissions (uuid, form_id, user_id, status, created_at)
       select gen_random_uuid(), $1, $2, case when n % 3 = 0 then 'completed' else 'draft' end, now() - n / 7 * interval '1 day'
         from generate_series(1, 350) n`,
      ...[built.form.id, ada.id],
    );
    const { status, stdout, people, index } = await exported([bob.id, ada.id]);
    expect([status, stdout.match(/^Exported/gm)?.length]).toEqual([0, 2]);
    const stored = await sql('select uuid from submissions where user_id = $1', ada.id);
    const uuids = (list: { uuid: string }[]) => list.map(({ uuid }) => uuid).toSorted();
    expect(uuids(people[1].submissions)).toEqual(uuids(stored));
    expect(uuids(people[0].submissions)).toEqual([bob.uuid]);
    for (const { id, email } of [ada, bob])
      expect(index).toContain(`<h2 id="user-${id}">${email} (user ${id})</h2>`);
    expect(index.match(/<h3 id="/g)).toHaveLength(352);
  });

  it('reads one snapshot', async () => {
    const [ada, bob] = [await person(), await person()];
    const out = path.join(use.directory, randomUUID());
    // The export waits for this lock after it has read the first person, because it reads the files of submissions.
    await asAnotherProgram(use.database.connection, async (program) => {
      await program.query('begin; lock table files in access exclusive mode');
      const names = ['--user', String(ada.id), '--user', String(bob.id)];
      const outcome = ended(use.start(['users', 'export', ...names, '--out', out], FILES));
      const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await eventually('the export waits', async () => (await sql(waits)).length > 0, PATIENCE);
      const insert = 'insert into submissions (uuid, form_id, user_id) values (gen_random_uuid(), $1, $2)';
      await sql(insert, built.form.id, bob.id);
      await program.query('commit');
      expect(await outcome).toMatchObject({ status: 0 });
    });
    const second = JSON.parse(await readFile(path.join(out, `user-${bob.id}.json`), 'utf8'));
    expect(second.submissions).toHaveLength(1);
  });

  it('refuses a folder that is not empty, a file and a person who does not exist, and writes nothing', async () => {
    const { id } = await person();
    const folder = path.join(use.directory, randomUUID());
    await mkdir(folder);
    await writeFile(path.join(folder, 'taxes.txt'), '');
    for (const [out, user, message] of [
      [folder, id, `The folder ${folder} is not empty. Name a new or an empty folder with --out.`],
      [path.join(folder, 'taxes.txt'), id, 'cannot be used (ENOTDIR'],
      [path.join(folder, 'new'), 2_147_483_647, 'There is no user with the id 2147483647.'],
    ] as const) {
      const { status, stdout, stderr } = await use.run(
        ['users', 'export', '--user', String(user), '--out', out],
        FILES,
      );
      expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
    }
    expect(await readdir(folder)).toEqual(['taxes.txt']);
    expect(await sql('select from audit_log where subject = $1', `user:${id}`)).toEqual([]);
    expect((await use.run(['users', 'export', '--user', String(id)], FILES)).stderr).toContain(
      `required option '--out <dir>' not specified`,
    );
  });

  it('accepts an empty folder, and makes it private', async () => {
    const { id } = await person();
    const folder = path.join(use.directory, 'empty folder');
    await mkdir(folder);
    await chmod(folder, 0o755);
    const outcome = await use.run(['users', 'export', '--user', String(id), '--out', 'empty folder'], FILES);
    expect(outcome).toMatchObject({ status: 0 });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('names files whose content is missing, and fails', async () => {
    const { id, client, submission } = await person();
    const [gone, infected] = [
      await storeCv(client, submission),
      (await storeFile(client, submission, PDF, { name: 'virus.pdf' })).uuid,
    ];
    await (await openStorage(storage.url)).delete(gone);
    await sql(`update files set state = 'infected' where uuid = $1`, infected);
    const pending = (await uploadFile(client, submission)).split('/').at(-1);

    const { status, stderr, people, index } = await exported([id]);

    expect([status, stderr.trimEnd().split('\n').at(-1)]).toEqual([
      1,
      'formtrail: The content of 1 file is missing in the storage: check FILES_URL. The index names these files.',
    ]);
    const reasons = [
      [gone, `The content of file ${gone} is missing.`],
      [infected, `File ${infected} is infected and is left out.`],
      [pending, `The upload of file ${pending} is not finished.`],
    ];
    for (const [, reason] of reasons) {
      expect(stderr).toContain(`${reason}\n`);
      expect(index.split(reason!).length).toBeGreaterThanOrEqual(3);
    }
    const { files } = people[0].submissions[0];
    expect(files.map((file: any) => [file.uuid, file.path, file.left_out])).toEqual(
      reasons.map(([uuid, reason]) => [uuid, null, reason]).toSorted(),
    );
  });

  it('says that the content of files is not included if FILES_URL is not set', async () => {
    const { id, client, submission } = await person();
    await storeCv(client, submission);
    const { status, stderr, index, people, out } = await exported([id], {});
    const reason =
      'The content of files is not included, because FILES_URL is not set where the export was made.';
    expect([status, stderr]).toEqual([0, expect.stringContaining(reason)]);
    expect(index).toContain(reason);
    expect(people[0].submissions[0].files).toMatchObject([{ name: 'cv.pdf', path: null, left_out: reason }]);
    expect((await readdir(out)).toSorted()).toEqual(['index.html', `user-${id}.json`]);
  });

  it('is recorded for each person before it reads, with numbers only, and leaves no index if it fails', async () => {
    const [ada, bob] = [await person({ name: 'secret' }), await person()];
    await storeCv(bob.client, bob.submission);
    const away = { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1', AWS_REGION: 'a' };
    const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'a' };
    const { status, stdout, stderr, out } = await exported([ada.id, bob.id], {
      ...{ FILES_URL: 's3://bucket', ...away, ...keys },
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('The storage of files, s3://bucket, failed: ');
    expect(stderr).toContain(`${out} is incomplete. Delete it before you run the command again.`);
    expect(await readdir(out)).not.toContain('index.html');
    const subjects = [ada, bob].map(({ id }) => `user:${id}`);
    expect(
      await sql(
        `select action, subject, detail from audit_log where subject = any ($1) order by subject`,
        subjects,
      ),
    ).toEqual(
      subjects.toSorted().map((subject) => ({
        action: 'user.exported',
        subject,
        detail: { drafts: 1, completed: 0, held: 0 },
      })),
    );
  });

  it('leaves no index if it is interrupted', async () => {
    const { id, client, submission } = await person();
    await storeCv(client, submission);
    // A storage that never responds.
    const s3 = http.createServer().listen(0, '127.0.0.1');
    await once(s3, 'listening');
    const requested = once(s3, 'request');
    const out = path.join(use.directory, randomUUID());
    const child = use.start(['users', 'export', '--user', String(id), '--out', out], {
      FILES_URL: 's3://bucket',
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(s3.address() as AddressInfo).port}`,
      ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'a', AWS_REGION: 'a' },
    });
    const outcome = ended(child);
    await requested;
    child.kill('SIGINT');
    expect(await outcome).toMatchObject({
      status: 130,
      stdout: '',
      stderr: expect.stringContaining(`${out} is incomplete.`),
    });
    s3.closeAllConnections();
    s3.close();
    expect(await readdir(out)).not.toContain('index.html');
  });
});
