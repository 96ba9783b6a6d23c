import { FixedWindowStorage } from './rate-limit.storage.js';

const MINUTE = 60_000;

function storageAt(start = 0) {
  const clock = { now: start };
  const storage = new FixedWindowStorage(() => clock.now);
  return {
    clock,
    hit: (key = 'someone', limit = 60) => storage.increment(key, MINUTE, limit),
    hitsOf: async (key: string) => (await storage.increment(key, MINUTE, 60)).totalHits,
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
    await hit('address 1');
    await hit('address 1');
    expect(await hitsOf('address 2')).toBe(1);
    expect(await hitsOf('address 1')).toBe(3);
    expect(await hitsOf('__proto__')).toBe(1);
  });

  it('counts by a clock of its own where none is given', async () => {
    const storage = new FixedWindowStorage();
    await storage.increment('someone', MINUTE, 1);
    expect(await storage.increment('someone', MINUTE, 1)).toMatchObject({ totalHits: 2, isBlocked: true });
  });
});

describe('the bound on how many windows are held', () => {
  const CAPACITY = 100_000;

  it('forgets the oldest of 150,000 addresses and keeps the others', async () => {
    const { clock, hit, hitsOf } = storageAt();
    for (let key = 0; key < 150_000; key += 1) {
      clock.now += 0.01;
      await hit(`address ${key}`);
    }
    // From the newest on, because every forgotten one that is asked for puts out another.
    let kept = 0;
    for (let key = 149_999; key >= 0; key -= 1) {
      const hits = await hitsOf(`address ${key}`);
      if (hits === 2) kept += 1;
      else break;
    }
    expect(kept).toBe(CAPACITY);
    expect(await hitsOf('address 0')).toBe(1);
  });

  it('forgets by when a window began, not by when it was last hit', async () => {
    const { clock, hit, hitsOf } = storageAt();
    await hit('first');
    clock.now = 1;
    await hit('second');
    for (let key = 2; key < CAPACITY; key += 1) await hit(`address ${key}`);
    await hit('first');
    await hit('one too many');
    expect(await hitsOf('second')).toBe(2);
    expect(await hitsOf('first')).toBe(1);
  });

  it('makes room with windows that have ended before it forgets one that has not', async () => {
    const { clock, hit, hitsOf } = storageAt();
    for (let key = 0; key < CAPACITY / 2; key += 1) await hit(`old ${key}`);
    clock.now = MINUTE / 2;
    await hit('current');
    for (let key = 1; key < CAPACITY / 2; key += 1) await hit(`current ${key}`);
    clock.now = MINUTE;
    for (let key = 0; key < CAPACITY / 2; key += 1) await hit(`new ${key}`);
    expect(await hitsOf('current')).toBe(2);
    expect(await hitsOf('new 0')).toBe(2);
  });

  it('a window that began anew counts as a new one', async () => {
    const { clock, hit, hitsOf } = storageAt();
    await hit('regular');
    await hit('other');
    clock.now = MINUTE;
    await hit('regular');
    for (let key = 2; key < CAPACITY; key += 1) await hit(`address ${key}`);
    await hit('one more');
    expect(await hitsOf('regular')).toBe(2);
  });

  it('forgets one without looking at all the others', async () => {
    const { hit } = storageAt();
    const timeOf = async (work: () => Promise<void>) => {
      const startedAt = performance.now();
      await work();
      return performance.now() - startedAt;
    };
    const filling = await timeOf(async () => {
      for (let key = 0; key < CAPACITY; key += 1) await hit(`address ${key}`);
    });
    const replacing = await timeOf(async () => {
      for (let key = 0; key < CAPACITY; key += 1) await hit(`another ${key}`);
    });
    // Looking at all of them for each new one would take thousands of times as long.
    expect(replacing / filling).toBeLessThan(50);
  });
});
