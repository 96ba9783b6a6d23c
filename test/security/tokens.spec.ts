import path from 'node:path';
import { createHash, randomBytes } from 'node:crypto';
import { createProgram } from '../../src/cli/program.js';
import { issueToken, revokeToken, User } from '../../src/entities.js';
import { expectUnauthenticated } from '../support/answers.js';
import { client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { GUARDED } from '../support/operations.js';
import { newUser, useOwnService, useServiceOn } from '../support/service.js';
import { type SentStatement, statementsDuring } from '../support/statements.js';
import { wholeDatabase } from '../support/whole-database.js';

const ROOT = path.resolve(__dirname, '../..');
const UUID = '01890000-0000-7000-8000-000000000001';

const use = useOwnService();
const other = useServiceOn(use);

const bearer = (plainToken: string) => ({ Authorization: `Bearer ${plainToken}` });

/** Sends a request with the token, and returns the statements that the service sends. */
async function ask(plainToken: string): Promise<SentStatement[]> {
  const sent = await use.service.statementsDuring(() =>
    use.service.anyone.get(`/api/v1/submissions/${UUID}`, bearer(plainToken)),
  );
  // The process of the service has sent buffers as JSON.
  const revived = (value: any) => (value?.type === 'Buffer' ? Buffer.from(value.data as number[]) : value);
  return sent.map(({ name, values }) => ({ name, values: values.map(revived) }));
}

describe('a token', () => {
  const sql = (text: string) => (id: number) => use.database.dataSource.query(text, [id]);
  it.each<[string, (id: number) => Promise<unknown>]>([
    ['revoked', (id) => revokeToken(use.database.dataSource.manager, id)],
    ['revoked by another program', sql('update api_tokens set revoked_at = now() where id = $1')],
    ['expired', sql(`update api_tokens set expires_at = now() - interval '1 s' where id = $1`)],
    ['deleted', sql('delete from api_tokens where id = $1')],
    [
      'deleted with its user',
      sql('delete from users where id = (select user_id from api_tokens where id = $1)'),
    ],
  ])('is rejected by every route of every instance once it is %s', async (_, end) => {
    const { token, plainToken } = await newUser(use);
    const instances = [use.service, other].map(({ url }) => client(url, bearer(plainToken)));
    for (const instance of instances) {
      // 404, because the submission is unknown. The token is valid, and the instance caches it.
      expect((await instance.get(`/api/v1/submissions/${UUID}`)).status).toBe(404);
    }
    await end(token.id);
    for (const instance of instances) {
      // The instance is notified within milliseconds, or later on a busy machine.
      await eventually(
        'the instance refuses the token',
        async () => (await instance.get(`/api/v1/submissions/${UUID}`)).status === 401,
        1_000,
      );
      for (const { method, path, body } of GUARDED) {
        const target = path.replace('{uuid}', UUID);
        expectUnauthenticated(
          method === 'GET'
            ? await instance.get(target)
            : await instance.send(method, target, JSON.stringify(body ?? {})),
        );
      }
    }
  });
});

describe('a new token', () => {
  const ways: [string, () => Promise<string>][] = [
    [
      'tokens create',
      () => onCommandLine('tokens', 'create', '--email', 'grace@example.org', '--name', 'laptop'),
    ],
    ['db seed', () => onCommandLine('db', 'seed')],
    [
      'issueToken()',
      async () => {
        const { manager } = use.database.dataSource;
        const user = await manager.save(manager.create(User, { email: 'panel@example.org' }));
        return (await issueToken(manager, { userId: user.id })).plainToken;
      },
    ],
  ];

  it.each(ways)('from %s is sent to the database and stored as its SHA-256 only', async (_, issue) => {
    let plainToken = '';
    const issued = await statementsDuring(async () => {
      plainToken = await issue();
    });
    const used = await ask(plainToken);
    expect(used).not.toEqual([]);
    const sent = [...issued, ...used];
    expect(plainToken).toMatch(/^ftk_[\w-]{43}$/);
    const hash = createHash('sha256').update(plainToken).digest();
    expect(sent.flatMap(({ values }) => values)).toContainEqual(hash);
    expectNowhere(plainToken, textOf(sent));
    const stored = await wholeDatabase(use.database.dataSource);
    expect(stored['api_tokens']?.some((row) => row.includes(`\\x${hash.toString('hex')}`))).toBe(true);
    expectNowhere(plainToken, JSON.stringify(stored));
  });
});

describe('the lookup of a token', () => {
  it('uses its hash, and the same single statement for unknown, revoked and expired tokens', async () => {
    const { token: revoked, plainToken } = await newUser(use);
    const { id } = await newUser(use);
    const expired = await issueToken(use.database.dataSource.manager, { userId: id, expiresAt: new Date(0) });
    await revokeToken(use.database.dataSource.manager, revoked.id);
    const unknown = `ftk_${randomBytes(32).toString('base64url')}`;
    for (const sent of [unknown, plainToken, expired.plainToken]) {
      const values = [createHash('sha256').update(sent).digest()];
      expect(await ask(sent)).toEqual([{ name: 'tokens.find', values }]);
    }
  });

  it('sends no statement for a malformed token', async () => {
    for (const text of [
      'nonsense',
      `ftk_${'x'.repeat(42)}`,
      `ftk_${'x'.repeat(44)}`,
      `ftk_${"'".repeat(43)}`,
    ]) {
      expect(await ask(text)).toEqual([]);
    }
  });
});

/** Runs the command line in this process on the test's database. Returns the token that it prints. */
async function onCommandLine(...words: string[]): Promise<string> {
  const printed: string[] = [];
  const capture = (stream: NodeJS.WriteStream) =>
    jest.spyOn(stream, 'write').mockImplementation((text, ...rest: unknown[]) => {
      printed.push(String(text));
      (rest.at(-1) as (() => void) | undefined)?.();
      return true;
    });
  const captures = [capture(process.stdout), capture(process.stderr)];
  process.env['DATABASE_URL'] = use.database.url;
  try {
    await createProgram(ROOT).parseAsync(['node', 'formtrail', ...words]);
  } finally {
    delete process.env['DATABASE_URL'];
    for (const captured of captures) captured.mockRestore();
  }
  const [plainToken, ...more] = printed.join('').match(/ftk_[\w-]+/g) ?? [];
  expect(more).toEqual([]);
  return plainToken ?? '';
}

function textOf(sent: readonly SentStatement[]): string {
  return sent
    .flatMap(({ name, values }) => [name, ...values])
    .map((value) =>
      Buffer.isBuffer(value) ? `${value.toString()} ${value.toString('hex')}` : JSON.stringify(value),
    )
    .join('\n');
}

/** Expects that the text does not contain the secret part of the token in any encoding. */
function expectNowhere(plainToken: string, text: string): void {
  const secret = plainToken.slice('ftk_'.length);
  const bits = Buffer.from(secret, 'base64url');
  for (const form of [
    secret,
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('base64').replace(/=*$/, ''),
    bits.toString('hex'),
    bits.toString('base64'),
  ]) {
    expect(text.includes(form)).toBe(false);
  }
}
