import { FixedWindowStorage } from './rate-limit.storage.js';

const MINUTE = 60_000;

function storageAt(start = 0) {
  const clock = { now: start };
  const storage = new FixedWindowStorage(() => clock.now);
  const hit = (key = 'someone', limit = 60, kind = 'address') =>
    storage.increment(key, MINUTE, limit, MINUTE, kind);
  /** Returns the results of a hit at each of these times. */
  const hitsAt = (times: readonly number[], limit?: number) =>
    Promise.all(
      times.map((now) => {
        clock.now = now;
        return hit('someone', limit);
      }),
    );
  const totalOf = async (key: string, kind?: string) => (await hit(key, 60, kind)).totalHits;
  return { clock, storage, hit, hitsAt, totalOf };
}

describe('E4: the windows in which requests are counted', () => {
  it('allows exactly the limit, blocks further hits, and counts them too', async () => {
    const results = await storageAt().hitsAt([0, 0, 0, 0, 0], 3);
    expect(results.map(({ isBlocked }) => isBlocked)).toEqual([false, false, false, true, true]);
    expect(results.map(({ totalHits }) => totalHits)).toEqual([1, 2, 3, 4, 5]);
  });

  it('ends a window a minute after its first hit, however many hits follow', async () => {
    const start = 123.456;
    const seconds = Array.from({ length: 60 }, (_, second) => start + second * 1_000);
    const results = await storageAt(start).hitsAt([...seconds, start + MINUTE - 0.001, start + MINUTE], 3);
    expect(results.slice(-2)).toMatchObject([
      { isBlocked: true, totalHits: 61 },
      { isBlocked: false, totalHits: 1 },
    ]);
  });

  it('begins the next window with a hit, not at the end of the last window', async () => {
    const results = await storageAt().hitsAt([0, 1.5 * MINUTE, 2.4 * MINUTE, 2.5 * MINUTE]);
    expect(results.map(({ totalHits }) => totalHits)).toEqual([1, 1, 2, 1]);
  });

  it('returns how long a blocked client has to wait, in whole seconds from 1 to 60', async () => {
    const times = [0, 0, 0.5, 999, 1_000, 1_001, 30_000, 59_000, 59_001, 59_999.9];
    const results = await storageAt().hitsAt(times, 1);
    expect(results.slice(1).map(({ isBlocked }) => isBlocked)).not.toContain(false);
    const waits = results.map(({ timeToBlockExpire }) => timeToBlockExpire);
    expect(waits).toEqual([0, 60, 60, 60, 59, 59, 30, 1, 1, 1]);
  });

  it('counts each key of each kind separately', async () => {
    const { hit, totalOf } = storageAt();
    await hit('1');
    await hit('1');
    expect(await totalOf('2')).toBe(1);
    expect(await totalOf('1')).toBe(3);
    expect(await totalOf('__proto__')).toBe(1);
    expect(await totalOf('1', 'user')).toBe(1);
  });

  it('returns the number of hits without counting one or beginning a window', async () => {
    const { clock, storage, hitsAt } = storageAt();
    expect(await storage.hitsOf('someone', 'address')).toBe(0);
    await hitsAt([10, 10]);
    expect(await storage.hitsOf('someone', 'address')).toBe(2);
    expect(await storage.hitsOf('someone', 'user')).toBe(0);
    expect(await storage.hitsOf('someone else', 'address')).toBe(0);
    expect((await hitsAt([9.9 + MINUTE]))[0]?.totalHits).toBe(3);
    clock.now = 10 + MINUTE;
    expect(await storage.hitsOf('someone', 'address')).toBe(0);
  });

  it('uses its own clock by default', async () => {
    const storage = new FixedWindowStorage();
    const hit = () => storage.increment('someone', MINUTE, 1, MINUTE, 'address');
    await hit();
    expect(await hit()).toMatchObject({ totalHits: 2, isBlocked: true });
  });
});
