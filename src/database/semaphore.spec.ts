import { OverloadedError } from './database-errors.js';
import { KeyedSemaphore, Semaphore } from './semaphore.js';

const soon = () => performance.now() + 10_000;
const acquire = async (permits: Semaphore, until: number) => permits.acquire(until);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('permits', () => {
  it('are granted at once while there are any, then in the order of arrival', async () => {
    const permits = new Semaphore(2);
    const entered: number[] = [];
    const all = [0, 1, 2, 3].map((user) => acquire(permits, soon()).then(() => entered.push(user)));
    await Promise.all(all.slice(0, 2));
    expect(entered).toEqual([0, 1]);
    permits.release();
    await all[2];
    permits.release();
    await all[3];
    expect(entered).toEqual([0, 1, 2, 3]);
    permits.release();
    expect(permits.isUnused).toBe(false);
    permits.release();
    expect(permits.isUnused).toBe(true);
  });

  it('are awaited until the deadline of the caller, and not granted to callers that gave up', async () => {
    const permits = new Semaphore(1);
    await permits.acquire(soon());
    const impatient = expect(acquire(permits, performance.now() + 500)).rejects.toThrow(OverloadedError);
    const patient = permits.acquire(soon());
    await jest.advanceTimersByTimeAsync(500);
    await impatient;
    permits.release();
    await patient;
    permits.release();
    expect(permits.isUnused).toBe(true);
  });

  it('are awaited by all callers of a burst, but only for half a second by callers that come during an overload', async () => {
    const permits = new Semaphore(1);
    const entered: string[] = [];
    const enter = (user: string) => acquire(permits, soon()).then(() => entered.push(user));
    await enter('first');
    const burst = [enter('second'), enter('third')];
    await jest.advanceTimersByTimeAsync(1_001);
    const lucky = enter('lucky');
    const unlucky = expect(enter('unlucky')).rejects.toThrow(OverloadedError);
    await jest.advanceTimersByTimeAsync(499);
    for (let released = 0; released < 3; released += 1) permits.release();
    await Promise.all([...burst, lucky]);
    expect(permits.waiting).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    await unlucky;
    expect(entered).toEqual(['first', 'second', 'third', 'lucky']);
  });

  it('are granted in the order of arrival, even if a caller extends its deadline', async () => {
    const permits = new Semaphore(1);
    await permits.acquire(soon());
    const entered: string[] = [];
    const maxWaits: number[] = [];
    const start = performance.now();
    const until = (maxWait: number) => {
      maxWaits.push(maxWait);
      return [start + 100, start + 300][maxWaits.length - 1];
    };
    const longer = expect(permits.acquire(until)?.then(() => entered.push('longer'))).resolves.toBeDefined();
    const behind = acquire(permits, soon()).then(() => entered.push('behind'));
    await jest.advanceTimersByTimeAsync(200);
    expect(maxWaits).toEqual([Infinity, Infinity]);
    permits.release();
    await longer;
    permits.release();
    await behind;
    expect(entered).toEqual(['longer', 'behind']);
  });

  it('are awaited until the last deadline of the caller, even if an earlier one has already passed', async () => {
    const permits = new Semaphore(1);
    await permits.acquire(soon());
    const ends = [performance.now() + 100, performance.now() + 99, performance.now() + 200];
    const patient = permits.acquire(() => ends.shift());
    await jest.advanceTimersByTimeAsync(150);
    permits.release();
    await patient;
    expect(ends).toHaveLength(0);
  });

  it('pass the maximum wait of an overload to a caller that computes its own deadline', async () => {
    const permits = new Semaphore(1);
    await permits.acquire(soon());
    const first = acquire(permits, soon());
    await jest.advanceTimersByTimeAsync(1_001);
    const start = performance.now();
    const end = (maxWait: number) => start + Math.min(maxWait, 10_000);
    const until = (maxWait: number) => (performance.now() < end(maxWait) ? end(maxWait) : undefined);
    const last = expect(permits.acquire(until)).rejects.toThrow(OverloadedError);
    await jest.advanceTimersByTimeAsync(500);
    await last;
    permits.release();
    await first;
  });

  it('are granted to all callers in order, even if the queue is never empty', async () => {
    const permits = new Semaphore(1);
    await permits.acquire(soon());
    const entered: number[] = [];
    const all: Promise<unknown>[] = [];
    for (let user = 0; user < 100; user += 1) {
      all.push(acquire(permits, soon()).then(() => entered.push(user)));
      if (user >= 3) permits.release();
      await jest.advanceTimersByTimeAsync(100);
    }
    for (let rest = 0; rest < 3; rest += 1) permits.release();
    await Promise.all(all);
    expect(entered).toEqual(Array.from({ length: 100 }, (_, user) => user));
  });
});

async function isGranted(permit: Promise<void> | undefined): Promise<boolean> {
  const notYet = jest.advanceTimersByTimeAsync(0).then(() => false);
  return Promise.race([permit?.then(() => true), notYet]).then((granted) => granted === true);
}

describe('a semaphore for each row', () => {
  it('grants permits in the order of arrival, and does not delay other rows', async () => {
    const rows = new KeyedSemaphore<string>(1);
    expect(rows.acquire('a', soon())).toBeUndefined();
    const second = rows.acquire('a', soon());
    const third = rows.acquire('a', soon());
    expect(rows.acquire('b', soon())).toBeUndefined();

    expect(await isGranted(second)).toBe(false);
    rows.release('a');
    await second;
    expect(await isGranted(third)).toBe(false);
    rows.release('a');
    await third;
  });

  it('keeps its order while thousands of other rows come and go', async () => {
    const rows = new KeyedSemaphore<string>(1);
    expect(rows.acquire('a', soon())).toBeUndefined();
    const second = rows.acquire('a', soon());
    for (let row = 0; row < 5_000; row += 1) {
      expect(rows.acquire(`row ${row}`, soon())).toBeUndefined();
      rows.release(`row ${row}`);
    }

    const third = rows.acquire('a', soon());
    rows.release('a');
    await second;
    expect(await isGranted(third)).toBe(false);
    rows.release('a');
    await third;
    rows.release('a');
    expect(rows.acquire('a', soon())).toBeUndefined();
  });
});
