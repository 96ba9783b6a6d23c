import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import { JWT_ALGORITHMS } from './jwt-issuers.js';
import { checkKeys } from './usable-keys.js';

const jwkOf = (key: KeyObject): JWK => key.export({ format: 'jwk' });
const rsa = (modulusLength: number) => jwkOf(generateKeyPairSync('rsa', { modulusLength }).publicKey);
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ec = jwkOf(curve.publicKey);
const ed = jwkOf(generateKeyPairSync('ed25519').publicKey);
const RSA = rsa(2048);

const check = (...keys: unknown[]) => checkKeys({ keys: keys as JWK[] }, JWT_ALGORITHMS);

it.each<[string, JWK]>([
  ['RSA', RSA],
  ['RSA for one algorithm', { ...RSA, alg: 'PS256', use: 'sig' }],
  ['EC', ec],
  ['Ed25519', ed],
])('a key that can verify signatures is usable: %s', async (_, key) => {
  expect(await check(key)).toEqual({ usable: { keys: [key] }, unusable: [] });
});

// `jose` or the runtime throws an error when a token names one of these keys.
it.each<[string, unknown]>([
  ['a small RSA key', { ...rsa(1024), kid: 'bad' }],
  ['an RSA key without material', { kty: 'RSA', kid: 'bad' }],
  ['an RSA key of nonsense', { kty: 'RSA', kid: 'bad', n: '!!!', e: 'AQAB' }],
  ['an EC key of other types', { kty: 'EC', kid: 'bad', crv: 'P-256', x: 5, y: {} }],
  ['an EC key off the curve', { ...ec, kid: 'bad', y: ec.x }],
  ['a shortened EC key', { ...ec, kid: 'bad', x: ec.x?.slice(0, 20) }],
  ['a shortened Ed25519 key', { ...ed, kid: 'bad', x: 'AA' }],
  ['a private key', { ...jwkOf(curve.privateKey), kid: 'bad' }],
])('%s is unusable, and the keys beside it are usable', async (_, key) => {
  expect(await check(RSA, key, ed)).toEqual({
    usable: { keys: [RSA, ed] },
    unusable: [{ kid: 'bad', reason: expect.stringMatching(/./) }],
  });
});

it.each([null, 5, 'key', []])('an entry that is no key is unusable: %j', async (entry) => {
  const { usable, unusable } = await check(entry, RSA);
  expect([usable.keys, unusable]).toEqual([[RSA], [{ kid: '(none)', reason: expect.stringMatching(/./) }]]);
});

it.each<[string, JWK]>([
  ['encryption', { ...RSA, use: 'enc', alg: 'RSA-OAEP' }],
  ['another algorithm', { ...RSA, alg: 'RS512' }],
  ['a shared secret', { kty: 'oct', k: 'AAAA' }],
])('a key for %s is left out without a complaint', async (_, key) => {
  expect(await check(key, RSA)).toEqual({ usable: { keys: [RSA] }, unusable: [] });
});

it('a long key id is shortened for the log', async () => {
  const { unusable } = await check({ kty: 'RSA', kid: 'x'.repeat(1_000) });
  expect(unusable[0]?.kid).toBe('x'.repeat(100));
});
