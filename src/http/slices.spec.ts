import { Slices } from './slices.js';

/** Blocks the event loop. */
function work(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(nextTurn);

it('short work is never interrupted', () => {
  // Otherwise the test would fail if the machine is busy with something else.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const slices = new Slices();
  expect([slices.next(), slices.next(), slices.next()]).toEqual([undefined, undefined, undefined]);
  clock.mockRestore();
});

it('long work lets other tasks run between its parts', async () => {
  const slices = new Slices();
  let turns = 0;
  const counting = new AbortController();
  const others = (async () => {
    for (; !counting.signal.aborted; turns += 1) await nextTurn();
  })();
  for (let part = 0; part < 10; part += 1) {
    work(6);
    await slices.next();
  }
  counting.abort();
  await others;
  expect(turns).toBeGreaterThan(4);
});

it('several long tasks take turns instead of running in the same turn of the event loop', async () => {
  let inThisTurn = 0;
  let most = 0;
  const job = async () => {
    const slices = new Slices();
    for (let part = 0; part < 4; part += 1) {
      work(10);
      inThisTurn += 1;
      most = Math.max(most, inThisTurn);
      setImmediate(() => (inThisTurn = 0));
      await slices.next();
    }
  };
  // The jobs begin in different turns, as requests do.
  const jobs: Promise<void>[] = [];
  for (let count = 0; count < 4; count += 1) {
    jobs.push(job());
    await nextTurn();
  }
  await Promise.all(jobs);
  expect(most).toBeLessThanOrEqual(2);
});
