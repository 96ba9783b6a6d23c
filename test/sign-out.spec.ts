import { randomUUID } from 'node:crypto';
import { User } from '../src/entities.js';
import { client } from './support/client.js';
import { useCommandLine } from './support/command-line.js';
import { eventually } from './support/eventually.js';
import { buildForm } from './support/forms.js';
import {
  acceptingTokensOf,
  type IdentityProvider,
  identityProvider,
  seconds,
} from './support/identity-provider.js';
import { newUser, type Service, startService } from './support/service.js';

const UNKNOWN = '/api/v1/submissions/01890000-0000-7000-8000-000000000001';

const use = useCommandLine();
const { run } = use;
let provider: IdentityProvider;
let service: Service;

beforeAll(async () => {
  provider = await identityProvider();
  service = await startService(use.database, acceptingTokensOf(provider));
}, 120_000);
afterAll(async () => {
  await service.close();
  await provider.close();
});

const sql = (text: string, ...values: unknown[]) => use.database.dataSource.query(text, values);

const of = (token: string) => client(service.url, { Authorization: `Bearer ${token}` });

const statusOf = async (token: string) => (await of(token).get(UNKNOWN)).status;

const isRejected = (token: string) =>
  eventually('the token is rejected', async () => (await statusOf(token)) === 401);

const signOut = (...words: string[]) => run(['users', 'sign-out', ...words]);

interface Account {
  readonly subject: string;
  readonly jwt: string;
  /** The user of the account. */
  readonly id: number;
  readonly identity: number;
}

/** Signs a person in at the identity provider for the first time. */
async function newAccount(email?: string): Promise<Account> {
  const subject = randomUUID();
  const claims = email === undefined ? {} : { email, email_verified: true };
  const jwt = await provider.sign({ sub: subject, iat: seconds() - 10, ...claims });
  expect(await statusOf(jwt)).toBe(404);
  const [{ id: identity, user_id: id }] = await sql(
    'select id, user_id from user_identities where subject = $1',
    subject,
  );
  return { subject, jwt, id, identity };
}

/** A person with an API token and the address, whose account at the provider is therefore another user. */
async function newAda() {
  const { id, plainToken } = await newUser({ database: use.database, service });
  const { email } = await use.database.dataSource.manager.findOneByOrFail(User, { id });
  const account = await newAccount(email ?? '');
  expect(account.id).not.toBe(id);
  return { id, plainToken, email: email ?? '', account };
}

const found = ({ subject, identity }: Account) =>
  `  identity ${identity}: subject "${subject}" of ${provider.issuer}`;

const TOKENS = '"tokens list" shows them, and "tokens revoke ID" revokes one.';
const CANNOT_FIND =
  /^--email cannot find an account whose user has no address, .*\. Users without an address have \d+ identit(y|ies)\. .* --issuer and --subject\.$/;

