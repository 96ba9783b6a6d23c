import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { expectUnauthenticated } from '../support/answers.js';
import { type Client, client } from '../support/client.js';
import { createDraft } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import {
  acceptingTokensOf,
  type IdentityProvider,
  identityProvider,
  seconds,
} from '../support/identity-provider.js';
import { from, newAddress } from '../support/rate-limits.js';
import { expectRefusal } from '../support/refusal.js';
import { newUser, type Service, startService, withServiceOn } from '../support/service.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

const UNKNOWN = '/api/v1/submissions/01890000-0000-7000-8000-000000000001';
/** Milliseconds in which every instance must follow a change in the database. */
const AT_ONCE = 1_000;

let provider: IdentityProvider;
let second: IdentityProvider;
/** Providers that sign with further algorithms. */
let others: IdentityProvider[];
let database: TestDatabase;
let service: Service;
let other: Service;
/** Allows an address 3 requests, and a user 2. Each test has an address of its own. */
let limited: Service;

beforeAll(async () => {
  [provider, second, ...others] = (await Promise.all(
    ([undefined, 'ES256', 'PS256', 'EdDSA'] as const).map((algorithm) => identityProvider(algorithm)),
  )) as [IdentityProvider, IdentityProvider, ...IdentityProvider[]];
  database = await testDatabase();
  const variables = acceptingTokensOf(provider, second, ...others);
  const limits = { TRUST_PROXY: '127.0.0.1', THROTTLE_LIMIT: '3', THROTTLE_USER_LIMIT: '2' };
  [service, other, limited] = await Promise.all([
    startService(database, variables),
    startService(database, variables),
    startService(database, { ...variables, ...limits }),
  ]);
});
afterAll(async () => {
  await Promise.all([service, other, limited].map((one) => one.close()));
  await database.close();
  await Promise.all([provider, second, ...others].map((one) => one.close()));
});

/** Returns a function like `statusOf`, whose requests come from an address that no other test uses. */
function fromNewAddress({ url }: Service) {
  const address = from(newAddress());
  return async (jwt: string, path = UNKNOWN) =>
    (await client(url, { Authorization: `Bearer ${jwt}` }).get(path, address)).status;
}
const withToken = (jwt: string, { url }: Service = service): Client =>
  client(url, { Authorization: `Bearer ${jwt}` });
/** Signs a token for an account that no other test uses. */
const newAccount = async (claims: JWTPayload = {}, from = provider) => {
  const sub = `${randomUUID()}@${expect.getState().currentTestName?.length}`;
  return { sub, jwt: await from.sign({ sub, ...claims }) };
};
/** 404 proves that the token is accepted, because the submission does not exist. */
const statusOf = async (jwt: string, from: Service = service) =>
  (await withToken(jwt, from).get(UNKNOWN)).status;

interface UserRow {
  id: number;
  email: string | null;
  identities: number;
}
const usersOf = (sub: string): Promise<UserRow[]> =>
  database.dataSource.query(
    `select users.id, email, count(*)::integer as identities from users join user_identities on user_id = users.id
      where subject = $1 group by users.id order by users.id`,
    [sub],
  );

const signOut = (sub: string, from = 'now()') =>
  database.dataSource.query(
    `update users set tokens_valid_from = ${from} where id = (select user_id from user_identities where subject = $1)`,
    [sub],
  );
const rejectedByAll = async (jwt: string) => {
  for (const instance of [service, other])
    await eventually('the token is rejected', async () => (await statusOf(jwt, instance)) === 401, AT_ONCE);
};

