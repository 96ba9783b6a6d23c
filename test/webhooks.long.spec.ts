import { randomBytes } from 'node:crypto';
import { encryptSecret, newSecret } from '../src/capabilities/webhooks/secret.js';
import { eventually } from './support/eventually.js';
import { itOnOneServer as it } from './support/it-on-one-server.js';
import { startReceiver } from './support/receiver.js';
import { useDelivery, useOutbox } from './support/webhooks.js';

/** Milliseconds until a repair surely has an effect: endpoints are checked every 5 seconds. */
const AFTER_REPAIR = 45_000;

const use = useOutbox();
const deliveries = useDelivery(use);
const setSecret = (id: number, stored: Buffer) =>
  use.query('update webhook_endpoints set secret = $2 where id = $1', [id, stored]);
const wrongSecret = () => encryptSecret(newSecret(), randomBytes(32));

describe('deliveries', () => {
  it('to an endpoint whose secret cannot be decrypted are made once it is repaired, with all attempts left', async () => {
    const { receiver } = deliveries;
    await use.listen({ url: receiver.url });
    const { id: broken, secret } = await use.listen({ url: `${receiver.url}/broken` });
    const [right] = await use.query<{ secret: Buffer }>(
      'select secret from webhook_endpoints where id = $1',
      [broken],
    );
    const webhooks = await deliveries.start();
    // Change the secret after the start, so that the worker notices the wrong key only later.
    await setSecret(broken, wrongSecret());
    for (let at = 0; at < 10; at += 1) await use.happen();

    await deliveries.received(10);
    await eventually('an endpoint that cannot be told', () => webhooks.undecryptable.count === 1);
    await use.happen();
    await deliveries.received(11);
    const waiting = await eventually('the others gone', async () => {
      const rows = await deliveries.pending();
      return rows.length === 11 && rows;
    });
    for (const delivery of waiting) {
      expect(delivery).toMatchObject({ attempts: 0, last_error: null });
      expect(delivery.seconds).toBeLessThanOrEqual(0);
    }
    expect(webhooks.attempts.counts).toEqual({ delivered: 11, failed: 0, gave_up: 0 });
    const told = deliveries.lines.filter(({ endpoint_id }) => endpoint_id === broken);
    expect(told).toEqual([expect.objectContaining({ level: 50, msg: expect.stringContaining('rotate') })]);
    expect(await use.query('select id from webhook_endpoints where failing_since is not null')).toEqual([]);
    await use.happen();
    await deliveries.received(12);

    await setSecret(broken, right!.secret);
    await deliveries.received(24, AFTER_REPAIR);
    for (const hook of receiver.received.slice(12)) receiver.verify(secret, hook);
    await eventually('nothing that waits', async () => (await deliveries.pending()).length === 0);
    expect(webhooks.attempts.counts).toEqual({ delivered: 24, failed: 0, gave_up: 0 });
    expect(webhooks.undecryptable.count).toBe(0);
  });

  it('to a disabled endpoint do not need its secret', async () => {
    const { id } = await use.listen({ url: deliveries.receiver.url });
    await use.listen({ url: deliveries.receiver.url });
    await setSecret(id, wrongSecret());
    await use.happen();
    const { undecryptable } = await deliveries.start();
    await deliveries.received(1);
    await use.query(`update webhook_endpoints set disabled_reason = 'by hand' where id = $1`, [id]);
    await eventually('none', () => undecryptable.count === 0, AFTER_REPAIR);
    const last_error = 'the endpoint is disabled';
    expect(await deliveries.attempted(AFTER_REPAIR)).toMatchObject({ attempts: 0, last_error });
  });

  it('to an endpoint that never responds take a quarter of the workers, and do not delay the others', async () => {
    const stuck = await startReceiver();
    stuck.respond = () => undefined;
    await use.listen({ url: stuck.url });
    await deliveries.start();
    await use.happenOften(40);
    await eventually('attempts', () => stuck.received.length >= 8);
    await use.listen({ url: deliveries.receiver.url });
    await use.happenOften(5);
    await deliveries.received(5);
    expect(stuck.received.length).toBe(8);
    await deliveries.stop();
    await stuck.close();
  });

  it('to an endpoint that fails are made one after the other, with the pause of a poll between them', async () => {
    const { receiver } = deliveries;
    const times: number[] = [];
    receiver.respond = (response) => {
      times.push(performance.now());
      response.writeHead(500).end();
    };
    await use.listen({ url: receiver.url });
    await deliveries.start();
    await use.happen();
    await deliveries.attempted();
    await use.happenOften(20);
    await deliveries.received(11);
    expect((times[10] ?? 0) - (times[1] ?? 0)).toBeGreaterThan(9 * 40);
  });

  it('begin without the right to write, as on a server that is not the primary yet', async () => {
    const [row] = await use.query<{ name: string }>('select current_database() as name');
    await use.listen({ url: deliveries.receiver.url });
    await use.query(`alter database ${row!.name} set default_transaction_read_only = on`);
    await deliveries.start();
    await use.query(
      `set session characteristics as transaction read write; alter database ${row!.name} reset default_transaction_read_only`,
    );
    await use.query(`select pg_terminate_backend(pid) from pg_stat_activity
                      where datname = current_database() and application_name = 'formtrail-webhooks'`);
    await use.happen();
    await deliveries.received(1, AFTER_REPAIR);
  });
});
