import { issueToken } from '../../src/auth/issue-token.js';
import { IdempotencyKey, Submission } from '../../src/entities.js';
import { etagOf } from '../support/answers.js';
import { type Client, client as clientOf } from '../support/client.js';
import { newDraft } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { inOwnDatabase } from '../support/own-database.js';
import { newUser, startService, useService } from '../support/service.js';

describe('Idempotency-Key (S10)', () => {
  const use = useService();

  const create = (client: Client, formUuid: string, key?: string) =>
    client.post(
      '/api/v1/submissions',
      { form_uuid: formUuid },
      key === undefined ? {} : { 'Idempotency-Key': key },
    );
  const expire = (userId: number) =>
    use.database.dataSource.query(`update idempotency_keys set expires_at = now() where user_id = $1`, [
      userId,
    ]);
  const keysOf = (userId: number) => use.database.dataSource.manager.findBy(IdempotencyKey, { userId });

  it('is shared by all instances and survives a restart', async () => {
    const { form } = await buildForm(use.database.dataSource);
    const { client, plainToken } = await newUser(use);
    const first = await create(client, form.uuid, 'key');

    const later = await startService(use.database);
    try {
      const again = await create(
        clientOf(later.url, { Authorization: `Bearer ${plainToken}` }),
        form.uuid,
        'key',
      );
      expect([again.status, again.body, etagOf(again)]).toEqual([201, first.body, etagOf(first)]);
    } finally {
      await later.close();
    }
  });

  it('is stored even if the client disconnects before it gets the response', async () => {
    const draft = await newDraft(use, [{}, {}, {}]);
    const { plainToken } = await issueToken(use.database.dataSource.manager, { userId: draft.userId });
    await use.database.dataSource.transaction(async (manager) => {
      await manager.query('lock table submissions in exclusive mode');
      const hangUp = new AbortController();
      const lost = fetch(`${use.service.url}${draft.path}/advance`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${plainToken}`, 'Idempotency-Key': 'lost' },
        signal: hangUp.signal,
      });
      await eventually('the request waits for the table', async () => {
        const waiting = await manager.query<unknown[]>(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      });
      hangUp.abort();
      await expect(lost).rejects.toThrow();
    });

    const again = await eventually('the first answer', async () => {
      const answer = await draft.client.post(`${draft.path}/advance`, undefined, {
        'Idempotency-Key': 'lost',
      });
      return answer.status === 409 ? undefined : answer;
    });

    expect([again.status, again.body.data.current_step]).toEqual([200, 2]);
    expect((await draft.client.get(draft.path)).body.data.current_step).toBe(2);
  });

  it('expires after 24 hours, and can then be used for another request', async () => {
    const { form } = await buildForm(use.database.dataSource);
    const { form: other } = await buildForm(use.database.dataSource);
    const { client, id: userId } = await newUser(use);
    const before = Date.now();
    const first = await create(client, form.uuid, 'key');
    const [key] = await keysOf(userId);
    expect(key!.expiresAt.getTime()).toBeGreaterThan(before + 23.9 * 3_600_000);
    expect(key!.expiresAt.getTime()).toBeLessThan(Date.now() + 24.1 * 3_600_000);

    await expire(userId);
    const second = await create(client, other.uuid, 'key');

    expect([second.status, second.body.data.form_id]).toEqual([201, other.id]);
    expect(second.body.data.uuid).not.toBe(first.body.data.uuid);
    expect((await create(client, other.uuid, 'key')).body).toEqual(second.body);
    expect(await keysOf(userId)).toHaveLength(1);
  });

  it('is not stored for a rejected request, and a request without a key stores none', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { isActive: false } });
    const { client, id: userId } = await newUser(use);

    expect((await create(client, form.uuid, 'key')).status).toBe(422);
    expect((await create(client, (await buildForm(use.database.dataSource)).form.uuid)).status).toBe(201);

    expect(await keysOf(userId)).toEqual([]);
    expect(await use.database.dataSource.manager.countBy(Submission, { userId })).toBe(1);
  });

  it('is deleted once it has expired, and not before, even if there are many', async () => {
    await inOwnDatabase(async ({ database, service }) => {
      const { id: userId } = await newUser({ database, service });
      const fill = (key: string, count: number, expiresAt: string) =>
        database.dataSource.query(
          `insert into idempotency_keys (user_id, key, request_hash, answer, expires_at)
           select $1, $2 || n, '', '{}', ${expiresAt} from generate_series(1, $3::integer) n`,
          [userId, key, count],
        );
      await fill('expired ', 10_001, `now() - interval '1 minute'`);
      await fill('kept ', 10, `now() + interval '1 minute'`);
      // Delete in parallel, like several instances on one database.
      await Promise.all([service.deleteExpiredKeys(), service.deleteExpiredKeys()]);
      await service.deleteExpiredKeys();

      const left = await database.dataSource.manager.find(IdempotencyKey);
      expect(left.map(({ key }) => key.split(' ')[0])).toEqual(Array(10).fill('kept'));
    });
  });
});
