import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAcknowledged, Load, type LoadRequest, type Outcome } from './load.js';
import type { Use } from './use-service.js';

/** Milliseconds before a client retries a rejected request. Without a pause, the clients would use up the processor. */
const PAUSE = 25;

interface Draft {
  readonly key: string;
  readonly value: string;
  /** Undefined until the submission is created. */
  uuid?: string;
}

interface Stored {
  /** Null until a value is stored. */
  readonly value: string | null;
  readonly step: number;
}

/**
 * Clients that create submissions of two steps, store a value in each submission, and advance it. Each creation and
 * each advance has its own Idempotency-Key. The clients retry requests that are not acknowledged.
 */
export class Writers {
  /** The number of acknowledged writes. */
  acknowledged = 0;
  /** The acknowledged state by submission UUID. */
  private readonly stored = new Map<string, Stored>();
  private readonly drafts: Draft[];
  private isFinishing = false;
  private isHalted = false;

  constructor(
    private readonly use: Use,
    private readonly clients: number,
    private readonly bytesOfValue = 10,
  ) {
    this.drafts = Array.from({ length: clients }, () => this.newDraft());
  }

  /** Starts the clients, or continues after `halt` or `finish`. A function `url` is called for each request. */
  start(url: string | (() => string)): Load {
    this.isFinishing = false;
    this.isHalted = false;
    return new Load({
      url,
      plainToken: this.use.plainToken,
      clients: this.clients,
      next: (client, _, last) => this.next(client, last),
    });
  }

  /** Sends no new requests, but retries the current ones until they are acknowledged. */
  finish(): void {
    this.isFinishing = true;
  }

  /** Sends nothing more, not even retries. */
  halt(): void {
    this.isHalted = true;
  }

  /** Expects that every acknowledged write is stored exactly once. Call this after all clients have finished. */
  async expectAllStoredOnce(dataSource = this.use.database.dataSource): Promise<void> {
    const stored = await dataSource.query<({ uuid: string } & Stored)[]>(
      'select uuid, value, current_step as step from submissions left join submission_values on submission_uuid = uuid',
    );
    expect(stored.length).toBe(this.stored.size);
    const wrong = stored.filter(({ uuid, value, step }) => {
      const acknowledged = this.stored.get(uuid);
      return acknowledged?.value !== value || acknowledged.step !== step;
    });
    expect(wrong.slice(0, 3)).toEqual([]);
  }

  private async next(client: number, last: Outcome | undefined): Promise<LoadRequest | undefined> {
    if (last !== undefined && isAcknowledged(last)) {
      this.remember(client, last);
      if (this.isFinishing) return undefined;
    } else if (last !== undefined && !this.isHalted) {
      await sleep(PAUSE);
    }
    return this.isHalted ? undefined : this.write(this.drafts[client]!);
  }

  private remember(client: number, { body }: Outcome): void {
    this.acknowledged += 1;
    const draft = this.drafts[client]!;
    draft.uuid ??= body.data.uuid as string;
    const { uuid, value } = draft;
    const before = this.stored.get(uuid);
    if (before === undefined) this.stored.set(uuid, { value: null, step: 1 });
    else if (before.value === null) this.stored.set(uuid, { value, step: 1 });
    else {
      this.stored.set(uuid, { value, step: 2 });
      this.drafts[client] = this.newDraft();
    }
  }

  private write({ key, value, uuid }: Draft): LoadRequest {
    const method = 'POST';
    if (uuid === undefined) {
      const body = { form_uuid: this.use.built.form.uuid };
      return { method, path: '/api/v1/submissions', body, headers: { 'Idempotency-Key': key } };
    }
    const path = `/api/v1/submissions/${uuid}`;
    if (this.stored.get(uuid)?.value === null) {
      return { method, path: `${path}/values`, body: { values: [{ field_code: 'name', value }] } };
    }
    return { method, path: `${path}/advance`, headers: { 'Idempotency-Key': `${key} advance` } };
  }

  private newDraft(): Draft {
    return { key: randomUUID(), value: randomBytes(this.bytesOfValue).toString('base64') };
  }
}
