import { EventEmitter } from 'node:events';
import { CoherentCache } from './coherent-cache.js';
import { OverloadedError } from './database-errors.js';

interface Value {
  readonly key: string;
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A load that ends 2 seconds after it begins, as one that waits for a connection does. */
const late = () =>
  new Promise<Value | undefined>((_, reject) => setTimeout(() => reject(new OverloadedError()), 2_000));

describe('a load', () => {
  const cache = () =>
    new CoherentCache<Value>(Object.assign(new EventEmitter(), { hearing: true }), {
      maxSize: 10,
      sizeOf: () => 1,
      keysOf: ({ key }) => [key],
    });

  it('is shared by callers that come while it begins', async () => {
    const values = cache();
    let loads = 0;
    const load = () => {
      loads += 1;
      return late();
    };
    const all = [1, 2, 3].map(() => expect(values.get('a', load)).rejects.toThrow(OverloadedError));
    expect(loads).toBe(1);
    await jest.advanceTimersByTimeAsync(2_000);
    await Promise.all(all);
  });

  it('does not give its deadline to a caller that comes much later', async () => {
    const values = cache();
    const first = expect(values.get('a', late)).rejects.toThrow(OverloadedError);
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
