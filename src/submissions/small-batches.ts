import { setTimeout as sleep } from 'node:timers/promises';

/** Submissions that are read at once. Reading as many takes a few milliseconds. */
export const WINDOW = 5_000;

/** Most submissions of a transaction, and most values. Small, so that locks are short and an interruption loses little work. */
const MAX_SUBMISSIONS = 500;
const MAX_COST = 20_000;
const MIN_COST = 20;
/** Milliseconds that a transaction should take. Afterwards the next is larger or smaller. */
const TARGET = 60;
/** A pause is so many times as long as the work before it, so that other requests keep most of the database. */
const PAUSE = 2;

/** A submission that something must be done with. */
export interface FoundSubmission<Reason extends string> {
  readonly uuid: string;
  /** One more than the number of its values. */
  readonly cost: number;
  readonly reason: Reason;
}

/** The last submission of a window. */
interface End {
  readonly uuid: string;
  /** The number of submissions in the window. */
  readonly cost: number;
  readonly reason: 'end';
}

/**
 * SQL that reads a window of submissions after a UUID or null, the parameter `after`, in the order of UUIDs, and returns those for which `reason` is not
 * null. `reason` is SQL on the columns `columns` of the submissions for which `scope` holds.
 */
export const windowSql = (after: string, columns: string, scope: string, reason: string) => `
  with scanned as materialized (
    select uuid, coalesce(value_count, 100) + 1 as cost, ${columns} from submissions
     where ${scope} and (${after}::uuid is null or uuid > ${after}) order by uuid limit ${WINDOW}
  )
  select uuid, cost, reason from (select uuid, cost, ${reason} as reason from scanned) found where reason is not null
  union all
  select max(uuid::text collate "C")::uuid, count(*)::integer, 'end' from scanned having count(*) > 0`;

/**
 * Reads all submissions in windows, so that no statement takes long however many there are. `find` executes {@link windowSql}. `signal`
 * ends the reading between two windows.
 */
export async function* inWindows<Reason extends string>(
  find: (after: string | null) => Promise<readonly (FoundSubmission<Reason> | End)[]>,
  signal?: AbortSignal,
): AsyncGenerator<readonly FoundSubmission<Reason>[]> {
  let after: string | null = null;
  while (signal?.aborted !== true) {
    const startedAt = performance.now();
    const rows: readonly (FoundSubmission<Reason> | End)[] = await find(after);
    const end = rows.find((row): row is End => row.reason === 'end');
    const found = rows.filter((row): row is FoundSubmission<Reason> => row.reason !== 'end');
    if (found.length > 0) yield found;
    if (end === undefined || end.cost < WINDOW) return;
    after = end.uuid;
    if (found.length === 0) await sleep(performance.now() - startedAt);
  }
}

/** Divides work on many submissions into small transactions with pauses, as large as the database executes them in time. */
export class SmallBatches {
  private budget = 1_000;

  /** @param signal ends the work between two transactions */
  constructor(private readonly signal?: AbortSignal) {}

  /** Calls `work`, which runs a transaction, until all are done, or until it returns false. Returns whether all are done. */
  async run(
    found: readonly FoundSubmission<string>[],
    work: (uuids: readonly string[]) => Promise<boolean>,
  ): Promise<boolean> {
    for (let from = 0; from < found.length;) {
      if (this.signal?.aborted === true) return false;
      const batch = this.batchFrom(found, from);
      from += batch.length;
      const startedAt = performance.now();
      if (!(await work(batch.map(({ uuid }) => uuid)))) return false;
      const took = performance.now() - startedAt;
      const better = this.budget * Math.min(2, Math.max(0.25, TARGET / took));
      this.budget = Math.min(MAX_COST, Math.max(MIN_COST, better));
      await sleep(PAUSE * took, undefined, { signal: this.signal }).catch(() => undefined);
    }
    return true;
  }

  /** At least one submission. */
  private batchFrom(found: readonly FoundSubmission<string>[], from: number) {
    let cost = 0;
    let to = from;
    while (to < found.length && to - from < MAX_SUBMISSIONS) {
      cost += found[to]?.cost ?? 0;
      if (to > from && cost > this.budget) break;
      to += 1;
    }
    return found.slice(from, to);
  }
}
