import { CachedReading } from './cached-reading.js';

describe('a cached reading of the database', () => {
  it('runs one query for simultaneous scrapes, and caches its value', async () => {
    let queries = 0;
    const reading = new CachedReading(() => Promise.resolve((queries += 1)), { freshFor: 60_000 });
    expect(await Promise.all([reading.read(), reading.read(), reading.read()])).toEqual([1, 1, 1]);
    expect(await reading.read()).toBe(1);

    const fresh = new CachedReading(() => Promise.resolve((queries += 1)), { freshFor: 0 });
    expect([await fresh.read(), await fresh.read()]).toEqual([2, 3]);
  });

  it('returns undefined, without another query, while the database does not respond', async () => {
    let respond: (value: number) => void = () => undefined;
    let queries = 0;
    const query = () => {
      queries += 1;
      return new Promise<number>((resolve) => (respond = resolve));
    };
    const reading = new CachedReading(query, { freshFor: 0, deadline: 1 });
    expect([await reading.read(), await reading.read()]).toEqual([undefined, undefined]);
    expect(queries).toBe(1);
    respond(7);
    await new Promise(setImmediate);
    const next = reading.read();
    respond(8);
    expect([await next, queries]).toEqual([8, 2]);
  });

  it('returns undefined if the query fails, instead of the last value', async () => {
    const results = [
      () => Promise.resolve(1),
      () => Promise.reject(new Error('the function does not exist')),
    ];
    const errors: unknown[] = [];
    const reading = new CachedReading(() => results.shift()!(), {
      onError: (error) => errors.push(error),
      freshFor: 0,
    });
    expect([await reading.read(), await reading.read()]).toEqual([1, undefined]);
    expect(errors).toEqual([new Error('the function does not exist')]);
  });
});
