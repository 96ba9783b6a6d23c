import { v7 as uuidV7 } from 'uuid';
import { asAnotherProgram, testServer } from '../../../test/support/test-server.js';
import { hashUuid } from './hash-uuid.js';

it('returns the same hashes of 10,000 UUIDs as PostgreSQL', async () => {
  const edges = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
  const ours = [...edges, ...Array.from({ length: 4_998 }, () => uuidV7())];
  await asAnotherProgram(testServer().connection, async (client) => {
    const { rows } = await client.query<{ uuid: string; hash: number }>(
      `select uuid, uuid_hash(uuid) as hash from (
         select unnest($1::uuid[]) as uuid union all select gen_random_uuid() from generate_series(1, 5000)) uuids`,
      [ours],
    );
    expect(rows).toHaveLength(10_000);
    expect(rows.filter(({ uuid, hash }) => hashUuid(uuid) !== hash)).toEqual([]);
  });
});
