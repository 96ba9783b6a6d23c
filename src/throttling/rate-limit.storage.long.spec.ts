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

// There is room for 262,144 windows. A hit is counted synchronously, so these tests do not await each hit.
describe('the cost of many addresses', () => {
  const hitter = () => {
    const storage = new FixedWindowStorage(() => 0);
    return (key: string) => storage.increment(key, MINUTE, 60, MINUTE, 'address');
  };

  it('stays constant in memory and time if there are more addresses than windows', async () => {
    const hit = hitter();
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
    const hit = hitter();
    for (let key = 0; key < 100_000; key += 1) void hit(`${key}`);
    let stored = 0;
    for (let key = 0; key < 100_000; key += 1) if ((await hit(`${key}`)).totalHits === 2) stored += 1;
    // If more than 16 keys happen to share a bucket, the oldest key is evicted.
    expect(stored).toBeGreaterThan(99_900);
  });
});

it('a flood of addresses evicts the windows that began first, however often they were hit, but none of users', async () => {
  const clock = { now: 0 };
  const storage = new FixedWindowStorage(() => clock.now);
  const hit = (key: string, limit = 60, kind = 'address') =>
    storage.increment(key, MINUTE, limit, MINUTE, kind);
  const totalOf = async (key: string, kind?: string) => (await hit(key, 60, kind)).totalHits;
  const totalsOf = (keys: readonly string[], kind?: string) =>
    Promise.all(keys.map((key) => totalOf(key, kind)));
  const named = (name: string, from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `${name} ${from + at}`);
  // There is room for 262,144 windows. A hit is counted synchronously, so this test does not await each hit.
  const FLOOD = 500_000;
  for (const key of named('user', 0, 100)) void hit(key, 60, 'user');
  for (const key of named('old', 0, 100)) void hit(key);
  for (let key = 0; key < FLOOD; key += 1) {
    clock.now += 0.01;
    void hit(`address ${key}`);
    if (key % 1_000 === 0) void hit('old 0');
  }
  expect(new Set(await totalsOf(named('address', FLOOD - 1_000, FLOOD)))).toEqual(new Set([2]));
  expect(new Set(await totalsOf(named('user', 0, 100), 'user'))).toEqual(new Set([2]));
  // An old window is still stored if fewer than 16 newer keys happen to share its bucket.
  expect((await totalsOf(named('old', 1, 100))).filter((count) => count !== 1).length).toBeLessThan(5);
});
