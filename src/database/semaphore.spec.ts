import { OverloadedError } from './database-errors.js';
import { Semaphore } from './semaphore.js';

const soon = () => performance.now() + 10_000;

/** On a clock that the test sets. */
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('places for a number of users', () => {
  it('are given at once where there are any, and then in the order of arrival', async () => {
    const places = new Semaphore(2);
    const entered: number[] = [];
    const all = [0, 1, 2, 3].map((user) => places.acquire(soon()).then(() => entered.push(user)));
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
    const impatient = expect(places.acquire(performance.now() + 500)).rejects.toThrow(OverloadedError);
    const patient = places.acquire(soon());
    await jest.advanceTimersByTimeAsync(500);
    await impatient;
    places.release();
    await patient;
    places.release();
    expect(places.isUnused).toBe(true);
  });

  it('take in a burst, and in a jam let the newest in first and the others wait for a second', async () => {
    const places = new Semaphore(1);
    const entered: string[] = [];
    const enter = (user: string) => places.acquire(soon()).then(() => entered.push(user));
    await enter('first');
    const burst = [enter('second'), enter('third')];
    places.release();
    await burst[0];
    await jest.advanceTimersByTimeAsync(1_001);

    const unlucky = expect(enter('unlucky')).rejects.toThrow(OverloadedError);
    const newest = enter('newest');
    places.release();
    await newest;
    await jest.advanceTimersByTimeAsync(1_000);
    await unlucky;
    places.release();
    await burst[1];
    expect(entered).toEqual(['first', 'second', 'newest', 'third']);

    // The queue was empty for once, and is no jam any more.
    const [older, newer] = [enter('older'), enter('newer')];
    places.release();
    await older;
    places.release();
    await newer;
    expect(entered.slice(4)).toEqual(['older', 'newer']);
  });
});
