import { MIGRATIONS } from '../src/schema.js';
import { migrate } from '../src/migrations/migrate.js';
import { newDraft } from './support/drafts.js';
import { buildForm } from './support/forms.js';
import { onOneServer } from './support/it-on-one-server.js';
import { useService } from './support/service.js';
import { uuidOf } from './support/stored-submissions.js';

const use = useService();

const query = <Row = unknown>(sql: string, ...values: unknown[]): Promise<Row[]> =>
  use.database.dataSource.query<Row[]>(sql, values);

/** Returns the time of completion, and whether it is that of the last write. */
async function completedAt(uuid: string): Promise<{ at: string | null; isLastWrite: boolean }> {
  const [row] = await query<{ at: string | null; isLastWrite: boolean }>(
    `select completed_at::text as at, coalesce(completed_at = updated_at, false) as "isLastWrite" from submissions where uuid = $1`,
    uuid,
  );
  return row!;
}

describe('the time of completion', () => {
  it('is that of the write that completes, and stays when the meta changes later', async () => {
    const { client, path, uuid } = await newDraft(use);
    await client.patch(path, { meta: { source: 'web' } });
    expect((await completedAt(uuid)).at).toBeNull();

    expect((await client.patch(path, { status: 'completed' })).status).toBe(200);
    const completed = await completedAt(uuid);
    expect(completed.isLastWrite).toBe(true);

    await client.patch(path, { status: 'completed', meta: { source: 'mail' } });
    expect(await completedAt(uuid)).toEqual({ at: completed.at, isLastWrite: false });
  });
});

onOneServer('the database sets the time of completion', () => {
  const set = (uuid: string, changes: string) =>
    query(`update submissions set ${changes} where uuid = $1`, uuid);

  it('whichever program completes, once, and clears it when a program reopens the submission', async () => {
    const { uuid } = await newDraft(use);
    await set(uuid, `status = 'completed'`);
    const { at } = await completedAt(uuid);
    expect(Date.now() - Date.parse(at!)).toBeLessThan(60_000);
    await set(uuid, `status = 'completed', updated_at = now() + interval '1 day'`);
    expect((await completedAt(uuid)).at).toBe(at);
    await set(uuid, `status = 'draft'`);
    expect((await completedAt(uuid)).at).toBeNull();
    await set(uuid, `status = 'completed'`);
    expect((await completedAt(uuid)).at! > at!).toBe(true);
  });

  it('of an inserted row, unless the row has one: never of a draft', async () => {
    const { form, userId } = await newDraft(use);
    const insert = async (number: number, status: string, time: string | null) => {
      const uuid = uuidOf('c0', number);
      await query(
        `insert into submissions (uuid, form_id, user_id, status, updated_at, completed_at)
         values ($1, $2, $3, $4, '2026-11-21 10:00:00.000001+00', $5)`,
        ...[uuid, form.id, userId, status, time],
      );
      return (await completedAt(uuid)).at;
    };
    await query(`set time zone 'UTC'`);
    expect(await insert(1, 'completed', null)).toBe('2026-11-21 10:00:00.000001+00');
    expect(await insert(2, 'completed', '2026-11-20 09:00:00+00')).toBe('2026-11-20 09:00:00+00');
    expect(await insert(3, 'draft', '2026-11-20 09:00:00+00')).toBeNull();
  });

  // Last, because it reverts migrations.
  it('but not of submissions that were completed before the column existed', async () => {
    const { dataSource } = use.database;
    const newest = MIGRATIONS.findIndex(({ name }) => name.startsWith('CompletedAt'));
    for (const _migration of MIGRATIONS.slice(newest)) await dataSource.undoLastMigration();
    const { form } = await buildForm(dataSource);
    const [user] = await query<{ id: number }>(
      `insert into users (email) values ('early@example.org') returning id`,
    );
    const uuid = uuidOf('c1', 1);
    await query(
      `insert into submissions (uuid, form_id, user_id, status) values ($1, $2, $3, 'completed')`,
      ...[uuid, form.id, user!.id],
    );
    await migrate(dataSource);
    await set(uuid, `status = 'completed', meta = '{"checked": true}'`);
    expect((await completedAt(uuid)).at).toBeNull();
  });
});
