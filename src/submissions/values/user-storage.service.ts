import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Environment } from '../../config/environment.js';
import { Database } from '../../database/database.js';
import type { Statement } from '../../database/statement.js';
import { invalid, fieldError } from '../../http/errors/problems.js';
import { BOUND_OF_USER, BYTES_OF_USER } from './stored-size.statements.js';

const CACHED_USERS = 10_000;
/** Milliseconds after which a count expires, because other instances store values too. */
const COUNT_LASTS = 60_000;
/** Fraction of the remaining space that this instance may fill before it counts again. */
const STORED_BEFORE_COUNT = 1 / 8;

interface Counted {
  bytes: number;
  /** The time of the count, as `performance.now()`. */
  at: number;
  /** Bytes that this instance has stored since the count. */
  since: number;
  isCounting: boolean;
}

/**
 * Limits the bytes of all values of a user (V9). Counts the bytes in the background if the last count is old,
 * or if this instance has stored much since then. A request waits for a count only if the user may be at the
 * limit. Other instances may store values between two counts, so each instance can exceed the limit by about an
 * eighth of the space that remained.
 */
@Injectable()
export class UserStorageService {
  private readonly logger = new Logger(UserStorageService.name);
  private readonly counted = new LRUCache<number, Counted>({ max: CACHED_USERS });
  private readonly limit: number;

  constructor(
    private readonly database: Database,
    environment: Environment,
  ) {
    this.limit = environment.userStorage.values;
  }

  /**
   * Adds bytes that are about to be stored. Returns a promise only if the stored bytes must be counted first.
   *
   * @throws Problem 422 under `values` if the user would exceed the limit
   */
  addText(userId: number, bytes: number): void | Promise<void> {
    if (this.limit === 0 || bytes === 0) return undefined;
    const known = this.knownOf(userId);
    if (known.bytes + known.since + bytes > this.limit) return this.countFirst(userId, bytes);
    known.since += bytes;
    const isOld = performance.now() - known.at > COUNT_LASTS;
    const isMuch = known.since > (this.limit - known.bytes) * STORED_BEFORE_COUNT;
    if ((isOld || isMuch) && !known.isCounting) {
      // The added bytes are not stored yet, so the count cannot include them.
      this.count(userId, BOUND_OF_USER, known.since - bytes).catch((error: unknown) => {
        this.logger.warn({
          err: error,
          msg: "A user's stored values could not be counted. The next write counts them again; check the database if this lasts.",
        });
      });
    }
    return undefined;
  }

  private async countFirst(userId: number, bytes: number): Promise<void> {
    const known = this.knownOf(userId);
    await this.count(userId, BOUND_OF_USER, known.since);
    // The bound may include replaced values. The exact count takes longer, and is never larger than the bound.
    if (known.bytes + known.since + bytes > this.limit) await this.count(userId, BYTES_OF_USER, known.since);
    if (known.bytes + known.since + bytes > this.limit)
      throw invalid({ values: [tooMuchStored(this.limit)] });
    known.since += bytes;
  }

  /** `counted` is the part of `since` that this count will include. */
  private async count(
    userId: number,
    statement: Statement<{ readonly bytes: number }>,
    counted: number,
  ): Promise<void> {
    const known = this.knownOf(userId);
    known.isCounting = true;
    try {
      const [row] = await this.database.query(statement, [userId]);
      Object.assign(known, {
        bytes: row?.bytes ?? 0,
        at: performance.now(),
        since: Math.max(known.since - counted, 0),
      });
    } finally {
      known.isCounting = false;
    }
  }

  private knownOf(userId: number): Counted {
    let known = this.counted.get(userId);
    if (known === undefined) {
      known = { bytes: 0, at: performance.now(), since: 0, isCounting: false };
      this.counted.set(userId, known);
    }
    return known;
  }
}

const tooMuchStored = (max: number) =>
  fieldError(
    'too_much_stored',
    `All submissions of this user must not hold more than ${max} bytes of values. Delete drafts to make room.`,
    { max },
  );
