import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { RELAY } from '../src/capabilities/webhooks/webhook.statements.js';
import { createWebhookEndpoint } from '../src/entities.js';
import { client, type Client } from './support/client.js';
import { useCommandLine } from './support/command-line.js';
import { filesFolder, PDF, storeFile, uploadFile } from './support/files.js';
import { buildEntity, type BuiltForm } from './support/forms.js';
import {
  acceptingTokensOf,
  type IdentityProvider,
  identityProvider,
  seconds,
} from './support/identity-provider.js';
import { onOneServer as describe } from './support/it-on-one-server.js';
import { publicForm, newRespondent } from './support/respondents.js';
import { type Service, startService } from './support/service.js';

/** What a person has written, or is known by. No place may have it after an erasure. */
const MARKS = {
  address: 'ada.lovelace.4711@example.org',
  answer: 'zebra-answer-4711',
  subject: 'zebra-subject-4711',
  fileName: 'zebra-file-4711',
  tokenName: 'zebra-token-4711',
  meta: 'zebra-meta-4711',
  key: 'zebra-key-4711',
};
/** The ids of the person's users begin with these digits, so that they can be found among other numbers. */
const FIRST_USER_ID = 918_273_000;

interface Place {
  readonly tables: readonly string[];
  /** What stays after an erasure: `nothing`, or a sentence. */
  readonly stays: string;
}

/** The rows of the table of places in docs/privacy.md. */
const places: readonly Place[] = readFileSync(path.resolve(__dirname, '../docs/privacy.md'), 'utf8')
  .replace(/^[^]*?\n### In the database\n|\n### Outside[^]*$/g, '')
  .split('\n')
  .filter((line) => /^\| .*`\w+`/.test(line))
  .map((line) => line.split(' | '))
  .map(([place = '', ...cells]) => ({
    tables: Array.from(place.matchAll(/`(\w+)`/g), ([, name = '']) => name),
    stays: cells.at(-1)?.replace(/ \|$/, '') ?? '',
  }));

const staying = (table: string) => places.find(({ tables }) => tables.includes(table))?.stays;

const storage = filesFolder();
const use = useCommandLine();
let provider: IdentityProvider;
let service: Service;

const sql = <T = any>(text: string, ...values: unknown[]) => use.database.dataSource.query<T[]>(text, values);

const tablesOfDatabase = async () =>
  sql<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
  );

const unqualified = (name: string) => name.replace(/^\w+\./, '');

