import { v7 as uuidV7 } from 'uuid';
import { hashUuid } from './hash-uuid.js';
import { Shards } from './shards.js';

const LOWEST = -(2 ** 31);
const UUIDS = [
  '0199c2f4-8a6b-7c1e-9f51-2f7d0c6b4a10',
  '3f0c9a52-7d41-4b8e-9c26-51e8a7d0b314',
  'a86d1e07-52b9-4f3c-8e14-c07f29b6d583',
];

/** The shards alternate between two workers. */
const shardsFrom = (minimums: readonly number[]) =>
  new Shards(minimums.map((minimum, at) => ({ minimum, worker: at % 2 })));

it.each(UUIDS)('%s is in the last shard whose minimum is not greater than its hash', (uuid) => {
  const hash = hashUuid(uuid);
  expect(shardsFrom([LOWEST]).holding(uuid)).toBe(0);
  expect(shardsFrom([LOWEST, hash]).holding(uuid)).toBe(1);
  expect(shardsFrom([LOWEST, hash + 1]).holding(uuid)).toBe(0);
  expect(shardsFrom([LOWEST, hash - 2, hash - 1, hash, hash + 1]).holding(uuid)).toBe(3);
  const width = 2 ** 27;
  const equal = shardsFrom(Array.from({ length: 32 }, (_, at) => LOWEST + at * width));
  const place = Math.floor((hash - LOWEST) / width);
  expect([equal.holding(uuid), equal.workerOf(uuid)]).toEqual([place, place % 2]);
});

it('the only shard of a worker among 64 shards is found', () => {
  const width = 2 ** 26;
  const worker = (at: number) => (at === 63 ? 2 : 1);
  const shards = new Shards(
    Array.from({ length: 64 }, (_, at) => ({ minimum: LOWEST + at * width, worker: worker(at) })),
  );
  const uuid = shards.uuidAt((one) => one === 2, uuidV7)!;
  expect(hashUuid(uuid)).toBeGreaterThanOrEqual(2 ** 31 - width);
  expect(shards.uuidAt((one) => one === 3, uuidV7)).toBeUndefined();
});
