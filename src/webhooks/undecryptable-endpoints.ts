import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { StartError } from '../config/start-error.js';
import { decryptSecrets, type StoredSecrets } from './secret.js';
import { ACTIVE_SECRETS } from './webhook.statements.js';

/** Milliseconds between two looks at all endpoints: to see that one was repaired, or added under another key. */
const LOOK_EVERY = 5_000;

/** In a sentence, at most so many. */
const NAMED = 10;

interface Parts {
  readonly pool: Pool;
  readonly key: Buffer;
  readonly logger: Logger;
}

/**
 * Endpoints whose secrets WEBHOOK_KEY does not decrypt. That is a mistake of the operator and tells nothing of the receiver:
 * no attempt is made or counted, and the deliveries stay due, for this process once it is repaired, and for any other that
 * has the right key.
 */
export class UndecryptableEndpoints {
  private readonly ids = new Set<number>();

  constructor(private readonly parts: Parts) {}

  get count(): number {
    return this.ids.size;
  }

  /** The flags of jobs that this process must leave in the queue. */
  get flags(): string[] {
    return [...this.ids].map((id) => `endpoint:${id}`);
  }

  /** What webhooks to an endpoint are signed with; undefined where WEBHOOK_KEY does not decrypt it. */
  secretsOf(id: number, stored: StoredSecrets): Buffer[] | undefined {
    try {
      const secrets = decryptSecrets(stored, this.parts.key);
      this.ids.delete(id);
      return secrets;
    } catch {
      this.add(id);
      return undefined;
    }
  }

  /**
   * Looks at all endpoints before anything is delivered.
   *
   * @throws StartError where there are endpoints and the key decrypts none of them
   */
  async lookAtStart(): Promise<void> {
    const active = await this.read();
    const wrong = active.filter((endpoint) => !this.isDecryptable(endpoint)).map(({ id }) => id);
    if (wrong.length > 0 && wrong.length === active.length) throw wrongKey(wrong);
    for (const id of wrong) this.add(id);
  }

  /** Looks again every few seconds until `stop`. */
  async watch(stop: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(LOOK_EVERY, undefined, { signal: stop }).catch(() => undefined);
      if (stop.aborted) return;
      // While the database is away the relay says so.
      const active = await this.read().catch(() => undefined);
      if (active === undefined) continue;
      const removed = new Set(this.ids);
      for (const endpoint of active) {
        this.secretsOf(endpoint.id, endpoint);
        removed.delete(endpoint.id);
      }
      for (const id of removed) this.ids.delete(id);
    }
  }

  private async read(): Promise<({ id: number } & StoredSecrets)[]> {
    return (await this.parts.pool.query<{ id: number } & StoredSecrets>(ACTIVE_SECRETS)).rows;
  }

  private isDecryptable(stored: StoredSecrets): boolean {
    try {
      decryptSecrets(stored, this.parts.key);
      return true;
    } catch {
      return false;
    }
  }

  private add(id: number): void {
    if (this.ids.has(id)) return;
    this.ids.add(id);
    this.parts.logger.error(
      { context: 'Webhooks', endpoint_id: id },
      `WEBHOOK_KEY does not decrypt the secret of this endpoint, so that nothing is attempted. ${remedyFor(String(id))}`,
    );
  }
}

function wrongKey(ids: readonly number[]): StartError {
  const named = ids.slice(0, NAMED).join(', ') + (ids.length > NAMED ? ' and others' : '');
  return new StartError(
    `WEBHOOK_KEY does not decrypt the secret of any webhook endpoint (${named}). Nothing was attempted. ${remedyFor('ID')}`,
  );
}

const remedyFor = (id: string) =>
  'Set the key that was there when the endpoint was added or its secret rotated ' +
  '(of the embedded database: the file webhook.key). ' +
  `If that key is lost, run "webhooks rotate ${id} --now" and give the receiver the new secret.`;
