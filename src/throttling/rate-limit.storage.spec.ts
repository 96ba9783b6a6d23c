import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FixedWindowStorage } from './rate-limit.storage.js';

const MINUTE = 60_000;

/** Returns the bytes of memory that are still referenced. */
function usedMemory(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function storageAt(start = 0) {
  const clock = { now: start };
  const storage = new FixedWindowStorage(() => clock.now);
  return {
    clock,
    storage,
    hit: (key = 'someone', limit = 60, kind = 'address') =>
      storage.increment(key, MINUTE, limit, MINUTE, kind),
    hitsOf: async (key: string, kind = 'address') =>
      (await storage.increment(key, MINUTE, 60, MINUTE, kind)).totalHits,
  };
}

describe('E4: the windows in which requests are counted', () => {
  it('allows exactly the limit and blocks further hits', async () => {
    const { hit } = storageAt();
    const blocked: boolean[] = [];
    for (let request = 1; request <= 5; request += 1) blocked.push((await hit('someone', 3)).isBlocked);
    expect(blocked).toEqual([false, false, false, true, true]);
  });

  it('counts every hit, including blocked ones', async () => {
    const { hit } = storageAt();
    await hit('someone', 1);
    await hit('someone', 1);
    expect((await hit('someone', 1)).totalHits).toBe(3);
  });

  it('ends a window a minute after its first hit, however many hits follow', async () => {
    const { clock, hit } = storageAt(123.456);
    for (let second = 0; second < 60; second += 1) {
      clock.now = 123.456 + second * 1_000;
      await hit('someone', 3);
    }
    clock.now = 123.456 + MINUTE - 0.001;
    expect(await hit('someone', 3)).toMatchObject({ isBlocked: true, totalHits: 61 });
    clock.now = 123.456 + MINUTE;
    expect(await hit('someone', 3)).toMatchObject({ isBlocked: false, totalHits: 1 });
  });

  it('begins the next window with a hit, not at the end of the last window', async () => {
    const { clock, hit } = storageAt();
    await hit();
    clock.now = 1.5 * MINUTE;
    await hit();
    clock.now = 2.4 * MINUTE;
    expect((await hit()).totalHits).toBe(2);
    clock.now = 2.5 * MINUTE;
    expect((await hit()).totalHits).toBe(1);
  });

  it('returns how long a blocked client has to wait, in whole seconds from 1 to 60', async () => {
    const { clock, hit } = storageAt();
    await hit('someone', 1);
    const waits = [];
    for (const now of [0, 0.5, 1, 999, 1_000, 1_001, 30_000, 59_000, 59_001, 59_999.9]) {
      clock.now = now;
      const { isBlocked, timeToBlockExpire } = await hit('someone', 1);
      waits.push([now, isBlocked, timeToBlockExpire]);
    }
    expect(waits).toEqual([
      [0, true, 60],
      [0.5, true, 60],
      [1, true, 60],
      [999, true, 60],
      [1_000, true, 59],
      [1_001, true, 59],
      [30_000, true, 30],
      [59_000, true, 1],
      [59_001, true, 1],
      [59_999.9, true, 1],
    ]);
  });

  it('counts each key separately', async () => {
    const { hit, hitsOf } = storageAt();
    await hit('1');
    await hit('1');
    expect(await hitsOf('2')).toBe(1);
    expect(await hitsOf('1')).toBe(3);
    expect(await hitsOf('__proto__')).toBe(1);
    expect(await hitsOf('1', 'user')).toBe(1);
  });

  it('returns the number of hits without counting one or beginning a window', async () => {
    const { clock, storage, hit } = storageAt();
    expect(await storage.hitsOf('someone', 'address')).toBe(0);
    clock.now = 10;
    await hit();
    await hit();
    expect(await storage.hitsOf('someone', 'address')).toBe(2);
    expect(await storage.hitsOf('someone', 'user')).toBe(0);
    expect(await storage.hitsOf('someone else', 'address')).toBe(0);
    clock.now = 9.9 + MINUTE;
    expect((await hit()).totalHits).toBe(3);
    clock.now = 10 + MINUTE;
    expect(await storage.hitsOf('someone', 'address')).toBe(0);
  });

  it('uses its own clock by default', async () => {
    const storage = new FixedWindowStorage();
    await storage.increment('someone', MINUTE, 1, MINUTE, 'address');
    expect(await storage.increment('someone', MINUTE, 1, MINUTE, 'address')).toMatchObject({
      totalHits: 2,
      isBlocked: true,
    });
  });
});

// There is room for 262,144 windows. A hit is counted synchronously, so these tests do not await each hit.
describe('the cost of many addresses', () => {
  it('stays constant in memory and time if there are more addresses than windows', async () => {
    const { hit } = storageAt();
    // The address is a slice of a header of 8 kB, which must not stay in memory.
    const forwarded = ' '.repeat(8_000);
    void hit('the first hit creates the table');
    const before = usedMemory();
    const times: number[] = [];
    for (let network = 0; network < 300_000;) {
      // Measures CPU time, because other processes of the machine must not affect the result.
      const startedAt = process.cpuUsage();
      do {
        const address = `${forwarded}2001:db8:${network >> 16}:${network & 0xffff}::/64`.slice(8_000);
        void hit(address);
        network += 1;
      } while (network % 1_000 > 0);
      const { user, system } = process.cpuUsage(startedAt);
      times.push(user + system);
      await nextTurn();
    }
    expect(usedMemory() - before).toBeLessThan(16 * 2 ** 20);
    const usual = times.toSorted((one, other) => one - other)[times.length / 2]!;
    // A few batches are slower, because they include the test runner's garbage collection.
    expect(times.filter((time) => time > 50 * usual).length).toBeLessThanOrEqual(3);
  });

  it('allows 100,000 keys at a time', async () => {
    const { hit, hitsOf } = storageAt();
    for (let key = 0; key < 100_000; key += 1) void hit(`${key}`);
    let stored = 0;
    for (let key = 0; key < 100_000; key += 1) if ((await hitsOf(`${key}`)) === 2) stored += 1;
    // If more than 16 keys happen to share a bucket, the oldest key is evicted.
    expect(stored).toBeGreaterThan(99_900);
  });

  it('evicts the windows that began first, however often they were hit, and keeps the newest', async () => {
    const { clock, hit, hitsOf } = storageAt();
    for (let key = 0; key < 1_000; key += 1) void hit(`old ${key}`);
    for (let key = 0; key < 700_000; key += 1) {
      clock.now += 0.01;
      void hit(`address ${key}`);
      if (key % 1_000 === 0) void hit('old 0');
    }
    const hits: number[] = [];
    for (let key = 699_000; key < 700_000; key += 1) hits.push(await hitsOf(`address ${key}`));
    expect(hits.filter((count) => count !== 2)).toEqual([]);
    const old: number[] = [];
    for (let key = 1; key < 1_000; key += 1) old.push(await hitsOf(`old ${key}`));
    // An old window is still stored if fewer than 16 newer keys happen to share its bucket.
    expect(old.filter((count) => count !== 1).length).toBeLessThan(5);
  });

  it('does not evict the windows of users', async () => {
    const { hit, hitsOf } = storageAt();
    for (let user = 0; user < 1_000; user += 1) void hit(`${user}`, 60, 'user');
    for (let address = 0; address < 300_000; address += 1) void hit(`${address}`);
    const hits: number[] = [];
    for (let user = 0; user < 1_000; user += 1) hits.push(await hitsOf(`${user}`, 'user'));
    expect(hits.filter((count) => count !== 2)).toEqual([]);
  });
});
