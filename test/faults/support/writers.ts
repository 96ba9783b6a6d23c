import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAcknowledged, Load, type LoadRequest, type Outcome } from './load.js';
import type { Use } from './use-service.js';

/** Milliseconds until a client sends again what was refused: without it the clients would take the whole machine. */
const PAUSE = 25;

interface Draft {
  readonly key: string;
  readonly value: string;
  /** Once it has been begun. */
  uuid?: string;
}

interface Stored {
  /** Null before there is one. */
  readonly value: string | null;
  readonly step: number;
}

/**
 * Clients that begin submissions of two steps, store a value in each, and advance. They begin and advance with an
 * Idempotency-Key of its own each. What is not acknowledged they send again as it was.
 */
export class Writers {
  /** How many writes have been acknowledged. */
  acknowledged = 0;
  /** What has been acknowledged, by submission. */
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

  /** Goes on where it was halted or finished. `url` as a function is asked for each request. */
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

  /** Nothing new is sent any more; what is under way is sent again until it is acknowledged. */
  finish(): void {
    this.isFinishing = true;
  }

  /** Nothing is sent any more, not even again. */
  halt(): void {
    this.isHalted = true;
  }

  /** After all have finished: nothing that was acknowledged is missing, and nothing is there twice. */
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
