import { type CryptoKey, exportJWK, generateKeyPair, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import { Problem } from '../../http/errors/problems.js';
import { KeySet } from './key-set.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const UNKNOWN = 'ERR_JWKS_NO_MATCHING_KEY';
const UNAVAILABLE = 'identity_provider_unavailable';

/** A provider whose keys a test replaces, with a clock that a test sets. */
async function provider() {
  const fake = {
    now: 0,
    fetches: 0,
    isAway: false,
    reports: [] as string[],
    timesLeft: [] as number[],
    privateKey: undefined as unknown as CryptoKey,
    kid: '',
    set: { keys: [] } as JSONWebKeySet,
    state: (): KeySet['state'] => keys.state,
    async rotate(kid: string): Promise<void> {
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      const set = { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'ES256' }] };
      Object.assign(fake, { privateKey, kid, set });
    },
    /** Verifies new tokens at this time. Returns the different results: 'valid', or the code of the error. */
    async verifyAt(now: number, kids?: readonly string[]): Promise<string> {
      fake.now = now;
      return [...new Set(await Promise.all((kids ?? [fake.kid]).map((kid) => fake.verify(kid))))].join();
    },
    async verify(kid: string): Promise<string> {
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
  const keys: KeySet = new KeySet(
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

/** Many requests at a time. */
const flood = (kid: string) => Array.from({ length: 20 }, () => kid);

describe('the keys of an issuer (A9)', () => {
  it('are fetched once in ten minutes, and once for many requests at a time', async () => {
    const fake = await provider();
    for (const now of [0, MINUTE, 10 * MINUTE - 1])
      expect(await fake.verifyAt(now, flood('first'))).toBe('valid');
    expect(fake.fetches).toBe(1);
    expect(await fake.verifyAt(10 * MINUTE, flood('first'))).toBe('valid');
    expect(fake.fetches).toBe(2);
  });

  it('are fetched again at once for the first token with a new key', async () => {
    const fake = await provider();
    expect(await fake.verifyAt(0)).toBe('valid');
    await fake.rotate('second');
    expect(await fake.verifyAt(0, flood('second'))).toBe('valid');
    expect(fake.fetches).toBe(2);
  });

  it('are fetched at most once in 30 seconds for unknown key ids', async () => {
    const fake = await provider();
    await fake.verifyAt(0);
    for (let now = 0; now < 30 * SECOND; now += 3 * SECOND)
      expect(await fake.verifyAt(now, [`unknown ${now}`, `other ${now}`])).toBe(UNKNOWN);
    expect(fake.fetches).toBe(2);
    await fake.rotate('second');
    expect(await fake.verifyAt(30 * SECOND - 1)).toBe(UNKNOWN);
    expect(await fake.verifyAt(30 * SECOND)).toBe('valid');
    expect(fake.fetches).toBe(3);
  });

  it('verify nothing that was signed with a key that the provider has removed ten minutes before', async () => {
    const fake = await provider();
    const { privateKey } = fake;
    expect(await fake.verifyAt(0)).toBe('valid');
    await fake.rotate('second');
    Object.assign(fake, { privateKey });
    expect(await fake.verifyAt(10 * MINUTE, ['first'])).toBe(UNKNOWN);
  });

  it('work for 24 hours while the provider is away, and are fetched once in 5 seconds meanwhile', async () => {
    const fake = await provider();
    expect(await fake.verifyAt(0)).toBe('valid');
    fake.isAway = true;
    expect(await fake.verifyAt(24 * HOUR - 5 * SECOND - 1, flood('first'))).toBe('valid');
    expect(await fake.verifyAt(fake.now)).toBe('valid');
    expect(fake.fetches).toBe(2);
    expect(await fake.verifyAt(24 * HOUR - 1)).toBe('valid');
    expect(fake.fetches).toBe(3);
    expect(await fake.verifyAt(24 * HOUR)).toBe(UNAVAILABLE);
    fake.isAway = false;
    expect(await fake.verifyAt(24 * HOUR + 5 * SECOND)).toBe('valid');
    expect(fake.reports).toEqual(['away', 'recovered']);
  });

  it('are reported again every ten minutes while the provider is away, with the time that is left', async () => {
    const fake = await provider();
    expect(await fake.verifyAt(0)).toBe('valid');
    fake.isAway = true;
    for (let at = 1; at <= 30; at += 1) expect(await fake.verifyAt(at * MINUTE)).toBe('valid');
    expect(fake.reports).toEqual(['away', 'away', 'away']);
    expect(fake.timesLeft).toEqual([10, 20, 30].map((minutes) => 24 * HOUR - minutes * MINUTE));
  });

  it('have a number and an age, which grows while the provider is away', async () => {
    const fake = await provider();
    fake.isAway = true;
    expect(await fake.verifyAt(7 * SECOND)).toBe(UNAVAILABLE);
    expect(fake.state()).toEqual({ count: 0, age: 7 });
    fake.isAway = false;
    expect(await fake.verifyAt(20 * SECOND)).toBe('valid');
    expect(fake.state()).toEqual({ count: 1, age: 0 });
    fake.isAway = true;
    expect(await fake.verifyAt(19 * SECOND + 24 * HOUR)).toBe('valid');
    expect(fake.state()).toEqual({ count: 1, age: 86_399 });
    fake.now += SECOND;
    expect(fake.state()).toEqual({ count: 0, age: 86_400 });
  });

  it('are unavailable before the first fetch has succeeded, and then recover', async () => {
    const fake = await provider();
    fake.isAway = true;
    for (const now of [0, SECOND, 5 * SECOND - 1])
      expect(await fake.verifyAt(now, flood('first'))).toBe(UNAVAILABLE);
    expect(fake.fetches).toBe(1);
    fake.isAway = false;
    expect(await fake.verifyAt(5 * SECOND)).toBe('valid');
    expect(fake.reports).toEqual(['away', 'recovered']);
  });

  it('remain in use if the provider returns something else', async () => {
    const fake = await provider();
    expect(await fake.verifyAt(0)).toBe('valid');
    fake.set = { keys: 'none' } as unknown as JSONWebKeySet;
    expect(await fake.verifyAt(10 * MINUTE)).toBe('valid');
    expect(fake.reports).toEqual(['JSON Web Key Set malformed']);
  });
});
