import { OverloadedError } from '../../database/database-errors.js';
import { BodyLease, ByteBudget } from './body-budget.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const settled = async () => {
  for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
};

describe('a budget of bytes', () => {
  it('is given in the order of arrival, as soon as there is enough', async () => {
    const budget = new ByteBudget(10);
    const given: string[] = [];
    const take = (name: string, bytes: number) => budget.take(bytes).then(() => given.push(name));
    const all = [take('a', 6), take('b', 6), take('c', 1), take('d', 5)];
    await settled();
    expect(given).toEqual(['a']);
    budget.giveBack(6);
    await settled();
    expect(given).toEqual(['a', 'b', 'c']);
    budget.giveBack(2);
    await Promise.all(all);
    expect(given).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is waited for no longer than 10 seconds, and lets others pass then', async () => {
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
  it('gives back what it keeps no more, and all of it at its end, once', async () => {
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

  it('that has ended before it was given keeps nothing', async () => {
    const budget = new ByteBudget(10);
    await budget.take(10);
    const lease = new BodyLease(budget);
    const taken = lease.take(10);
    lease.end();
    budget.giveBack(10);
    await taken;
    await budget.take(10);
  });
});