describe('a JSON web token of an identity provider', () => {
  it('acts for its user in every request, on every instance', async () => {
    const { form } = await buildForm(database.dataSource, { steps: [{ name: {} }, {}] });
    const { jwt, sub } = await newAccount();
    const own = withToken(jwt);
    const created = await own.post('/api/v1/submissions', { form_uuid: form.uuid });
    expect(created.status).toBe(201);
    const path = `/api/v1/submissions/${created.body.data.uuid}`;
    const stored = await own.post(`${path}/values`, { values: [{ field_code: 'name', value: 'Ada' }] });
    expect(stored.status).toBe(200);
    const later = await provider.sign({ sub, jti: 'another token of the same account' });
    expect((await withToken(later, other).get(path)).body.data.values).toMatchObject([{ value: 'Ada' }]);
    expect((await withToken((await newAccount()).jwt).get(path)).status).toBe(404);
    expect(await usersOf(sub)).toMatchObject([{ identities: 1 }]);
  });

  it('can be signed with RS256, ES256, PS256 and EdDSA, and can have several audiences', async () => {
    const aud = ['https://id.example.org/userinfo', 'formtrail'];
    for (const issuer of [provider, second, ...others])
      expect(await statusOf((await newAccount({ aud }, issuer)).jwt)).toBe(404);
  });

  it('does not raise the rate limit of its user', async () => {
    const send = fromNewAddress(limited);
    const { jwt, sub } = await newAccount();
    const next = await provider.sign({ sub, jti: 'next' });
    expect([await send(jwt), await send(next), await send(jwt)]).toEqual([404, 404, 429]);
  });

  it('is counted for its address if it is invalid, and an address over its limit gets 429', async () => {
    const send = fromNewAddress(limited);
    const statuses: number[] = [];
    for (let at = 0; at < 5; at += 1)
      statuses.push(await send(await provider.sign({ aud: 'another', jti: String(at) })));
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });

  it('is accepted for an address over its limit if the instance has accepted it before (E5)', async () => {
    const send = fromNewAddress(limited);
    const [known, unseen] = [await newAccount(), await newAccount()];
    expect(await send(known.jwt)).toBe(404);
    const [invalid, ...more] = await Promise.all(
      Array.from({ length: 65 }, (_, at) => provider.sign({ aud: 'another', jti: String(at) })),
    );
    for (let at = 0; at < 10; at += 1) await send(invalid!);
    // A repeated token uses up nothing, so a token of another account is still verified.
    expect(await send(unseen.jwt)).toBe(404);
    for (const jwt of more) expect([401, 429]).toContain(await send(jwt));
    expect(await send((await newAccount()).jwt)).toBe(429);
    // The notification evicts the identity, so the service must look it up again.
    await limited.hearing(() => signOut(known.sub, `'2000-01-01'`));
    expect(await send(known.jwt)).toBe(404);
  });

  it('is 401 if JWT_ISSUERS is unset', async () => {
    await withServiceOn(database, {}, async (own) => {
      expectUnauthenticated(await withToken((await newAccount()).jwt, own).get(UNKNOWN));
    });
  });
});

describe('the first use of an account (A8)', () => {
  it('creates one user, even with 50 parallel requests to two instances', async () => {
    const { jwt, sub } = await newAccount({ email: 'first-use@example.org', email_verified: true });
    const requests = Array.from({ length: 50 }, (_, at) => statusOf(jwt, at % 2 === 0 ? service : other));
    expect(new Set(await Promise.all(requests))).toEqual(new Set([404]));
    expect(await usersOf(sub)).toEqual([
      { id: expect.any(Number), email: 'first-use@example.org', identities: 1 },
    ]);
    const [{ count }] = await database.dataSource.query<[{ count: string }]>(
      `select count(*) from users where id > (select user_id from user_identities where subject = $1)
         and not exists (select from user_identities where user_id = users.id)`,
      [sub],
    );
    expect(count).toBe('0');
  });

  it('makes two users of one subject at two issuers', async () => {
    const { jwt, sub } = await newAccount();
    expect(await statusOf(jwt)).toBe(404);
    expect(await statusOf(await second.sign({ sub }))).toBe(404);
    expect(await usersOf(sub)).toHaveLength(2);
  });

  it.each([
    ['that is not verified', { email: 'unverified@example.org' }],
    ['that is said to be verified by a text', { email: 'text@example.org', email_verified: 'true' }],
    ['that is no address', { email: 'not an address', email_verified: true }],
    ['that is no text', { email: ['list@example.org'], email_verified: true }],
    ['that is too long', { email: `${'x'.repeat(250)}@example.org`, email_verified: true }],
  ])('stores no email address %s', async (_, claims) => {
    const { jwt, sub } = await newAccount(claims);
    expect(await statusOf(jwt)).toBe(404);
    expect(await usersOf(sub)).toMatchObject([{ email: null }]);
  });

  it('never finds a user by email address: an address that is taken, in any letter case, is not stored', async () => {
    const { manager } = database.dataSource;
    const [{ id }] = await manager.query<[{ id: number }]>(
      `insert into users (email) values ('Taken@Example.org') returning id`,
    );
    const { jwt, sub } = await newAccount({ email: 'taken@example.ORG', email_verified: true });
    expect(await statusOf(jwt)).toBe(404);
    const [user] = await usersOf(sub);
    expect(user).toMatchObject({ email: null });
    expect(user?.id).not.toBe(id);
  });
});

