import { EventEmitter } from 'node:events';
import { CoherentCache } from './coherent-cache.js';
import { OverloadedError } from './database-errors.js';

interface Value {
  readonly key: string;
  readonly size: number;
}

const A: Value = { key: 'a', size: 1 };

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const cache = () =>
  new CoherentCache<Value>(Object.assign(new EventEmitter(), { hearing: true }), {
    maxSize: 100,
    sizeOf: ({ size }) => size,
    keysOf: ({ key }) => [key, `alias ${key}`],
  });
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const later = (milliseconds: number) => jest.advanceTimersByTimeAsync(milliseconds);

describe('a load', () => {
  /** Fails after 2 seconds, like a load that gets no connection. */
  const slowFailure = jest.fn(async (): Promise<Value> => {
    await pause(2_000);
    throw new OverloadedError();
  });

  it('is shared by callers that come shortly after it began, not by one that would inherit its deadline', async () => {
    const values = cache();
    const failing = [1, 2, 3].map(() =>
      expect(values.get('a', slowFailure)).rejects.toThrow(OverloadedError),
    );
    expect(slowFailure).toHaveBeenCalledTimes(1);
    await later(1_900);
    const second = values.get('a', () => pause(200).then(() => A));
    await later(200);
    await Promise.all(failing);
    expect(await second).toEqual(A);
    expect(values.peek('a')).toEqual(A);
  });

  it('is shared by every caller once it has read the value, because nothing but its own work is left', async () => {
    const values = cache();
    const load = jest.fn(async (onRead: () => void) => {
      await pause(50);
      onRead();
      await pause(5_000);
      return A;
    });
    const first = values.get('a', load);
    await later(4_000);
    const second = values.get('a', load);
    await later(1_050);
    expect(await Promise.all([first, second])).toEqual([A, A]);
    expect(load).toHaveBeenCalledTimes(1);
  });
});

it('a cache keeps the value that was read last, even if it is larger than the cache, and no second such value', async () => {
  const values = cache();
  const read = async (key: string, size: number) => {
    await values.get(key, () => Promise.resolve({ key, size }));
    await later(0);
    expect(values.peek(`alias ${key}`)).toEqual({ key, size });
  };
  await read('small', 10);
  await read('huge', 5_000);
  expect(values.peek('small')).toBeDefined();
  await read('larger', 9_000);
  expect(values.peek('small')).toBeDefined();
  expect(values.peek('huge')).toBeUndefined();
  await read('full', 100);
  expect(values.usage.entries).toBe(1);
});
