import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { StartError } from '../config/start-error.js';
import { repeat } from '../jobs/repeat.js';
import { decryptSecrets, type StoredSecrets } from './secret.js';
import { ACTIVE_SECRETS } from './webhook.statements.js';

/** Milliseconds. An endpoint may have been repaired, or added under another key. */
const LOOK_EVERY = 5_000;

/** Endpoints that a sentence names. */
const NAMED = 10;

interface UndecryptableDependencies {
  readonly pool: Pool;
  readonly key: Buffer;
  readonly logger: Logger;
}

/**
 * Endpoints whose secrets WEBHOOK_KEY does not decrypt. The operator has made a mistake, and the receiver has not: no attempt is
 * made or counted. The deliveries stay due until the mistake is mended, or until a process with the right key delivers them.
 */
export class UndecryptableEndpoints {
  private readonly ids = new Set<number>();

  constructor(private readonly dependencies: UndecryptableDependencies) {}

  get count(): number {
    return this.ids.size;
  }

  /** The flags of jobs that this process must leave in the queue. */
  get flags(): string[] {
    return [...this.ids].map((id) => `endpoint:${id}`);
  }

  /** The secrets that sign webhooks to an endpoint; undefined if WEBHOOK_KEY does not decrypt them. */
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
   * Looks at all endpoints before anything is delivered.
   *
   * @throws StartError if there are endpoints and the key decrypts none of them
   */
  async lookAtStart(): Promise<void> {
    const active = await this.read();
    const wrong = active.filter((endpoint) => !this.isDecryptable(endpoint)).map(({ id }) => id);
    if (wrong.length > 0 && wrong.length === active.length) throw wrongKey(wrong);
    for (const id of wrong) this.add(id);
  }

  /** Looks at all endpoints again every few seconds until `stop` aborts. If the database is away, the relay logs it. */
  watch(stop: AbortSignal): Promise<void> {
    return repeat(LOOK_EVERY, () => this.look(), stop);
  }

  private async look(): Promise<void> {
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
