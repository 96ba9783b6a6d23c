import { EventEmitter } from 'node:events';
import { CoherentCache } from './coherent-cache.js';
import { OverloadedError } from './database-errors.js';

interface Value {
  readonly key: string;
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Fails after 2 seconds, like a load that gets no connection. */
const slowFailure = () =>
  new Promise<Value | undefined>((_, reject) => setTimeout(() => reject(new OverloadedError()), 2_000));

describe('a load', () => {
  const cache = () =>
    new CoherentCache<Value>(Object.assign(new EventEmitter(), { hearing: true }), {
      maxSize: 10,
      sizeOf: () => 1,
      keysOf: ({ key }) => [key],
    });

  it('is shared by callers that come shortly after it began', async () => {
    const values = cache();
    let loads = 0;
    const load = () => {
      loads += 1;
      return slowFailure();
    };
    const all = [1, 2, 3].map(() => expect(values.get('a', load)).rejects.toThrow(OverloadedError));
    expect(loads).toBe(1);
    await jest.advanceTimersByTimeAsync(2_000);
    await Promise.all(all);
  });

  it('is not shared by a caller that comes much later, which would inherit its deadline', async () => {
    const values = cache();
    const first = expect(values.get('a', slowFailure)).rejects.toThrow(OverloadedError);
    await jest.advanceTimersByTimeAsync(1_900);
    const second = values.get('a', async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { key: 'a' };
    });
    await jest.advanceTimersByTimeAsync(200);
    await first;
    expect(await second).toEqual({ key: 'a' });
    expect(values.peek('a')).toEqual({ key: 'a' });
  });

  it('is shared by every caller once it has read the value, because nothing but its own work is left', async () => {
    const values = cache();
    let loads = 0;
    const load = async (onRead: () => void) => {
      loads += 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
      onRead();
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      return { key: 'a' };
    };
    const first = values.get('a', load);
    await jest.advanceTimersByTimeAsync(4_000);
    const second = values.get('a', load);
    await jest.advanceTimersByTimeAsync(1_050);
    expect(await Promise.all([first, second])).toEqual([{ key: 'a' }, { key: 'a' }]);
    expect(loads).toBe(1);
  });
});

describe('the size of a cache', () => {
  const cacheOf = () =>
    new CoherentCache<Value & { readonly size: number }>(
      Object.assign(new EventEmitter(), { hearing: true }),
      { maxSize: 100, sizeOf: ({ size }) => size, keysOf: ({ key }) => [key, `alias ${key}`] },
    );

  it('has room for the value that was read last, whatever its size, and for one of these only', async () => {
    const values = cacheOf();
    const read = (key: string, size: number) => values.get(key, () => Promise.resolve({ key, size }));
    for (const [key, size] of [
      ['small', 10],
      ['huge', 5_000],
      ['larger', 9_000],
    ] as const) {
      await read(key, size);
      await jest.advanceTimersByTimeAsync(0);
      expect(values.peek(`alias ${key}`)).toEqual({ key, size });
      expect(values.peek('small')).toBeDefined();
    }
    expect(values.peek('huge')).toBeUndefined();
    await read('full', 100);
    await jest.advanceTimersByTimeAsync(0);
    expect(values.peek('full')).toBeDefined();
    expect(values.usage.entries).toBe(1);
  });
});
