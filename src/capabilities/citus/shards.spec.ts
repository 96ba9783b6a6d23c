import { hashUuid, type Shard, Shards } from './shards.js';

const LOWEST = -(2 ** 31);
const UUIDS = [
  '0199c2f4-8a6b-7c1e-9f51-2f7d0c6b4a10',
  '3f0c9a52-7d41-4b8e-9c26-51e8a7d0b314',
  'a86d1e07-52b9-4f3c-8e14-c07f29b6d583',
];

const shard = (minimum: number, id: number, worker = id % 2): Shard => ({ id, minimum, worker, tables: {} });

/** The ids of the shards are 0, 1, 2 … */
const shardsFrom = (minimums: readonly number[]) =>
  new Shards(minimums.map((minimum, id) => shard(minimum, id)));

it.each(UUIDS)('%s is in the last shard whose minimum is not greater than its hash', (uuid) => {
  const hash = hashUuid(uuid);
  expect(shardsFrom([LOWEST]).holding(uuid).id).toBe(0);
  expect(shardsFrom([LOWEST, hash]).holding(uuid).id).toBe(1);
  expect(shardsFrom([LOWEST, hash + 1]).holding(uuid).id).toBe(0);
  expect(shardsFrom([LOWEST, hash - 2, hash - 1, hash, hash + 1]).holding(uuid).id).toBe(3);
  const width = 2 ** 27;
  const equal = shardsFrom(Array.from({ length: 32 }, (_, at) => LOWEST + at * width));
  expect(equal.holding(uuid).id).toBe(Math.floor((hash - LOWEST) / width));
});

it('the only suitable shard among 64 shards is found', () => {
  const width = 2 ** 26;
  const shards = shardsFrom(Array.from({ length: 64 }, (_, at) => LOWEST + at * width));
  const uuid = shards.newUuid(({ id }) => id === 63)!;
  expect(hashUuid(uuid)).toBeGreaterThanOrEqual(2 ** 31 - width);
  expect(shards.newUuid(({ id }) => id === 64)).toBeUndefined();
});
