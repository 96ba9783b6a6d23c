import { type CryptoKey, exportJWK, generateKeyPair, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import { Problem } from '../../http/errors/problems.js';
import { KeySet } from './key-set.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface FakeProvider {
  readonly state: KeySet['state'];
  now: number;
  fetches: number;
  isAway: boolean;
  readonly reports: string[];
  readonly timesLeft: number[];
  privateKey: CryptoKey;
  kid: string;
  set: JSONWebKeySet;
  rotate(kid: string): Promise<void>;
  /** Verifies a new token. Returns the code of the error, if any. */
  verify(kid?: string): Promise<string>;
}

/** A provider whose keys a test replaces, with a clock that a test sets. */
async function provider(): Promise<FakeProvider> {
  const fake: FakeProvider = {
    get state() {
      return keys.state;
    },
    now: 0,
    fetches: 0,
    isAway: false,
    reports: [],
    timesLeft: [],
    privateKey: undefined as unknown as CryptoKey,
    kid: '',
    set: { keys: [] },
    async rotate(kid: string) {
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      Object.assign(fake, { privateKey, kid });
      fake.set = { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'ES256' }] };
    },
    async verify(kid = fake.kid) {
      const token = await new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid }).sign(fake.privateKey);
      try {
        await keys.ready();
        await jwtVerify(token, keys.find);
        return 'valid';
      } catch (error) {
        return error instanceof Problem ? error.code : (error as { code: string }).code;
      }
    },
  };
  const keys = new KeySet(
    () => {
      fake.fetches += 1;
      return fake.isAway ? Promise.reject(new Error('away')) : Promise.resolve(fake.set);
    },
    {
      failed: (reason, timeLeft) => {
        fake.reports.push(reason);
        fake.timesLeft.push(timeLeft);
      },
      recovered: () => fake.reports.push('recovered'),
    },
    () => fake.now,
  );
  await fake.rotate('first');
  return fake;
}

const UNKNOWN = 'ERR_JWKS_NO_MATCHING_KEY';
const UNAVAILABLE = 'identity_provider_unavailable';

describe('the keys of an issuer (A9)', () => {
  it('are fetched once in ten minutes', async () => {
    const fake = await provider();
    for (const now of [0, MINUTE, 10 * MINUTE - 1]) {
      fake.now = now;
      expect(await fake.verify()).toBe('valid');
    }
    expect(fake.fetches).toBe(1);
    fake.now = 10 * MINUTE;
    expect(await fake.verify()).toBe('valid');
    expect(fake.fetches).toBe(2);
  });

  it('are fetched once for many requests at a time', async () => {
    const fake = await provider();
    const all = await Promise.all(Array.from({ length: 50 }, () => fake.verify()));
    expect(new Set(all)).toEqual(new Set(['valid']));
    expect(fake.fetches).toBe(1);
  });

  it('are fetched again at once for the first token with a new key', async () => {
    const fake = await provider();
    expect(await fake.verify()).toBe('valid');
    await fake.rotate('second');
    const all = await Promise.all(Array.from({ length: 20 }, () => fake.verify()));
    expect(new Set(all)).toEqual(new Set(['valid']));
    expect(fake.fetches).toBe(2);
  });

  it('are fetched at most once in 30 seconds for unknown key ids', async () => {
    const fake = await provider();
    await fake.verify();
    for (let at = 0; at < 30_000; at += 1_000) {
      fake.now = at;
      const flood = Array.from({ length: 10 }, (_, index) => fake.verify(`unknown-${at}-${index}`));
      expect(new Set(await Promise.all(flood))).toEqual(new Set([UNKNOWN]));
    }
    expect(fake.fetches).toBe(2);
    await fake.rotate('second');
    expect(await fake.verify()).toBe(UNKNOWN);
    fake.now = 30_000;
    expect(await fake.verify()).toBe('valid');
    expect(fake.fetches).toBe(3);
  });

  it('verify nothing that was signed with a key that the provider has removed ten minutes before', async () => {
    const fake = await provider();
    const { privateKey: removed, kid } = fake;
    expect(await fake.verify()).toBe('valid');
    await fake.rotate('second');
    fake.now = 10 * MINUTE;
    fake.privateKey = removed;
    expect(await fake.verify(kid)).toBe(UNKNOWN);
  });

  it('work for 24 hours while the provider is away, and are fetched once in 5 seconds meanwhile', async () => {
    const fake = await provider();
    expect(await fake.verify()).toBe('valid');
    fake.isAway = true;
    fake.now = 24 * HOUR - 5_001;
    await Promise.all(Array.from({ length: 50 }, () => fake.verify()));
    expect(await fake.verify()).toBe('valid');
    expect(fake.fetches).toBe(2);
    fake.now = 24 * HOUR - 1;
    expect(await fake.verify()).toBe('valid');
    expect(fake.fetches).toBe(3);
    fake.now = 24 * HOUR;
    expect(await fake.verify()).toBe(UNAVAILABLE);
    fake.isAway = false;
    fake.now += 5_000;
    expect(await fake.verify()).toBe('valid');
    expect(fake.reports).toEqual(['away', 'recovered']);
  });

  it('are reported again every ten minutes while the provider is away, with the time that is left', async () => {
    const fake = await provider();
    expect(await fake.verify()).toBe('valid');
    fake.isAway = true;
    for (let at = 1; at <= 60; at += 1) {
      fake.now = at * MINUTE;
      expect(await fake.verify()).toBe('valid');
    }
    expect(fake.reports).toEqual([10, 20, 30, 40, 50, 60].map(() => 'away'));
    expect(fake.timesLeft).toEqual([10, 20, 30, 40, 50, 60].map((minutes) => 24 * HOUR - minutes * MINUTE));
  });

  it('have a number and an age, which grows while the provider is away', async () => {
    const fake = await provider();
    fake.isAway = true;
    fake.now = 7_000;
    expect(await fake.verify()).toBe(UNAVAILABLE);
    expect(fake.state).toEqual({ count: 0, age: 7 });
    fake.isAway = false;
    fake.now = 20_000;
    expect(await fake.verify()).toBe('valid');
    expect(fake.state).toEqual({ count: 1, age: 0 });
    fake.isAway = true;
    fake.now = 20_000 + 24 * HOUR - 1_000;
    expect(await fake.verify()).toBe('valid');
    expect(fake.state).toEqual({ count: 1, age: 86_399 });
    fake.now += 1_000;
    expect(fake.state).toEqual({ count: 0, age: 86_400 });
  });

  it('are unavailable before the first fetch has succeeded, and then recover', async () => {
    const fake = await provider();
    fake.isAway = true;
    for (const now of [0, 1_000, 4_999]) {
      fake.now = now;
      const flood = await Promise.all(Array.from({ length: 20 }, () => fake.verify()));
      expect(new Set(flood)).toEqual(new Set([UNAVAILABLE]));
    }
    expect(fake.fetches).toBe(1);
    fake.isAway = false;
    fake.now = 5_000;
    expect(await fake.verify()).toBe('valid');
    expect(fake.reports).toEqual(['away', 'recovered']);
  });

  it('remain in use if the provider returns something else', async () => {
    const fake = await provider();
    expect(await fake.verify()).toBe('valid');
    const { set } = fake;
    fake.set = { keys: 'none' } as unknown as JSONWebKeySet;
    fake.now = 10 * MINUTE;
    expect(await fake.verify()).toBe('valid');
    fake.set = set;
    expect(fake.reports).toEqual(['JSON Web Key Set malformed']);
  });
});
