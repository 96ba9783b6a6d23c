import { CachedReading } from './cached-reading.js';

describe('a reading of the database', () => {
  it('is asked for once by those who scrape at the same time, and kept for a while', async () => {
    let asked = 0;
    const reading = new CachedReading(() => Promise.resolve((asked += 1)), { freshFor: 60_000 });
    expect(await Promise.all([reading.read(), reading.read(), reading.read()])).toEqual([1, 1, 1]);
    expect(await reading.read()).toBe(1);

    const fresh = new CachedReading(() => Promise.resolve((asked += 1)), { freshFor: 0 });
    expect([await fresh.read(), await fresh.read()]).toEqual([2, 3]);
  });

  it('is none, and nobody asks again, while the database does not respond', async () => {
    let respond: (value: number) => void = () => undefined;
    let asked = 0;
    const query = () => {
      asked += 1;
      return new Promise<number>((resolve) => (respond = resolve));
    };
    const reading = new CachedReading(query, { freshFor: 0, deadline: 1 });
    expect([await reading.read(), await reading.read()]).toEqual([undefined, undefined]);
    expect(asked).toBe(1);
    respond(7);
    await new Promise(setImmediate);
    const next = reading.read();
    respond(8);
    expect([await next, asked]).toEqual([8, 2]);
  });

  it('is none where it fails, instead of what was so before', async () => {
    const answers = [() => Promise.resolve(1), () => Promise.reject(new Error('the function is not there'))];
    const errors: unknown[] = [];
    const reading = new CachedReading(() => answers.shift()!(), {
      onError: (error) => errors.push(error),
      freshFor: 0,
    });
    expect([await reading.read(), await reading.read()]).toEqual([1, undefined]);
    expect(errors).toEqual([new Error('the function is not there')]);
  });
});