/** Returns the tables that have one of the texts in any column. Also finds texts in columns with bytes. */
async function tablesWith(texts: readonly string[]): Promise<string[]> {
  const patterns = texts
    .flatMap((text) => [text, Buffer.from(text).toString('hex')])
    .map((text) => `%${text}%`);
  const found: string[] = [];
  for (const { name } of await tablesOfDatabase()) {
    const columns = await sql<{ column: string }>(
      `select quote_ident(attname) as column from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      name,
    );
    const all = columns.map(({ column }) => `${column}::text`).join(', ');
    const rows = await sql(
      `select from ${name} where concat_ws(' ', ${all}) ilike any ($1::text[]) limit 1`,
      patterns,
    );
    if (rows.length > 0) found.push(unqualified(name));
  }
  return found;
}

let form: BuiltForm;
/** The ids of the person's users: of an account, and of a browser. */
let users: number[];
/** Texts that lead to the person, but name nobody. */
let ids: string[];
let before: { marks: string[]; ids: string[] };
let erased: Awaited<ReturnType<typeof use.run>>;

const run = async (...words: string[]) => {
  const outcome = await use.run(words, { FILES_URL: storage.url });
  expect(outcome).toMatchObject({ status: 0 });
  return outcome;
};

/** Fills in the form as the person, with a file, a record and an upload that is not finished. */
async function fillIn(of: Client, values: Record<string, string>, status?: 'completed'): Promise<string> {
  const begun = await of.post(
    '/api/v1/submissions',
    { form_uuid: form.form.uuid },
    { 'Idempotency-Key': `${MARKS.key}-${status}` },
  );
  expect(begun.status).toBe(201);
  const submission = `/api/v1/submissions/${begun.body.data.uuid}`;
  const { value } = await storeFile(of, submission, PDF, { name: `${MARKS.fileName}.pdf` });
  await uploadFile(of, submission, PDF, { name: `${MARKS.fileName}-2.pdf` });
  const { body: record } = await of.post(`${submission}/records`, { entity: 'expense' });
  const entries = Object.entries({ ...values, cv: value }).map(([field_code, text]) => ({
    ...{ field_code, value: text },
    ...(field_code === 'amount' && { entity_record_id: record.data.id }),
  }));
  expect((await of.post(`${submission}/values`, { values: entries })).status).toBe(200);
  const patched = await of.patch(submission, { meta: { note: MARKS.meta }, ...(status && { status }) });
  expect(patched.status).toBe(200);
  return begun.body.data.uuid as string;
}

describe('a person who is erased', () => {
  beforeAll(async () => {
    provider = await identityProvider();
    service = await startService(use.database, { FILES_URL: storage.url, ...acceptingTokensOf(provider) });
    await sql(`alter sequence users_id_seq restart with ${FIRST_USER_ID}`);
    form = await publicForm(use, {
      form: { maxPerUser: 5, maxSubmissions: 100 },
      steps: [
        {
          ...{ name: {}, email: { type: 'email' }, cv: { type: 'file' }, amount: { isRepeatable: true } },
          ...{ day: { type: 'select', options: ['monday', 'tuesday'] } },
        },
      ],
    });
    await buildEntity(use.database.dataSource, form, { name: 'expense', isRepeatable: true }, ['amount']);
    await sql('update options set places = 10 where field_id = $1', form.fields['day']!.id);
    const { manager } = use.database.dataSource;
    const key = randomBytes(32).toString('base64');
    const events = ['submission.created', 'submission.completed', 'submission.deleted'] as const;
    for (const url of ['https://crm.example/hook', 'https://erp.example/hook'])
      await createWebhookEndpoint(manager, { url, body: 'full', events }, key);

    const claims = { sub: MARKS.subject, iat: seconds() - 10, email: MARKS.address, email_verified: true };
    const account = client(service.url, { Authorization: `Bearer ${await provider.sign(claims)}` });
    const values = { name: MARKS.answer, email: MARKS.address, amount: MARKS.answer, day: 'monday' };
    const submissions = [await fillIn(account, values, 'completed'), await fillIn(account, values)];
    await run('tokens', 'create', '--email', MARKS.address, '--name', MARKS.tokenName);
    const browser = await newRespondent({ database: use.database, service }, form);
    submissions.push(await fillIn(browser.client, values, 'completed'));
    expect((await browser.client.post('/api/v1/resume-codes')).status).toBe(201);

    // For each event, a webhook waits, and another was given up. Later events are still in the outbox.
    await sql(RELAY.text, 1_000);
    const givenUp = `next_attempt_at = null, attempts = 10, last_error = 'the receiver responded with 500'`;
    const [first] = await sql<{ id: number }>('select min(endpoint_id) as id from webhook_deliveries');
    await sql(`update webhook_deliveries set ${givenUp} where endpoint_id = $1`, first!.id);
    submissions.push(await fillIn(browser.client, values));
    const complete = await browser.client.patch(`/api/v1/submissions/${submissions.at(-1)}`, {
      status: 'completed',
    });
    expect(complete.status).toBe(200);

    users = (await sql<{ id: number }>('select id from users order by id')).map(({ id }) => id);
    expect(users).toEqual([FIRST_USER_ID, FIRST_USER_ID + 1]);
    const identity = createHash('sha256').update(`${provider.issuer} ${MARKS.subject}`).digest('hex');
    ids = [...users.map(String), ...submissions, identity];
    const names = users.flatMap((id) => ['--user', String(id)]);
    await run('submissions', 'export', '--form', form.form.slug);
    await run('users', 'export', ...names, '--out', 'export');
    before = { marks: await tablesWith(Object.values(MARKS)), ids: await tablesWith(ids) };
    erased = await run('users', 'erase', '--yes', ...names);
    // One of the events about the erasure waits as a delivery, the others are in the outbox.
    await sql(RELAY.text, 1);
  }, 120_000);
  afterAll(async () => {
    await service.close();
    await provider.close();
    await storage.remove();
  });

  const WEBHOOKS = ['webhook_deliveries', 'webhook_outbox'];

  it('was known in every place that docs/privacy.md names', async () => {
    expect(before.marks).toEqual([
      ...['api_tokens', 'files', 'idempotency_keys', 'submission_values', 'submissions', 'user_identities'],
      ...['users', 'webhook_deliveries', 'webhook_outbox'],
    ]);
    expect(before.ids).toEqual([
      ...['api_tokens', 'audit_log', 'entity_records', 'files', 'held_options', 'idempotency_keys'],
      ...[
        'respondents',
        'resume_codes',
        'submission_values',
        'submissions',
        'user_counts',
        'user_identities',
      ],
      ...['user_storage', 'users', 'webhook_deliveries', 'webhook_outbox'],
    ]);
    expect(await sql('select from form_versions')).toHaveLength(1);
    const documented = places.flatMap(({ tables }) => tables);
    for (const table of [...before.marks, ...before.ids]) expect(documented).toContain(table);
    expect(erased.stdout).toMatch(
      /^Erased user 918273000 \(ada\.lovelace\.4711@example\.org\): 2 submissions, /,
    );
  });

  it('is in no column of any table by address, account, answer or name, except in webhooks', async () => {
    const found = await tablesWith(Object.values(MARKS));
    expect(found.filter((table) => !WEBHOOKS.includes(table))).toEqual([]);
  });

  it('is in no webhook that waits or was given up', async () => {
    const found = await tablesWith(Object.values(MARKS));
    expect(found.filter((table) => WEBHOOKS.includes(table))).toEqual([]);
  });

  it('is in the places by id only of which docs/privacy.md says what stays', async () => {
    // One of the webhooks that say that the submissions were deleted waits for its delivery, the others are events.
    await sql(RELAY.text, 1);
    const found = await tablesWith(ids);
    expect(found).toEqual(expect.arrayContaining(['audit_log', 'ended_identities', 'file_deletions']));
    for (const table of found) expect([table, staying(table)]).not.toEqual([table, 'nothing']);
    // The opposite: each place of which something stays, has it.
    for (const { tables, stays } of places)
      if (stays !== 'nothing' && tables.some((table) => before.ids.includes(table)))
        expect([tables, tables.filter((table) => found.includes(table))]).toEqual([tables, tables]);
  });

  it('has no content in the storage of files after servers have done their work', async () => {
    expect(await storage.uuids()).not.toEqual([]);
    await service.workOnFiles();
    expect(await storage.uuids()).toEqual([]);
  });
});

it('docs/privacy.md names every table', async () => {
  const documented = new Set(places.flatMap(({ tables }) => tables));
  const tables = (await tablesOfDatabase()).map(({ name }) => unqualified(name));
  expect(tables.length).toBeGreaterThan(30);
  expect(tables.filter((name) => !documented.has(name))).toEqual([]);
});
