import { v7 as uuidV7 } from 'uuid';
import { LostWorkers } from './lost-workers.js';
import { Shards } from './shards.js';

const UNREACHED = new Error('could not establish any connections to the node 10.0.3.2:5432 after 1000 ms');
const LOST = new Error('server closed the connection unexpectedly');

// The fake timers of Jest do not replace this function.
jest.mock('node:timers/promises', () => ({
  setTimeout: (milliseconds: number, _: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      setTimeout(resolve, milliseconds);
      signal.addEventListener('abort', reject);
    }),
}));

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Four shards, alternately on these two workers. */
const shardsOn = (...workers: readonly [number, number]) =>
  new Shards(
    [-(2 ** 31), -(2 ** 30), 0, 2 ** 30].map((minimum, at) => ({ minimum, worker: workers[at % 2]! })),
  );
const HALVES = shardsOn(1, 2);
/** The shards after worker 3 has replaced worker 1. */
const MOVED = shardsOn(3, 2);

describe('the choice of a UUID for a new submission', () => {
  const all: LostWorkers[] = [];
  afterEach(() => {
    for (const one of all.splice(0)) one.close();
  });

  function lostWorkers(options: Partial<ConstructorParameters<typeof LostWorkers>[0]> = {}) {
    const workers = new LostWorkers({
      shards: () => HALVES,
      probe: () => Promise.reject(UNREACHED),
      ...options,
    });
    all.push(workers);
    return workers;
  }

  /** Returns the workers of 200 new submissions. */
  const workersUsedBy = (workers: LostWorkers, shards = HALVES) =>
    new Set(Array.from({ length: 200 }, () => shards.workerOf(workers.newUuid())));
  const at = (worker: number) => HALVES.uuidAt((one) => one === worker, uuidV7)!;

  it('uses all workers while they respond, and returns UUIDs of version 7', () => {
    const workers = lostWorkers();
    expect(workersUsedBy(workers)).toEqual(new Set([1, 2]));
    expect(workers.newUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  it('is unrestricted with one server, where no worker can be lost', () => {
    const workers = lostWorkers({ shards: () => undefined });
    expect(workers.newUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(workers.mayCreateElsewhere(UNREACHED)).toBe(false);
  });

  it.each([
    ['that is unreachable', UNREACHED],
    ['whose connection was lost', LOST],
    ['that did not respond in time', new Error('Query read timeout')],
  ])('does not use a worker %s', (_, error) => {
    const workers = lostWorkers();
    workers.note(error, at(1));
    expect(workersUsedBy(workers)).toEqual(new Set([2]));
  });

  it.each(['40001', '55P03', '23503', '53300'])('still uses a worker after an error %s', (code) => {
    const workers = lostWorkers();
    workers.note(Object.assign(new Error('no worker is lost'), { code }), at(1));
    expect(workersUsedBy(workers)).toEqual(new Set([1, 2]));
  });

  it('uses any worker if none responds', () => {
    const workers = lostWorkers();
    workers.note(UNREACHED, at(1));
    workers.note(UNREACHED, at(2));
    expect(workersUsedBy(workers)).toEqual(new Set([1, 2]));
  });

  it('uses a worker again when it responds to a probe with the first submission that failed', async () => {
    const probe = jest.fn(() => Promise.resolve()).mockRejectedValueOnce(UNREACHED);
    const workers = lostWorkers({ probe });
    const uuid = at(1);
    workers.note(UNREACHED, uuid);
    workers.note(UNREACHED, at(1));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(workersUsedBy(workers)).toEqual(new Set([2]));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(workersUsedBy(workers)).toEqual(new Set([1, 2]));
    expect(probe.mock.calls).toEqual([[uuid], [uuid]]);
  });

  it('stops probing when it is closed', async () => {
    const probe = jest.fn(() => Promise.reject(UNREACHED));
    const workers = lostWorkers({ probe });
    workers.note(UNREACHED, at(1));
    workers.close();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(probe).not.toHaveBeenCalled();
  });

  it('takes moved shards into account', () => {
    let shards = HALVES;
    const workers = lostWorkers({ shards: () => shards });
    workers.note(UNREACHED, at(1));
    shards = MOVED;
    expect(workersUsedBy(workers, MOVED)).toEqual(new Set([2]));
  });

  it('lets another worker create a submission only if it was certainly not created, and a worker responds', () => {
    const workers = lostWorkers();
    expect(workers.mayCreateElsewhere(UNREACHED)).toBe(true);
    expect(workers.mayCreateElsewhere(LOST)).toBe(false);
    expect(workers.mayCreateElsewhere(new Error('Query read timeout'))).toBe(false);
    workers.note(UNREACHED, at(1));
    expect(workers.mayCreateElsewhere(UNREACHED)).toBe(true);
    workers.note(UNREACHED, at(2));
    expect(workers.mayCreateElsewhere(UNREACHED)).toBe(false);
  });
});
