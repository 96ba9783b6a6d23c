import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { isWorkerLost, isWorkerUnreached } from '../../database/database-errors.js';
import { statement } from '../../database/statement.js';
import type { Shards } from './shards.js';

/** Milliseconds between two probes of a lost worker. */
const PROBE_INTERVAL = 1_000;

/** Succeeds if the worker of the submission responds. The result does not matter. */
export const PROBE_WORKER = statement(
  'submissions.ask_worker',
  'select from submissions where uuid = $1',
  {},
);

interface Options {
  /** Returns the current shards, which may move. Undefined if there is one server. */
  readonly shards: () => Shards | undefined;
  /** Rejects if the worker of this submission does not respond. */
  readonly probe: (uuid: string) => Promise<unknown>;
}

/** Tracks workers of Citus that do not respond. Until they respond again, new submissions use other workers. */
export class LostWorkers {
  /** The UUID of one submission of each lost worker. Reading the submission probes the worker. */
  private readonly uuids = new Set<string>();
  private readonly closing = new AbortController();

  constructor(private readonly options: Options) {}

  /** Returns a UUID for a new submission, chosen so that its worker responds. If no worker responds, any worker is chosen. */
  newUuid(): string {
    return this.uuidElsewhere() ?? uuidV7();
  }

  /** Returns true if this error proves that the new submission was not created, and if another worker responds. */
  mayCreateElsewhere(error: unknown): boolean {
    return isWorkerUnreached(error) && this.uuidElsewhere() !== undefined;
  }

  /** Marks the worker of this submission as lost, if the error shows that it did not respond. */
  note(error: unknown, uuid: string): void {
    if (!isWorkerLost(error) || this.has(this.options.shards()?.workerOf(uuid))) return;
    this.uuids.add(uuid);
    void this.probeUntilResponse(uuid);
  }

  close(): void {
    this.closing.abort();
  }

  private uuidElsewhere(): string | undefined {
    return this.options.shards()?.uuidAt((worker) => !this.has(worker), uuidV7);
  }

  private has(worker: number | undefined): boolean {
    const shards = this.options.shards();
    for (const uuid of this.uuids) if (shards?.workerOf(uuid) === worker) return true;
    return false;
  }

  private async probeUntilResponse(uuid: string): Promise<void> {
    const { signal } = this.closing;
    try {
      while (!signal.aborted) {
        await sleep(PROBE_INTERVAL, undefined, { ref: false, signal });
        if (await this.responds(uuid)) break;
      }
    } catch {
      // The service is stopping.
    }
    this.uuids.delete(uuid);
  }

  private responds(uuid: string): Promise<boolean> {
    return this.options.probe(uuid).then(
      () => true,
      () => false,
    );
  }
}
