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
});
