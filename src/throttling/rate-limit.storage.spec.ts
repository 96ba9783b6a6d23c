import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FixedWindowStorage } from './rate-limit.storage.js';

const MINUTE = 60_000;

/** Bytes that something still refers to. */
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
  it('lets exactly the limit through and blocks what comes after', async () => {
    const { hit } = storageAt();
    const blocked: boolean[] = [];
    for (let request = 1; request <= 5; request += 1) blocked.push((await hit('someone', 3)).isBlocked);
    expect(blocked).toEqual([false, false, false, true, true]);
  });

  it('counts every hit, blocked ones included', async () => {
    const { hit } = storageAt();
    await hit('someone', 1);
    await hit('someone', 1);
    expect((await hit('someone', 1)).totalHits).toBe(3);
  });

  it('ends a window a minute after its first hit, however many come in between', async () => {
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

  it('begins the next window with its own first hit, not with the end of the last one', async () => {
    const { clock, hit } = storageAt();
    await hit();
    clock.now = 1.5 * MINUTE;
    await hit();
    clock.now = 2.4 * MINUTE;
    expect((await hit()).totalHits).toBe(2);
    clock.now = 2.5 * MINUTE;
    expect((await hit()).totalHits).toBe(1);
  });

  it('says in whole seconds, 1 to 60, how long a blocked one has to wait', async () => {
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

  it('keeps keys apart', async () => {
    const { hit, hitsOf } = storageAt();
    await hit('1');
    await hit('1');
    expect(await hitsOf('2')).toBe(1);
    expect(await hitsOf('1')).toBe(3);
    expect(await hitsOf('__proto__')).toBe(1);
    expect(await hitsOf('1', 'user')).toBe(1);
  });

  it('tells how many hits a key has without counting one or beginning a window', async () => {
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

  it('counts by a clock of its own where none is given', async () => {
    const storage = new FixedWindowStorage();
    await storage.increment('someone', MINUTE, 1, MINUTE, 'address');
    expect(await storage.increment('someone', MINUTE, 1, MINUTE, 'address')).toMatchObject({
      totalHits: 2,
      isBlocked: true,
    });
  });
});

// There is room for 262,144 windows. A hit counts when it is made; to wait for each would only take time.
describe('the bound on what many addresses cost', () => {
  it('neither grows nor makes a hit wait with more of them than it has windows for', async () => {
    const { hit } = storageAt();
    // As cut from a header of 8 kB, which must not stay in memory with the address.
    const forwarded = ' '.repeat(8_000);
    void hit('the first, which makes the table');
    const before = usedMemory();
    const times: number[] = [];
    for (let network = 0; network < 300_000;) {
      // Of the processor, because what other processes of the machine take is not the service's.
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
    // But for the few in which the test runner's own garbage was collected.
    expect(times.filter((time) => time > 50 * usual).length).toBeLessThanOrEqual(3);
  });

  it('lets 100,000 be counted at a time', async () => {
    const { hit, hitsOf } = storageAt();
    for (let key = 0; key < 100_000; key += 1) void hit(`${key}`);
    let kept = 0;
    for (let key = 0; key < 100_000; key += 1) if ((await hitsOf(`${key}`)) === 2) kept += 1;
    // Where by chance more than 16 share a bucket, the oldest of them is forgotten.
    expect(kept).toBeGreaterThan(99_900);
  });

  it('forgets the windows that began first, however often they were hit, and keeps the newest', async () => {
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
    // Where by chance fewer than 16 have come to its bucket since, one is still known.
    expect(old.filter((count) => count !== 1).length).toBeLessThan(5);
  });

  it('does not let addresses make the service forget what users have used', async () => {
    const { hit, hitsOf } = storageAt();
    for (let user = 0; user < 1_000; user += 1) void hit(`${user}`, 60, 'user');
    for (let address = 0; address < 300_000; address += 1) void hit(`${address}`);
    const hits: number[] = [];
    for (let user = 0; user < 1_000; user += 1) hits.push(await hitsOf(`${user}`, 'user'));
    expect(hits.filter((count) => count !== 2)).toEqual([]);
  });
});
