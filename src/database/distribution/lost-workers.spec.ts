import { v7 as uuidV7 } from 'uuid';
import { eventually } from '../../../test/support/eventually.js';
import { hashUuid } from './hash-uuid.js';
import { LostWorkers } from './lost-workers.js';
import { Shards } from './shards.js';

/** What Citus says, with the code 08006. */
const failedWith = (message: string) =>
  new Error(
    `connection to the remote node formtrail@10.0.3.2:5432 failed with the following error: ${message}`,
  );
const UNREACHED = failedWith(
  'Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?',
);
const LOST = failedWith('server closed the connection unexpectedly');

/** Two workers with two shards each. */
const HALVES = new Shards(
  [-(2 ** 31), -(2 ** 30), 0, 2 ** 30].map((minimum, at) => ({ minimum, worker: 1 + (at % 2) })),
);
/** After worker 1 has gone, and a third has its shards. */
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
      ask: () => Promise.reject(UNREACHED),
      ...options,
    });
    all.push(workers);
    return workers;
  }

  /** Where 200 new submissions lie. */
  const placesOf = (workers: LostWorkers, shards = HALVES) =>
    new Set(Array.from({ length: 200 }, () => shards.workerOf(workers.newUuid())));
  const at = (worker: number) => HALVES.uuidAt((one) => one === worker, uuidV7)!;

  it('uses all workers while they answer, and gives UUIDs of version 7', () => {
    const workers = lostWorkers();
    expect(placesOf(workers)).toEqual(new Set([1, 2]));
    expect(workers.newUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  it('is free on one server, where no worker can be lost', () => {
    const workers = lostWorkers({ shards: () => undefined });
    expect(workers.newUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(workers.mayCreateElsewhere(UNREACHED)).toBe(false);
  });

  it.each([
    ['that was not reached', UNREACHED],
    ['whose connection was lost', LOST],
    ['that did not answer in time', new Error('Query read timeout')],
  ])('avoids a worker %s', (_, error) => {
    const workers = lostWorkers();
    workers.note(error, at(1));
    expect(placesOf(workers)).toEqual(new Set([2]));
  });

  it.each(['40001', '55P03', '23503', '53300'])('does not avoid a worker for an error %s', (code) => {
    const workers = lostWorkers();
    workers.note(Object.assign(new Error('no worker is lost'), { code }), at(1));
    expect(placesOf(workers)).toEqual(new Set([1, 2]));
  });

  it('uses any worker if none answers', () => {
    const workers = lostWorkers();
    workers.note(UNREACHED, at(1));
    workers.note(UNREACHED, at(2));
    expect(placesOf(workers)).toEqual(new Set([1, 2]));
  });

  it('uses a worker again when it answers', async () => {
    let answers = false;
    const asked: string[] = [];
    const workers = lostWorkers({
      ask: (uuid) => {
        asked.push(uuid);
        return answers ? Promise.resolve() : Promise.reject(UNREACHED);
      },
    });
    const uuid = at(1);
    workers.note(UNREACHED, uuid);
    workers.note(UNREACHED, at(1));
    await eventually('it is asked twice', () => asked.length >= 2);
    expect(placesOf(workers)).toEqual(new Set([2]));
    answers = true;
    await eventually('it is used', () => placesOf(workers).size === 2);
    // Two submissions of one worker are one question.
    expect(new Set(asked)).toEqual(new Set([uuid]));
  });

  it('asks no more once it is closed', async () => {
    let asked = 0;
    const workers = lostWorkers({
      ask: () => {
        asked += 1;
        return Promise.reject(UNREACHED);
      },
    });
    workers.note(UNREACHED, at(1));
    workers.close();
    await eventually('it has stopped', () => placesOf(workers).size === 2);
    expect(asked).toBe(0);
  });

  it('follows shards that move', () => {
    let shards = HALVES;
    const workers = lostWorkers({ shards: () => shards });
    workers.note(UNREACHED, at(1));
    shards = MOVED;
    expect(placesOf(workers, MOVED)).toEqual(new Set([2]));
  });

  it('lets another worker create only what was certainly not created, and only if one answers', () => {
    const workers = lostWorkers();
    expect(workers.mayCreateElsewhere(UNREACHED)).toBe(true);
    expect(workers.mayCreateElsewhere(LOST)).toBe(false);
    expect(workers.mayCreateElsewhere(new Error('Query read timeout'))).toBe(false);
    workers.note(UNREACHED, at(1));
    expect(workers.mayCreateElsewhere(UNREACHED)).toBe(true);
    workers.note(UNREACHED, at(2));
    expect(workers.mayCreateElsewhere(UNREACHED)).toBe(false);
  });

  it('finds the one shard of a worker among 64', () => {
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
