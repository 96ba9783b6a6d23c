import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportSPKI, type JWTPayload, SignJWT } from 'jose';
import { expectUnauthenticated } from '../support/answers.js';
import { client } from '../support/client.js';
import {
  acceptingTokensOf,
  AUDIENCE,
  type IdentityProvider,
  identityProvider,
  newKey,
  seconds,
} from '../support/identity-provider.js';
import { type Service, startService } from '../support/service.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

const UUID = '01890000-0000-7000-8000-000000000001';
const DAY = 86_400;

let provider: IdentityProvider;
let database: TestDatabase;
let service: Service;

beforeAll(async () => {
  provider = await identityProvider();
  database = await testDatabase();
  service = await startService(database, acceptingTokensOf(provider));
});
afterAll(async () => {
  await service.close();
  await database.close();
  await provider.close();
});

const ask = (jwt: string) =>
  client(service.url, { Authorization: `Bearer ${jwt}` }).get(`/api/v1/submissions/${UUID}`);
const expectAccepted = async (jwt: string) => {
  expect((await ask(jwt)).status).toBe(404);
};
const expectRejected = async (jwt: string) => {
  const sent = await service.statementsDuring(async () => {
    expectUnauthenticated(await ask(jwt));
  });
  expect(sent).toEqual([]);
};

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = (more: JWTPayload = {}): JWTPayload => ({
  iss: provider.issuer,
  aud: AUDIENCE,
  sub: 'ada',
  iat: seconds(),
  exp: seconds() + 600,
  ...more,
});

