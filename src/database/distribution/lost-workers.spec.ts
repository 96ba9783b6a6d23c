import { v7 as uuidV7 } from 'uuid';
import { eventually } from '../../../test/support/eventually.js';
import { hashUuid } from './hash-uuid.js';
import { LostWorkers } from './lost-workers.js';
import { Shards } from './shards.js';

/** Returns an error of Citus about a worker. */
const failedWith = (message: string) =>
  new Error(
    `connection to the remote node formtrail@10.0.3.2:5432 failed with the following error: ${message}`,
  );
const UNREACHED = failedWith(
  'Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?',
);
const LOST = failedWith('server closed the connection unexpectedly');

/** Two workers, each with two shards. */
const HALVES = new Shards(
  [-(2 ** 31), -(2 ** 30), 0, 2 ** 30].map((minimum, at) => ({ minimum, worker: 1 + (at % 2) })),
);
/** The shards after worker 3 has replaced worker 1. */
const MOVED = new Shards(
  [-(2 ** 31), -(2 ** 30), 0, 2 ** 30].map((minimum, at) => ({ minimum, worker: 3 - (at % 2) })),
);

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

  it('uses a worker again when it responds', async () => {
    let responds = false;
    const probed: string[] = [];
    const workers = lostWorkers({
      probe: (uuid) => {
        probed.push(uuid);
        return responds ? Promise.resolve() : Promise.reject(UNREACHED);
      },
    });
    const uuid = at(1);
    workers.note(UNREACHED, uuid);
    workers.note(UNREACHED, at(1));
    await eventually('the worker is probed twice', () => probed.length >= 2);
    expect(workersUsedBy(workers)).toEqual(new Set([2]));
    responds = true;
    await eventually('the worker is used', () => workersUsedBy(workers).size === 2);
    // Although two submissions failed, the worker is probed with the first one only.
    expect(new Set(probed)).toEqual(new Set([uuid]));
  });

  it('stops probing when it is closed', async () => {
    let probes = 0;
    const workers = lostWorkers({
      probe: () => {
        probes += 1;
        return Promise.reject(UNREACHED);
      },
    });
    workers.note(UNREACHED, at(1));
    workers.close();
    await eventually('the probes stop', () => workersUsedBy(workers).size === 2);
    expect(probes).toBe(0);
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

  it('finds the only shard of a worker among 64 shards', () => {
    const shards = new Shards(
      Array.from({ length: 64 }, (_, at) => ({
        minimum: -(2 ** 31) + at * 2 ** 26,
        worker: at === 63 ? 2 : 1,
      })),
    );
    const uuid = shards.uuidAt((worker) => worker === 2, uuidV7)!;
    expect(hashUuid(uuid)).toBeGreaterThanOrEqual(2 ** 31 - 2 ** 26);
    expect(shards.uuidAt((worker) => worker === 3, uuidV7)).toBeUndefined();
  });
});
