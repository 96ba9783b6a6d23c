import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { isWorkerLost, isWorkerUnreached } from '../database-errors.js';
import { statement } from '../statement.js';
import type { Shards } from './shards.js';

/** Milliseconds between two questions whether a lost worker answers again. */
const ASK_EVERY = 1_000;

/** Asks the worker that has the submission. The answer does not matter. */
export const ASK_WORKER = statement('submissions.ask_worker', 'select from submissions where uuid = $1', {});

interface Options {
  /** Undefined on one server. Shards move, so this is asked each time. */
  readonly shards: () => Shards | undefined;
  /** Rejects while the worker that has this submission does not answer. */
  readonly ask: (uuid: string) => Promise<unknown>;
}

/** The workers of Citus that did not answer. New submissions go to other workers until they answer again. */
export class LostWorkers {
  /** A submission of each lost worker. */
  private readonly uuids = new Set<string>();
  private readonly closing = new AbortController();

  constructor(private readonly options: Options) {}

  /** Where a new submission lies at a worker that answers. If none does, any worker will do. */
  newUuid(): string {
    return this.uuidElsewhere() ?? uuidV7();
  }

  /** Whether a new submission that failed with this error was certainly not created, and another worker may take it. */
  mayCreateElsewhere(error: unknown): boolean {
    return isWorkerUnreached(error) && this.uuidElsewhere() !== undefined;
  }

  /** Takes note if the error says that the worker of this submission did not answer. */
  note(error: unknown, uuid: string): void {
    if (!isWorkerLost(error) || this.has(this.options.shards()?.workerOf(uuid))) return;
    this.uuids.add(uuid);
    void this.askUntilAnswered(uuid);
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

  private async askUntilAnswered(uuid: string): Promise<void> {
    const { signal } = this.closing;
    try {
      while (!signal.aborted) {
        await sleep(ASK_EVERY, undefined, { ref: false, signal });
        if (await this.answers(uuid)) break;
      }
    } catch {
      // The service is being closed.
    }
    this.uuids.delete(uuid);
  }

  private answers(uuid: string): Promise<boolean> {
    return this.options.ask(uuid).then(
      () => true,
      () => false,
    );
  }
}