describe('a JSON web token', () => {
  it.each<[string, JWTPayload]>([
    ['another audience', { aud: 'another' }],
    ['other audiences', { aud: ['another', 'formtrail-admin'] }],
    ['no audience', { aud: undefined }],
    ['another issuer', { iss: 'https://id.example.org' }],
    ['no issuer', { iss: undefined }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is no number', { exp: 'never' as unknown as number }],
    ['an expiry 61 seconds ago', { iat: seconds() - 600, exp: seconds() - 61 }],
    ['a lifetime of more than 24 hours', { iat: seconds() - 10, exp: seconds() - 10 + DAY + 1 }],
    ['no time of issue, and an expiry in more than 24 hours', { iat: undefined, exp: seconds() + DAY + 90 }],
    ['a time of issue in the future', { iat: seconds() + 90 }],
    ['a time of issue that is no number', { iat: 'now' as unknown as number }],
    ['a beginning in the future', { nbf: seconds() + 90 }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject that is no text', { sub: 7 as unknown as string }],
    ['a subject of 256 characters', { sub: 'x'.repeat(256) }],
    ['a subject that the database cannot store', { sub: 'a\u0000b' }],
    ['half a character in its subject', { sub: 'a\ud800b' }],
  ])('with %s is rejected before any query, although its signature is valid', async (_, more) => {
    await expectRejected(await provider.sign(more));
  });

  it.each<[string, JWTPayload]>([
    ['an expiry 30 seconds ago', { iat: seconds() - 600, exp: seconds() - 30 }],
    ['a time of issue 30 seconds ahead', { iat: seconds() + 30 }],
    ['a beginning 30 seconds ahead', { nbf: seconds() + 30 }],
    ['a lifetime of 24 hours', { iat: seconds() - 10, exp: seconds() - 10 + DAY }],
    ['no time of issue', { iat: undefined }],
    ['a subject of 255 characters', { sub: '\u{1F600}'.repeat(255) }],
  ])('with %s is accepted, because clocks may differ by 60 seconds', async (_, more) => {
    await expectAccepted(await provider.sign(more));
  });

  it('without a signature (alg none) is rejected', async () => {
    for (const alg of ['none', 'None', 'NONE'])
      for (const signature of ['', 'AA'])
        await expectRejected(`${part({ alg, typ: 'JWT' })}.${part(claims())}.${signature}`);
  });

  it('that is signed by HMAC with the public key is rejected', async () => {
    const { publicKey, jwk, kid } = provider.key;
    for (const secret of [await exportSPKI(publicKey), JSON.stringify(jwk), jwk.n ?? '']) {
      for (const size of ['256', '384', '512']) {
        const text = `${part({ alg: `HS${size}`, kid })}.${part(claims())}`;
        await expectRejected(`${text}.${createHmac(`sha${size}`, secret).update(text).digest('base64url')}`);
      }
    }
  });

  it('is rejected if its header names a key or a URL of keys, which is never fetched', async () => {
    const paths: string[] = [];
    const own = await newKey();
    const server = createServer((request, response) => {
      paths.push(request.url ?? '');
      response.end(JSON.stringify({ keys: [own.jwk] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
    const headers = [{ jwk: own.jwk }, { jku: url }, { x5u: url }, { x5c: ['MIIB'] }];
    for (const header of headers)
      for (const kid of [own.kid, provider.key.kid, undefined])
        await expectRejected(
          await new SignJWT(claims())
            .setProtectedHeader({ alg: 'RS256', ...(kid !== undefined && { kid }), ...header })
            .sign(own.privateKey),
        );
    expect(paths).toEqual([]);
    // The key of the issuer verifies the token, and the names in its header are ignored.
    await expectAccepted(await provider.sign({}, { jwk: own.jwk, jku: url, x5u: url }));
    expect(paths).toEqual([]);
    await new Promise((resolve) => server.close(resolve));
  });

  it('is rejected if any part of it was changed', async () => {
    const jwt = await provider.sign();
    await expectAccepted(jwt);
    const [header = '', payload = '', signature = ''] = jwt.split('.');
    const other = part(claims({ sub: 'grace' }));
    for (const changed of [
      `${header}.${other}.${signature}`,
      `${part({ alg: 'RS256', kid: provider.key.kid, typ: 'x' })}.${payload}.${signature}`,
      `${header}.${payload}.${signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${jwt}.${signature}`,
      `${header}.${payload}.${signature}=`,
      `.${payload}.${signature}`,
    ])
      await expectRejected(changed);
  });

  it('is rejected if its issuer does not use its algorithm', async () => {
    const issuer = await identityProvider('ES256');
    const variables = { JWT_ISSUERS: JSON.stringify([issuer.setting({ algorithms: ['RS256', 'EdDSA'] })]) };
    const own = await startService(database, variables);
    const rejected = client(own.url, { Authorization: `Bearer ${await issuer.sign()}` });
    expectUnauthenticated(await rejected.get(`/api/v1/submissions/${UUID}`));
    await own.close();
    await issuer.close();
  });

  it('with a critical header that the service does not know is rejected, although its signature is valid', async () => {
    const { privateKey, kid } = provider.key;
    const signed = async (header: object) => {
      const text = `${part({ alg: 'RS256', kid, ...header })}.${part(claims())}`;
      const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', privateKey, Buffer.from(text));
      return `${text}.${Buffer.from(signature).toString('base64url')}`;
    };
    await expectAccepted(await signed({}));
    for (const header of [
      { crit: ['x'], x: 1 },
      { crit: ['b64'], b64: false },
      { crit: ['x'] },
      { crit: [] },
    ])
      await expectRejected(await signed(header));
  });

  it('causes no fetch if it names an issuer that is not configured', async () => {
    const stranger = await identityProvider();
    await expectRejected(await stranger.sign());
    expect(stranger.requests).toEqual({});
    await stranger.close();
  });

  it('is stored nowhere: the database gets the issuer and the subject', async () => {
    const jwt = await provider.sign({ sub: 'stored-nowhere' });
    const sent = await service.statementsDuring(() => expectAccepted(jwt));
    expect(sent.map(({ name }) => name)).toContain('identities.create');
    const text = JSON.stringify(sent);
    for (const secret of jwt.split('.').slice(1)) expect(text).not.toContain(secret);
    expect(await service.statementsDuring(() => expectAccepted(jwt))).not.toContainEqual(
      expect.objectContaining({ name: 'identities.find' }),
    );
  });
});
