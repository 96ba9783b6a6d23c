import { OverloadedError } from './database-errors.js';
import { KeyedSemaphore, Semaphore } from './semaphore.js';

const soon = () => performance.now() + 10_000;
const acquire = async (places: Semaphore, until: number) => places.acquire(until);

/** On a clock that the test sets. */
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('places for a number of users', () => {
  it('are given at once where there are any, and then in the order of arrival', async () => {
    const places = new Semaphore(2);
    const entered: number[] = [];
    const all = [0, 1, 2, 3].map((user) => acquire(places, soon()).then(() => entered.push(user)));
    await Promise.all(all.slice(0, 2));
    expect(entered).toEqual([0, 1]);
    places.release();
    await all[2];
    places.release();
    await all[3];
    expect(entered).toEqual([0, 1, 2, 3]);
    places.release();
    expect(places.isUnused).toBe(false);
    places.release();
    expect(places.isUnused).toBe(true);
  });

  it('are waited for no longer than the caller wants, and not lost to those who gave up', async () => {
    const places = new Semaphore(1);
    await places.acquire(soon());
    const impatient = expect(acquire(places, performance.now() + 500)).rejects.toThrow(OverloadedError);
    const patient = places.acquire(soon());
    await jest.advanceTimersByTimeAsync(500);
    await impatient;
    places.release();
    await patient;
    places.release();
    expect(places.isUnused).toBe(true);
  });

  it('are waited for by a burst, and in a jam by those who come anew for half a second only', async () => {
    const places = new Semaphore(1);
    const entered: string[] = [];
    const enter = (user: string) => acquire(places, soon()).then(() => entered.push(user));
    await enter('first');
    const burst = [enter('second'), enter('third')];
    await jest.advanceTimersByTimeAsync(1_001);
    const lucky = enter('lucky');
    const unlucky = expect(enter('unlucky')).rejects.toThrow(OverloadedError);
    await jest.advanceTimersByTimeAsync(499);
    for (let released = 0; released < 3; released += 1) places.release();
    await Promise.all([...burst, lucky]);
    expect(places.waiting).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    await unlucky;
    expect(entered).toEqual(['first', 'second', 'third', 'lucky']);
  });

  it('are kept in the queue for those who go on waiting when their time has come', async () => {
    const places = new Semaphore(1);
    await places.acquire(soon());
    const entered: string[] = [];
    const asked: number[] = [];
    const start = performance.now();
    const until = (patience: number) => {
      asked.push(patience);
      return [start + 100, start + 300][asked.length - 1];
    };
    const longer = expect(places.acquire(until)?.then(() => entered.push('longer'))).resolves.toBeDefined();
    const behind = acquire(places, soon()).then(() => entered.push('behind'));
    await jest.advanceTimersByTimeAsync(200);
    expect(asked).toEqual([Infinity, Infinity]);
    places.release();
    await longer;
    places.release();
    await behind;
    expect(entered).toEqual(['longer', 'behind']);
  });

  it('are waited for as long as the caller says, though its time is over when the timer is set', async () => {
    const places = new Semaphore(1);
    await places.acquire(soon());
    const ends = [performance.now() + 100, performance.now() + 99, performance.now() + 200];
    const patient = places.acquire(() => ends.shift());
    await jest.advanceTimersByTimeAsync(150);
    places.release();
    await patient;
    expect(ends).toHaveLength(0);
  });

  it('tell those who decide for themselves how long they wait that there is a jam', async () => {
    const places = new Semaphore(1);
    await places.acquire(soon());
    const first = acquire(places, soon());
    await jest.advanceTimersByTimeAsync(1_001);
    const start = performance.now();
    const end = (patience: number) => start + Math.min(patience, 10_000);
    const until = (patience: number) => (performance.now() < end(patience) ? end(patience) : undefined);
    const last = expect(places.acquire(until)).rejects.toThrow(OverloadedError);
    await jest.advanceTimersByTimeAsync(500);
    await last;
    places.release();
    await first;
  });

  it('are given in order and to all, however long there is always somebody who waits', async () => {
    const places = new Semaphore(1);
    await places.acquire(soon());
    const entered: number[] = [];
    const all: Promise<unknown>[] = [];
    for (let user = 0; user < 100; user += 1) {
      all.push(acquire(places, soon()).then(() => entered.push(user)));
      if (user >= 3) places.release();
      await jest.advanceTimersByTimeAsync(100);
    }
    for (let rest = 0; rest < 3; rest += 1) places.release();
    await Promise.all(all);
    expect(entered).toEqual(Array.from({ length: 100 }, (_, user) => user));
  });
});

async function hasCome(turn: Promise<void> | undefined): Promise<boolean> {
  const notYet = jest.advanceTimersByTimeAsync(0).then(() => false);
  return Promise.race([turn?.then(() => true), notYet]).then((come) => come === true);
}

describe('a semaphore for each row', () => {
  it('is executed in the order of arrival, and does not hold up other rows', async () => {
    const rows = new KeyedSemaphore<string>(1);
    expect(rows.acquire('a', soon())).toBeUndefined();
    const second = rows.acquire('a', soon());
    const third = rows.acquire('a', soon());
    expect(rows.acquire('b', soon())).toBeUndefined();

    expect(await hasCome(second)).toBe(false);
    rows.release('a');
    await second;
    expect(await hasCome(third)).toBe(false);
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
    expect(await hasCome(third)).toBe(false);
    rows.release('a');
    await third;
    rows.release('a');
    expect(rows.acquire('a', soon())).toBeUndefined();
  });
});