describe('a sign-out by tokens_valid_from (A10)', () => {
  it('rejects older tokens on every instance at once, and accepts newer ones', async () => {
    const { sub, jwt } = await newAccount({ iat: seconds() - 10 });
    const bystander = await newAccount({ iat: seconds() - 10 });
    for (const instance of [service, other])
      for (const token of [jwt, bystander.jwt]) expect(await statusOf(token, instance)).toBe(404);
    await signOut(sub);
    await rejectedByAll(jwt);
    // A token that no instance has verified yet.
    expect(await statusOf(await provider.sign({ sub, iat: seconds() - 10, jti: 'other' }))).toBe(401);
    for (const instance of [service, other]) {
      expect(await statusOf(await provider.sign({ sub, iat: seconds() + 2 }), instance)).toBe(404);
      expect(await statusOf(bystander.jwt, instance)).toBe(404);
    }
  });

  it('rejects tokens that do not say when they were issued', async () => {
    const { sub, jwt } = await newAccount({ iat: undefined });
    expect(await statusOf(jwt)).toBe(404);
    await signOut(sub, `'2000-01-01'`);
    await rejectedByAll(jwt);
  });

  it('rejects all tokens if it is infinity, until it is null again', async () => {
    const { sub, jwt } = await newAccount();
    expect(await statusOf(jwt)).toBe(404);
    await signOut(sub, `'infinity'`);
    await rejectedByAll(jwt);
    expect(await statusOf(await provider.sign({ sub, iat: seconds() + 2 }))).toBe(401);
    await signOut(sub, 'null');
    await eventually('the token is accepted', async () => (await statusOf(jwt)) === 404, AT_ONCE);
  });
});

describe('a deletion', () => {
  const deleted = async (sql: string) => {
    const { sub, jwt } = await newAccount({ iat: seconds() - 10 });
    for (const instance of [service, other]) expect(await statusOf(jwt, instance)).toBe(404);
    await database.dataSource.query(sql, sql.includes('$1') ? [sub] : []);
    await rejectedByAll(jwt);
    expect(await usersOf(sub)).toEqual([]);
    return { sub, jwt };
  };

  it.each([
    ['the user', 'delete from users where id = (select user_id from user_identities where subject = $1)'],
    ['the identity', 'delete from user_identities where subject = $1'],
    ['all identities with TRUNCATE', 'truncate user_identities'],
    [
      'all users with TRUNCATE',
      // Two statements, because the second does not cascade to tables that Citus distributes.
      'truncate submissions, idempotency_keys cascade; truncate users cascade',
    ],
  ])('of %s ends its tokens everywhere. A token from a later sign-in makes a new user', async (_, sql) => {
    const { sub } = await deleted(sql);
    expect(await statusOf(await provider.sign({ sub, iat: seconds() - 9, jti: 'older' }))).toBe(401);
    expect(await usersOf(sub)).toEqual([]);
    expect(await statusOf(await provider.sign({ sub, iat: seconds() + 2 }))).toBe(404);
    expect(await usersOf(sub)).toHaveLength(1);
  });

  it('is forgotten after two days, when no token from before can be valid', async () => {
    const { sub } = await deleted('delete from user_identities where subject = $1');
    await database.dataSource.query(`update ended_identities set ended_at = ended_at - interval '2 days'`);
    await deleted('delete from user_identities where subject = $1');
    const [{ count }] = await database.dataSource.query<[{ count: string }]>(
      `select count(*) from ended_identities where identity_hash = sha256(convert_to($1 || ' ' || $2, 'UTF8'))`,
      [provider.issuer, sub],
    );
    expect(count).toBe('0');
  });

  it('that moves an identity to another user applies from the next request on', async () => {
    const { sub, jwt } = await newAccount();
    expect(await statusOf(jwt)).toBe(404);
    const user = await newUser({ database, service });
    const { path } = await createDraft(user.client, await buildForm(database.dataSource));
    await service.hearing(() =>
      database.dataSource.query('update user_identities set user_id = $2 where subject = $1', [sub, user.id]),
    );
    expect((await withToken(jwt).get(path)).status).toBe(200);
  });
});

