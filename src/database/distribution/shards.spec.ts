import { hashUuid } from './hash-uuid.js';
import { Shards } from './shards.js';

const LOWEST = -(2 ** 31);
/** UUIDs with their hashes. */
const UUIDS = {
  '0199c2f4-8a6b-7c1e-9f51-2f7d0c6b4a10': hashUuid('0199c2f4-8a6b-7c1e-9f51-2f7d0c6b4a10'),
  '3f0c9a52-7d41-4b8e-9c26-51e8a7d0b314': hashUuid('3f0c9a52-7d41-4b8e-9c26-51e8a7d0b314'),
  'a86d1e07-52b9-4f3c-8e14-c07f29b6d583': hashUuid('a86d1e07-52b9-4f3c-8e14-c07f29b6d583'),
};

/** The shards alternate between two workers. */
const shardsFrom = (minimums: readonly number[]) =>
  new Shards(minimums.map((minimum, at) => ({ minimum, worker: at % 2 })));

describe('a submission is in the last shard whose minimum is not greater than its hash', () => {
  it.each(Object.entries(UUIDS))('%s', (uuid, hash) => {
    expect(shardsFrom([LOWEST]).holding(uuid)).toBe(0);
    expect(shardsFrom([LOWEST, hash]).holding(uuid)).toBe(1);
    expect(shardsFrom([LOWEST, hash + 1]).holding(uuid)).toBe(0);
    expect(shardsFrom([LOWEST, hash - 2, hash - 1, hash, hash + 1]).holding(uuid)).toBe(3);
  });

  it('finds the same shard as a division, with 32 shards of equal width', () => {
    const width = 2 ** 27;
    const shards = shardsFrom(Array.from({ length: 32 }, (_, at) => LOWEST + at * width));
    for (const [uuid, hash] of Object.entries(UUIDS)) {
      const place = Math.floor((hash - LOWEST) / width);
      expect(shards.holding(uuid)).toBe(place);
      expect(shards.workerOf(uuid)).toBe(place % 2);
    }
  });
});
