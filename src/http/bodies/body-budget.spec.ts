import { OverloadedError } from '../../database/database-errors.js';
import { ByteLease, ByteBudget } from './body-budget.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const settled = async () => {
  for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
};

describe('a budget of bytes', () => {
  it('is granted in the order of arrival, as soon as enough bytes are free', async () => {
    const budget = new ByteBudget(10);
    const granted: string[] = [];
    const acquire = (name: string, bytes: number) => budget.acquire(bytes).then(() => granted.push(name));
    const all = [acquire('a', 6), acquire('b', 6), acquire('c', 1), acquire('d', 5)];
    await settled();
    expect(granted).toEqual(['a']);
    budget.release(6);
    await settled();
    expect(granted).toEqual(['a', 'b', 'c']);
    budget.release(2);
    await Promise.all(all);
    expect(granted).toEqual(['a', 'b', 'c', 'd']);
  });

  it('rejects a caller after 10 seconds, and then grants bytes to the next ones', async () => {
    const budget = new ByteBudget(10);
    await budget.acquire(8);
    const large = expect(budget.acquire(9)).rejects.toThrow(OverloadedError);
    await jest.advanceTimersByTimeAsync(5_000);
    const small = budget.acquire(2);
    await jest.advanceTimersByTimeAsync(5_000);
    await large;
    await small;
  });
});

describe('a lease', () => {
  it('releases excess bytes at once, and the rest only once, when it ends', async () => {
    const budget = new ByteBudget(10);
    const [one, other] = [new ByteLease(budget), new ByteLease(budget)];
    await one.acquire(10);
    one.keep(4);
    await other.acquire(6);
    one.end();
    one.end();
    await budget.acquire(4);
    const none = expect(budget.acquire(1)).rejects.toThrow(OverloadedError);
    await jest.advanceTimersByTimeAsync(10_000);
    await none;
  });

  it('releases its bytes if it has ended before they are granted', async () => {
    const budget = new ByteBudget(10);
    await budget.acquire(10);
    const lease = new ByteLease(budget);
    const acquired = lease.acquire(10);
    lease.end();
    budget.release(10);
    await acquired;
    await budget.acquire(10);
  });
});
