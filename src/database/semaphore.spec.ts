import { OverloadedError } from './database-errors.js';
import { type Deadline, KeyedSemaphore, Semaphore } from './semaphore.js';

const soon = () => performance.now() + 10_000;
const later = (milliseconds: number) => jest.advanceTimersByTimeAsync(milliseconds);
const rejected = (waiting: Promise<unknown>) => expect(waiting).rejects.toThrow(OverloadedError);

/** A semaphore, and the names of those that have got a permit, in order. */
function semaphore(size = 1) {
  const permits = new Semaphore(size);
  const entered: string[] = [];
  const enter = async (name: string, until: Deadline = soon()) => {
    await permits.acquire(until);
    entered.push(name);
  };
  return { permits, entered, enter };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('permits', () => {
  it('are granted at once while there are any, then in the order of arrival', async () => {
    const { permits, entered, enter } = semaphore(2);
    const all = ['a', 'b', 'c', 'd'].map((name) => enter(name));
    await Promise.all(all.slice(0, 2));
    expect(entered).toEqual(['a', 'b']);
    permits.release();
    await all[2];
    permits.release();
    await all[3];
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
    permits.release();
    expect(permits.isUnused).toBe(false);
    permits.release();
    expect(permits.isUnused).toBe(true);
  });

  it('are awaited until the deadline of the caller, and not granted to callers that gave up', async () => {
    const { permits, enter } = semaphore();
    await enter('first');
    const impatient = rejected(enter('impatient', performance.now() + 500));
    const patient = enter('patient');
    await later(500);
    await impatient;
    permits.release();
    await patient;
    permits.release();
    expect(permits.isUnused).toBe(true);
  });

  it('are awaited by all callers of a burst, but only for half a second by callers that come during an overload', async () => {
    const { permits, entered, enter } = semaphore();
    await enter('first');
    const burst = [enter('second'), enter('third')];
    await later(1_001);
    const lucky = enter('lucky');
    const unlucky = rejected(enter('unlucky'));
    // A caller that computes its own deadline gets the maximum wait.
    const start = performance.now();
    const ends: number[] = [];
    const computing = rejected(
      enter('computing', (maxWait) => {
        ends.push(maxWait);
        return performance.now() < start + maxWait ? start + maxWait : undefined;
      }),
    );
    await later(499);
    for (let released = 0; released < 3; released += 1) permits.release();
    await Promise.all([...burst, lucky]);
    expect(permits.waiting).toBe(2);
    await later(1);
    await Promise.all([unlucky, computing]);
    expect(ends).toEqual([500, 500]);
    expect(entered).toEqual(['first', 'second', 'third', 'lucky']);
  });

  it('are awaited until the last deadline of the caller, in the same order, even if an earlier one has passed', async () => {
    const { permits, entered, enter } = semaphore();
    await enter('first');
    const maxWaits: number[] = [];
    const start = performance.now();
    const ends = [start + 100, start + 99, start + 300];
    const longer = enter('longer', (maxWait) => {
      maxWaits.push(maxWait);
      return ends.shift();
    });
    const behind = enter('behind');
    await later(200);
    expect(maxWaits).toEqual([Infinity, Infinity, Infinity]);
    permits.release();
    await longer;
    permits.release();
    await behind;
    expect(entered).toEqual(['first', 'longer', 'behind']);
  });

  it('are granted to all callers in order, even if the queue is never empty', async () => {
    const { permits, entered, enter } = semaphore();
    await enter('first');
    const names = Array.from({ length: 100 }, (_, caller) => String(caller));
    const all: Promise<unknown>[] = [];
    for (const [at, name] of names.entries()) {
      all.push(enter(name));
      if (at >= 3) permits.release();
      await later(100);
    }
    for (let rest = 0; rest < 3; rest += 1) permits.release();
    await Promise.all(all);
    expect(entered).toEqual(['first', ...names]);
  });
});

it('a semaphore for each row keeps its order, while it does not delay thousands of other rows', async () => {
  const rows = new KeyedSemaphore<string>(1);
  const entered: string[] = [];
  const enter = async (name: string) => {
    await rows.acquire('a', soon());
    entered.push(name);
  };
  const first = enter('first');
  const second = enter('second');
  for (let row = 0; row < 5_000; row += 1) {
    expect(rows.acquire(`row ${row}`, soon())).toBeUndefined();
    rows.release(`row ${row}`);
  }
  const third = enter('third');
  await first;
  await later(0);
  expect(entered).toEqual(['first']);
  rows.release('a');
  await second;
  await later(0);
  expect(entered).toEqual(['first', 'second']);
  rows.release('a');
  await third;
  rows.release('a');
  expect(rows.acquire('a', soon())).toBeUndefined();
});
