import { User } from '../src/entities.js';
import { client } from './support/client.js';
import { openCommandLine, type OpenCommandLine } from './support/command-line.js';
import { eventually } from './support/eventually.js';
import {
  acceptingTokensOf,
  type IdentityProvider,
  identityProvider,
  seconds,
} from './support/identity-provider.js';
import { newUser, type Service, startService } from './support/service.js';

const UNKNOWN = '/api/v1/submissions/01890000-0000-7000-8000-000000000001';

let { database, run, close } = {} as OpenCommandLine;
let provider: IdentityProvider;
let service: Service;

beforeAll(async () => {
  ({ database, run, close } = await openCommandLine());
  provider = await identityProvider();
  service = await startService(database, acceptingTokensOf(provider));
}, 120_000);
afterAll(async () => {
  await service.close();
  await provider.close();
  await close();
});

const statusOf = async (token: string) =>
  (await client(service.url, { Authorization: `Bearer ${token}` }).get(UNKNOWN)).status;

describe('formtrail users sign-out', () => {
  it('ends the JSON web tokens of a user, and says that API tokens stay valid', async () => {
    const { id, plainToken } = await newUser({ database, service });
    const { email } = await database.dataSource.manager.findOneByOrFail(User, { id });
    const jwt = await provider.sign({ iat: seconds() - 10 });
    expect(await statusOf(jwt)).toBe(404);
    await database.dataSource.query('update user_identities set user_id = $1', [id]);

    const { status, stdout, stderr } = await run([
      'users',
      'sign-out',
      '--email',
      email?.toUpperCase() ?? '',
    ]);

    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      new RegExp(
        `^JSON web tokens of ${email} that were issued before \\d{4}-\\S+Z are rejected from now on\\.\\n` +
          'API tokens that stay valid: 1\\. "tokens list" shows them, and "tokens revoke ID" revokes one\\.\\n$',
      ),
    );
    await eventually('the token is rejected', async () => (await statusOf(jwt)) === 401);
    expect(await statusOf(await provider.sign({ iat: seconds() + 2 }))).toBe(404);
    expect(await statusOf(plainToken)).toBe(404);
    const acts = await database.dataSource.query(
      `select actor like 'cli:%' as is_cli, action, detail from audit_log where subject = $1 and action = 'user.changed'`,
      [`user:${id}`],
    );
    expect(acts).toEqual([
      { is_cli: true, action: 'user.changed', detail: { changed: ['tokens_valid_from'] } },
    ]);
  });

  it('does not accept tokens again that an operator rejects from a later time on', async () => {
    const { id } = await newUser({ database, service });
    const { email } = await database.dataSource.manager.findOneByOrFail(User, { id });
    await database.dataSource.query(`update users set tokens_valid_from = 'infinity' where id = $1`, [id]);
    expect(await run(['users', 'sign-out', '--email', email ?? ''])).toMatchObject({ status: 0 });
    const [user] = await database.dataSource.query(
      'select tokens_valid_from::text from users where id = $1',
      [id],
    );
    expect(user).toEqual({ tokens_valid_from: 'infinity' });
  });

  it('fails for an unknown address', async () => {
    const { status, stderr } = await run(['users', 'sign-out', '--email', 'nobody@example.org']);
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('There is no user with the e-mail address "nobody@example.org".'),
    ]);
  });
});