describe('formtrail users sign-out', () => {
  it('ends the JSON web tokens of a user, and says that API tokens stay valid', async () => {
    const { id, plainToken } = await newUser({ database: use.database, service });
    const { email } = await use.database.dataSource.manager.findOneByOrFail(User, { id });
    const account = await newAccount();
    await sql('update user_identities set user_id = $1 where id = $2', id, account.identity);
    await sql('delete from users where id = $1', account.id);

    const { status, stdout, stderr } = await signOut('--email', email?.toUpperCase() ?? '');

    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      `Found user ${id} (${email}), with these identities:`,
      found(account),
      expect.stringMatching(
        /^JSON web tokens of user \d+ \(\S+\) that were issued before \d{4}-\S+Z are rejected from now on\.$/,
      ),
      `API tokens that stay valid: 1. ${TOKENS}`,
      '',
    ]);
    await isRejected(account.jwt);
    expect(await statusOf(await provider.sign({ sub: account.subject, iat: seconds() + 2 }))).toBe(404);
    expect(await statusOf(plainToken)).toBe(404);
    const acts = await sql(
      `select actor like 'cli:%' as is_cli, action, detail from audit_log where subject = $1 and action = 'user.changed'`,
      `user:${id}`,
    );
    expect(acts).toEqual([
      { is_cli: true, action: 'user.changed', detail: { changed: ['tokens_valid_from'] } },
    ]);
  });

  it('says that an address does not find the account of a user without one, which its issuer and subject do (A10)', async () => {
    const { id, email, account } = await newAda();
    const { status, stdout } = await signOut('--email', email);
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toBe(`Found user ${id} (${email}), with no identity`);
    expect(lines.at(-1)).toMatch(CANNOT_FIND);
    expect(await statusOf(account.jwt)).toBe(404);

    const named = ['--issuer', provider.issuer, '--subject', account.subject];
    const both = await signOut('--email', email, ...named);
    expect(both.stdout.split('\n').slice(0, 3)).toEqual([
      `Found user ${account.id} (no email address), with these identities:`,
      found(account),
      `Found user ${id} (${email}), with no identity`,
    ]);
    await isRejected(account.jwt);
  });

  it('signs out a user by id, several at once, and nobody if one name is unknown', async () => {
    const accounts = [await newAccount(), await newAccount()] as const;
    const words = accounts.flatMap(({ id }) => ['--user', String(id)]);
    const refused = await signOut(...words, '--issuer', provider.issuer, '--subject', 'nobody');
    expect([refused.status, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain(`There is no identity with the subject "nobody" of ${provider.issuer}.`);
    for (const { jwt } of accounts) expect(await statusOf(jwt)).toBe(404);

    expect((await signOut(...words)).stdout).toContain(accounts.map(found)[1]);
    for (const { jwt } of accounts) await isRejected(jwt);
  });

  it('does not accept tokens again that an operator rejects from a later time on', async () => {
    const { id } = await newUser({ database: use.database, service });
    const { email } = await use.database.dataSource.manager.findOneByOrFail(User, { id });
    await sql(`update users set tokens_valid_from = 'infinity' where id = $1`, id);
    expect(await signOut('--email', email ?? '')).toMatchObject({ status: 0 });
    const [user] = await sql('select tokens_valid_from::text from users where id = $1', id);
    expect(user).toEqual({ tokens_valid_from: 'infinity' });
  });

  it.each([
    [['--email', 'nobody@example.org'], 'There is no user with the email address "nobody@example.org".'],
    [['--user', '2147483647'], 'There is no user with the id 2147483647.'],
  ])('fails for an unknown user: %j', async (name, message) => {
    const { status, stderr } = await signOut(...name);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  it('escapes what an identity provider calls a person, so that it cannot forge a line', async () => {
    const subject = 'ada\u001b[31m\nFound nobody\u202e';
    const jwt = await provider.sign({ sub: subject });
    expect(await statusOf(jwt)).toBe(404);
    const { stdout } = await signOut('--issuer', provider.issuer, '--subject', subject);
    expect(stdout).toContain('subject "ada\\u001b[31m\\u000aFound nobody\\u202e" of');
  });
});

describe('formtrail users erase', () => {
  it('erases the account of a user without an address together with the user that the address finds (A10)', async () => {
    const { id, email, plainToken, account } = await newAda();
    const { form } = await buildForm(use.database.dataSource);
    for (const token of [plainToken, account.jwt])
      expect((await of(token).post('/api/v1/submissions', { form_uuid: form.uuid })).status).toBe(201);

    const { status, stdout, stderr } = await run([
      ...['users', 'erase', '--yes', '--email', email],
      ...['--issuer', provider.issuer, '--subject', account.subject],
    ]);

    expect(status).toBe(0);
    const lines = stderr.trimEnd().split('\n');
    expect(lines.slice(0, 3)).toEqual([
      `Found user ${account.id} (no email address), with these identities:`,
      found(account),
      `Found user ${id} (${email}), with no identity`,
    ]);
    expect(lines.slice(3)).toEqual([expect.stringMatching(CANNOT_FIND)]);
    const gone = (tokens: number) =>
      `1 submission, 0 values, 0 records, 0 idempotency keys, ${tokens} token${tokens === 1 ? '' : 's'}, 1 user`;
    expect(stdout).toContain(
      `Erased user ${account.id} (no email address): ${gone(0)}.\nErased user ${id} (${email}): ${gone(1)}.\nThis stays:\n`,
    );
    for (const token of [plainToken, account.jwt]) await isRejected(token);
    expect(await sql('select from submissions where form_id = $1', form.id)).toEqual([]);
  });

  it('erases nobody if one name is unknown', async () => {
    const { id, plainToken } = await newUser({ database: use.database, service });
    const words = ['--yes', '--user', String(id), '--email', 'nobody@example.org'];
    const { status, stderr } = await run(['users', 'erase', ...words]);
    const message = expect.stringContaining('There is no user with the email address');
    expect([status, stderr, await statusOf(plainToken)]).toEqual([1, message, 404]);
  });
});
