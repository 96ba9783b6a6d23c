import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { StartError } from '../../config/start-error.js';
import { repeat } from '../../process/repeat.js';
import { decryptSecrets, type StoredSecrets } from './secret.js';
import { ACTIVE_SECRETS } from './webhook.statements.js';

/** Milliseconds between checks, because operators add endpoints and replace secrets while the process runs. */
const CHECK_INTERVAL = 5_000;

/** Maximum number of endpoints that a message names. */
const MAX_NAMED = 10;

interface UndecryptableDependencies {
  readonly pool: Pool;
  readonly key: Buffer;
  readonly logger: Logger;
}

/**
 * Endpoints whose secrets WEBHOOK_KEY does not decrypt. A wrong key is the operator's mistake, not the
 * receiver's, so no attempt is made or counted. The deliveries stay due until the key is corrected, or until a
 * process with the right key delivers them.
 */
export class UndecryptableEndpoints {
  readonly ids = new Set<number>();

  constructor(private readonly dependencies: UndecryptableDependencies) {}

  get count(): number {
    return this.ids.size;
  }

  /** Returns the secrets that sign webhooks to an endpoint, or undefined if WEBHOOK_KEY does not decrypt them. */
  secretsOf(id: number, stored: StoredSecrets): Buffer[] | undefined {
    try {
      const secrets = decryptSecrets(stored, this.dependencies.key);
      this.ids.delete(id);
      return secrets;
    } catch {
      this.add(id);
      return undefined;
    }
  }

  /**
   * Checks all endpoints before any delivery.
   *
   * @throws StartError if there are endpoints and the key decrypts none of them
   */
  async checkAtStart(): Promise<void> {
    const active = await this.read();
    const wrong = active.filter((endpoint) => !this.isDecryptable(endpoint)).map(({ id }) => id);
    if (wrong.length > 0 && wrong.length === active.length) throw wrongKey(wrong);
    for (const id of wrong) this.add(id);
  }

  /**
   * Checks all endpoints every few seconds until `stop` aborts. If the database is
   * unavailable, the relay logs the error.
   */
  watch(stop: AbortSignal): Promise<void> {
    return repeat(CHECK_INTERVAL, () => this.check(), stop);
  }

  private async check(): Promise<void> {
    const removed = new Set(this.ids);
    for (const endpoint of await this.read()) {
      this.secretsOf(endpoint.id, endpoint);
      removed.delete(endpoint.id);
    }
    for (const id of removed) this.ids.delete(id);
  }

  private async read(): Promise<({ id: number } & StoredSecrets)[]> {
    return (await this.dependencies.pool.query<{ id: number } & StoredSecrets>(ACTIVE_SECRETS)).rows;
  }

  private isDecryptable(stored: StoredSecrets): boolean {
    try {
      decryptSecrets(stored, this.dependencies.key);
      return true;
    } catch {
      return false;
    }
  }

  private add(id: number): void {
    if (this.ids.has(id)) return;
    this.ids.add(id);
    this.dependencies.logger.error(
      { context: 'Webhooks', endpoint_id: id },
      `WEBHOOK_KEY does not decrypt the secret of this endpoint, so no delivery to it is attempted. ${remedyFor(String(id))}`,
    );
  }
}

function wrongKey(ids: readonly number[]): StartError {
  const named = ids.slice(0, MAX_NAMED).join(', ') + (ids.length > MAX_NAMED ? ' and others' : '');
  return new StartError(
    `WEBHOOK_KEY does not decrypt the secret of any webhook endpoint (${named}). No delivery was attempted. ${remedyFor('ID')}`,
  );
}

const remedyFor = (id: string) =>
  'Set the key that was in use when the endpoint was added or its secret was rotated ' +
  '(with the embedded database: the file webhook.key). ' +
  `If that key is lost, run "webhooks rotate ${id} --now" and give the receiver the new secret.`;