describe('the keys of a provider (A9)', () => {
  it('can be replaced without a 401, are fetched once for a flood of unknown keys, and work while the provider is away', async () => {
    const issuer = await identityProvider('ES256');
    await withServiceOn(database, acceptingTokensOf(issuer), async (own) => {
      const { jwt: before } = await newAccount({}, issuer);
      expect(await statusOf(before, own)).toBe(404);
      await issuer.rotate();
      const statusesOf = async (count: number, sign: (at: number) => Promise<string>) => {
        const tokens = await Promise.all(Array.from({ length: count }, (_, at) => sign(at)));
        return new Set(await Promise.all(tokens.map((jwt) => statusOf(jwt, own))));
      };
      expect(await statusesOf(20, async () => (await newAccount({}, issuer)).jwt)).toEqual(new Set([404]));
      expect(await statusOf(before, own)).toBe(404);

      const unknown = (at: number) => issuer.sign({}, { kid: `unknown-${at}` });
      expect(await statusesOf(50, unknown)).toEqual(new Set([401]));
      expect(issuer.requests).toEqual({ '/.well-known/openid-configuration': 1, '/keys': 2 });

      issuer.isAway = true;
      expect(await statusOf((await newAccount({}, issuer)).jwt, own)).toBe(404);
      expectUnauthenticated(await withToken(await unknown(0), own).get(UNKNOWN));
    });
    await issuer.close();
  });

  const jwk = (key: { export(options: { format: 'jwk' }): object }) => key.export({ format: 'jwk' });
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y: _, ...ec } = jwk(curve.publicKey) as Record<'x' | 'y', string>;

  const BAD: Record<string, [alg: string, key: object]> = {
    'a small RSA key': ['RS256', jwk(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey)],
    'an EC key off the curve': ['ES256', { ...ec, x, y: x }],
    'a private key': ['ES256', jwk(curve.privateKey)],
  };

  let withBadKeys: IdentityProvider;
  let own: Service;
  beforeAll(async () => {
    withBadKeys = await identityProvider('ES256');
    withBadKeys.otherKeys = Object.entries(BAD).map(([kid, [, key]]) => ({ ...key, kid }));
    const limits = { TRUST_PROXY: '127.0.0.1', THROTTLE_LIMIT: '4' };
    own = await startService(database, { ...acceptingTokensOf(withBadKeys), ...limits });
  });
  afterAll(async () => {
    await own.close();
    await withBadKeys.close();
  });

  it.each(Object.keys(BAD))(
    'may include %s: a token that names it is 401 and counted, and the other keys work',
    async (kid) => {
      const parts = [
        { alg: BAD[kid]![0], kid },
        { iss: withBadKeys.issuer, aud: 'formtrail', sub: 'eve', exp: seconds() + 60 },
      ];
      const encoded = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
      const forged = [...encoded, 'A'.repeat(86)].join('.');
      const send = fromNewAddress(own);
      // Public routes accept any token.
      expect([await send(forged), await send(forged, '/api/v1/forms')]).toEqual([401, 200]);
      expect(await send((await newAccount({}, withBadKeys)).jwt)).toBe(404);
      expect([await send(forged), await send(forged), await send(forged)]).toEqual([401, 401, 429]);
      expect(await send(forged, '/api/v1/forms')).toBe(429);
    },
  );

  it('are 503 with Retry-After before the first fetch has succeeded, which nothing else depends on', async () => {
    const issuer = await identityProvider('ES256');
    issuer.isAway = true;
    await withServiceOn(database, acceptingTokensOf(issuer), async (own) => {
      const { jwt } = await newAccount({}, issuer);
      const rejected = withToken(jwt, own);
      const answer = await rejected.get(UNKNOWN);
      expectRefusal(answer, 503, {
        message:
          'The identity provider cannot be reached at the moment, so the token cannot be verified; try again shortly.',
      });
      expect(answer.headers.get('retry-after')).toBe('5');
      expect((await rejected.get('/api/v1/forms')).status).toBe(200);
      expect((await own.anyone.get('/health/ready')).status).toBe(200);
      const user = await newUser({ database, service: own });
      expect((await user.client.get(UNKNOWN)).status).toBe(404);
      const requests = Array.from({ length: 30 }, () => statusOf(jwt, own));
      expect(new Set(await Promise.all(requests))).toEqual(new Set([503]));
      // One at the start of the service. A slow machine may take so long that a second one follows.
      expect(issuer.requests['/.well-known/openid-configuration']).toBeLessThanOrEqual(2);
    });
    await issuer.close();
  });
});
