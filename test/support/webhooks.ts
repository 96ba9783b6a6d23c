import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { createWebhookEndpoint, User, type WebhookBody, type WebhookEvent } from '../../src/entities.js';
import { RELAY } from '../../src/capabilities/webhooks/webhook.statements.js';
import { withoutSpan } from '../../src/process/in-span.js';
import { Webhooks } from '../../src/capabilities/webhooks/webhooks.service.js';
import { eventually } from './eventually.js';
import { type BuiltForm, buildForm } from './forms.js';
import { startReceiver } from './receiver.js';
import { type TestDatabase, useDatabase } from './test-database.js';

export const KEY = randomBytes(32);

interface Listening {
  readonly events?: readonly WebhookEvent[];
  readonly body?: WebhookBody;
  readonly personal?: boolean;
  readonly formId?: number;
  readonly url?: string;
}

/** A database with a user and a form, whose submissions cause webhooks. */
class Outbox {
  user!: User;
  form!: BuiltForm;

  constructor(readonly database: TestDatabase) {}

  readonly query = <T>(sql: string, values: unknown[] = []): Promise<T[]> =>
    this.database.dataSource.query<T[]>(sql, values);

  listen({ url = 'https://receiver.example/hook', ...endpoint }: Listening = {}) {
    const { manager } = this.database.dataSource;
    return createWebhookEndpoint(manager, { url, ...endpoint }, KEY.toString('base64'));
  }

  async begin(to = this.form): Promise<string> {
    const [row] = await this.query<{ uuid: string }>(
      'insert into submissions (uuid, form_id, user_id) values (gen_random_uuid(), $1, $2) returning uuid',
      [to.form.id, this.user.id],
    );
    return row!.uuid;
  }

  complete(uuid: string) {
    return this.query(`update submissions set status = 'completed', updated_at = now() where uuid = $1`, [
      uuid,
    ]);
  }

  /** Begins and completes a submission. */
  async happen(): Promise<string> {
    const uuid = await this.begin();
    await this.complete(uuid);
    return uuid;
  }

  /** Begins and completes many submissions with one statement. */
  happenOften(count: number) {
    return this.query(
      `insert into submissions (uuid, form_id, user_id, status)
       select gen_random_uuid(), $1, $2, 'completed' from generate_series(1, $3)`,
      [this.form.form.id, this.user.id, count],
    );
  }

  /** Turns outbox entries into deliveries, like a webhook worker. */
  relay() {
    return this.query(RELAY.text, [1_000]);
  }
}

/** A receiver, and a worker that delivers webhooks to it. */
class Delivery {
  receiver!: Awaited<ReturnType<typeof startReceiver>>;
  webhooks: Webhooks | undefined;
  /** The log of the worker. */
  lines: Record<string, unknown>[] = [];

  constructor(private readonly outbox: Outbox) {}

  async start(allow = ['127.0.0.1'], key = KEY): Promise<Webhooks> {
    const write = (line: string) => void this.lines.push(JSON.parse(line) as Record<string, unknown>);
    const { connection } = this.outbox.database;
    const logger = pino({ level: 'info' }, { write });
    this.webhooks = await new Webhooks({ connection, key, allow, logger, inSpan: withoutSpan }).start();
    return this.webhooks;
  }

  async stop(): Promise<void> {
    await this.webhooks?.close();
    this.webhooks = undefined;
  }

  received(count: number, within?: number) {
    const { received } = this.receiver;
    return eventually(`${count} webhooks`, () => received.length >= count && received, within);
  }

  pending() {
    return this.outbox.query<{ attempts: number; last_error: string | null; seconds: number | null }>(
      `select attempts, last_error, extract(epoch from next_attempt_at - now())::float8 as seconds
         from webhook_deliveries order by created_at`,
    );
  }

  /** Waits for a delivery with a failed attempt, and returns the delivery. */
  attempted(within?: number) {
    const find = async () => (await this.pending()).find(({ last_error }) => last_error !== null);
    return eventually('an attempt', find, within);
  }
}

/** Gives a spec file its own database, and each test a new user and a new form. */
export function useOutbox(): Outbox {
  const use = new Outbox(useDatabase());
  let tests = 0;
  beforeEach(async () => {
    tests += 1;
    const { manager } = use.database.dataSource;
    use.user = await manager.save(manager.create(User, { email: `ada-${tests}@example.org` }));
    const steps = [{ name: {}, tag: { isRepeatable: true } }];
    use.form = await buildForm(use.database.dataSource, { steps });
  });
  afterEach(() =>
    use.query(
      'delete from webhook_endpoints; delete from webhook_outbox; delete from webhook_deliveries; truncate submissions cascade',
    ),
  );
  return use;
}

/** Gives each test a receiver, and a worker that the test starts. */
export function useDelivery(outbox: Outbox): Delivery {
  const use = new Delivery(outbox);
  beforeEach(async () => {
    use.receiver = await startReceiver();
    use.lines = [];
  });
  afterEach(async () => {
    await use.stop();
    await use.receiver.close();
  });
  return use;
}
