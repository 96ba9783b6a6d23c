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

/**
 * Clients that begin submissions, each with an Idempotency-Key of its own, and store a value in each. What is not
 * acknowledged they send again as it was.
 */
export class Writers {
  /** How many writes have been acknowledged. */
  acknowledged = 0;
  /** What has been acknowledged: the value of each submission, null before there is one. */
  private readonly values = new Map<string, string | null>();
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

  /** Goes on where it was halted or finished. */
  start(url: string): Load {
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
    const stored = await dataSource.query<{ uuid: string; value: string | null }[]>(
      'select uuid, value from submissions left join submission_values on submission_uuid = uuid',
    );
    expect(stored.length).toBe(this.values.size);
    const wrong = stored.filter(({ uuid, value }) => this.values.get(uuid) !== value);
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
    if (draft.uuid === undefined) {
      draft.uuid = body.data.uuid as string;
      this.values.set(draft.uuid, null);
    } else {
      this.values.set(draft.uuid, draft.value);
      this.drafts[client] = this.newDraft();
    }
  }

  private write({ key, value, uuid }: Draft): LoadRequest {
    const method = 'POST';
    if (uuid === undefined) {
      const body = { form_uuid: this.use.built.form.uuid };
      return { method, path: '/api/v1/submissions', body, headers: { 'Idempotency-Key': key } };
    }
    const body = { values: [{ field_code: 'name', value }] };
    return { method, path: `/api/v1/submissions/${uuid}/values`, body };
  }

  private newDraft(): Draft {
    return { key: randomUUID(), value: randomBytes(this.bytesOfValue).toString('base64') };
  }
}
