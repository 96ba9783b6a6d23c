import { OverloadedError } from '../../database/database-errors.js';
import { BodyLease, ByteBudget } from './body-budget.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const settled = async () => {
  for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
};

describe('a budget of bytes', () => {
  it('is granted in the order of arrival, as soon as enough bytes are free', async () => {
    const budget = new ByteBudget(10);
    const granted: string[] = [];
    const take = (name: string, bytes: number) => budget.take(bytes).then(() => granted.push(name));
    const all = [take('a', 6), take('b', 6), take('c', 1), take('d', 5)];
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
    await budget.take(8);
    const large = expect(budget.take(9)).rejects.toThrow(OverloadedError);
    await jest.advanceTimersByTimeAsync(5_000);
    const small = budget.take(2);
    await jest.advanceTimersByTimeAsync(5_000);
    await large;
    await small;
  });
});

describe('a lease', () => {
  it('releases excess bytes at once, and the rest when it ends, only once', async () => {
    const budget = new ByteBudget(10);
    const [one, other] = [new BodyLease(budget), new BodyLease(budget)];
    await one.take(10);
    one.keep(4);
    await other.take(6);
    one.end();
    one.end();
    await budget.take(4);
    const none = expect(budget.take(1)).rejects.toThrow(OverloadedError);
    await jest.advanceTimersByTimeAsync(10_000);
    await none;
  });

  it('releases its bytes if it has ended before they are granted', async () => {
    const budget = new ByteBudget(10);
    await budget.take(10);
    const lease = new BodyLease(budget);
    const taken = lease.take(10);
    lease.end();
    budget.release(10);
    await taken;
    await budget.take(10);
  });
});
