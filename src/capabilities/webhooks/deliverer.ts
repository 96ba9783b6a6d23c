import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { repeat } from '../../process/repeat.js';
import type { DeliveryAttempts } from './delivery-attempts.js';
import type { UndecryptableEndpoints } from './undecryptable-endpoints.js';
import { ATTEMPTS_OF_ENDPOINT, CLAIM_DUE, type DueDelivery, RELAY, RELEASE } from './webhook.statements.js';

/** Maximum number of concurrent attempts. */
const ATTEMPTS = 32;
/**
 * After this many deliveries, the next claim does not wait for the poll, so that one statement claims several. Failed attempts do not
 * count: what piles up for an endpoint that fails reaches it at the pace of the polls.
 */
const WORTH_A_CLAIM = 8;

/** Milliseconds between polls. Events cause no NOTIFY, because commits with NOTIFY wait for each other. */
const POLL_INTERVAL = 250;
/** The longest time in milliseconds between polls while there is work. */
const BUSY_POLL_INTERVAL = 50;
const PAUSE_AFTER_FAULT = 5_000;
/** Milliseconds that attempts may take to end after a stop. Then they are aborted. */
const GRACE = 1_000;

/** Maximum number of events in one statement. More events would need more memory and delay the first delivery. */
const EVENTS_AT_ONCE = 500;

interface DelivererDependencies {
  /**
   * With `synchronous_commit = on`. Otherwise events could be turned into deliveries again after a crash, and the
   * webhook would get another id.
   */
  readonly durable: Pool;
  readonly pool: Pool;
  readonly attempts: DeliveryAttempts;
  readonly undecryptable: UndecryptableEndpoints;
  readonly logger: Logger;
}

/** Turns the events of the outbox into deliveries, claims due deliveries, and attempts them. */
export class Deliverer {
  /** Attempts that have not ended, by delivery. */
  private readonly running = new Map<
    string,
    { readonly endpointId: number; readonly ended: Promise<void> }
  >();
  private readonly aborting = new AbortController();
  /** Number of deliveries at the last claim. */
  private deliveredBefore = 0;
  private wake = () => {};

  constructor(private readonly dependencies: DelivererDependencies) {}

  /** Delivers until `stop` aborts. Then attempts may end for a second. Aborted attempts are due again at once. */
  async deliver(stop: AbortSignal): Promise<void> {
    stop.addEventListener('abort', () => this.wake());
    await repeat(
      0,
      () => this.work(stop),
      stop,
      (error) => this.report(error),
    );
    const ended = Promise.all(Array.from(this.running.values(), ({ ended }) => ended));
    await Promise.race([ended, sleep(GRACE, undefined, { ref: false })]);
    this.aborting.abort();
    await ended;
  }

  private async work(stop: AbortSignal): Promise<void> {
    const { durable } = this.dependencies;
    const { rowCount: relayed } = await durable.query({ ...RELAY, values: [EVENTS_AT_ONCE] });
    const claimed = await this.claim();
    for (const delivery of claimed) this.start(delivery);
    const isBusy = relayed !== 0 || claimed.length > 0;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, isBusy ? BUSY_POLL_INTERVAL : POLL_INTERVAL);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (stop.aborted || this.isWorthAClaim) this.wake();
    });
  }

  private get isWorthAClaim(): boolean {
    return this.dependencies.attempts.counts.delivered - this.deliveredBefore >= WORTH_A_CLAIM;
  }

  private async claim(): Promise<DueDelivery[]> {
    const { pool, attempts, undecryptable } = this.dependencies;
    this.deliveredBefore = attempts.counts.delivered;
    const free = ATTEMPTS - this.running.size;
    if (free === 0) return [];
    const busy = new Map<number, number>();
    for (const { endpointId } of this.running.values()) busy.set(endpointId, (busy.get(endpointId) ?? 0) + 1);
    for (const id of undecryptable.ids) busy.set(id, ATTEMPTS_OF_ENDPOINT);
    const values = [free, [...busy.keys()], [...busy.values()]];
    return (await pool.query<DueDelivery>({ ...CLAIM_DUE, values })).rows;
  }

  private start(delivery: DueDelivery): void {
    const { id, endpoint_id: endpointId } = delivery;
    const ended = this.attempt(delivery).finally(() => {
      this.running.delete(id);
      if (this.isWorthAClaim) this.wake();
    });
    this.running.set(id, { endpointId, ended });
  }

  /** If the outcome cannot be stored, the delivery stays claimed, and is attempted again in a minute. */
  private async attempt(delivery: DueDelivery): Promise<void> {
    const { signal } = this.aborting;
    const { attempts, pool } = this.dependencies;
    try {
      const isAttempted = await attempts.attempt(delivery, signal);
      if (!isAttempted) await pool.query(RELEASE, [delivery.id]);
    } catch (error) {
      if (!signal.aborted) this.report(error as Error);
      else await pool.query(RELEASE, [delivery.id]).catch(() => undefined);
    }
  }

  private report({ message: reason }: Error): number {
    this.dependencies.logger.warn(
      { context: 'Webhooks', reason },
      'The database is unavailable for webhooks, so none is sent. The service retries in 5 seconds. Check the database.',
    );
    return PAUSE_AFTER_FAULT;
  }
}
