import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Environment } from '../../config/environment.js';
import { Database } from '../../database/database.js';
import type { Executor } from '../../database/statement.js';
import { fieldError } from '../../http/errors/problems.js';
import { STORAGE_KINDS, type StorageKind } from '../entities/user-storage.js';
import { FIND_USER_STORAGE, MERGE_USER_STORAGE, MERGED_AT_ONCE } from './user-storage.statements.js';

const MAX_REMEMBERED_USERS = 10_000;
/** Milliseconds after which an instance forgets a user who stores nothing. */
const REMEMBERED_FOR = 3_600_000;
/** Rows of a user that are merged when a call sees more of them. */
const MAX_CHANGES = 64;
/** Maximum bytes that an instance stores for a user between two checks: as many as a single call may hold (V9). */
const MAX_UNCHECKED = 2 ** 20;
/** Each unchecked call counts as at least so many bytes, because it adds a row to the user's total, however little it stores. */
const MIN_UNCHECKED = 2 ** 10;
/**
 * Calls in flight on other instances are not in the total yet. A call therefore needs room for its own instance's calls this many
 * times, so that this many instances together exceed the limit by no more than one call on each.
 */
const INSTANCES = 16;
/** The fraction of a limit above which a user is reported. */
const NEAR = 0.8;

const forEachKind = <Result>(of: (kind: StorageKind) => Result) =>
  Object.fromEntries(STORAGE_KINDS.map((kind) => [kind, of(kind)])) as Record<StorageKind, Result>;

/** Counts of this instance for one user. */
class RememberedUser {
  /** Calls in flight, in the order of their arrival. */
  readonly calls = new Set<TextReservation>();
  /** Bytes of all calls until now. */
  arrived = 0;
  /** Bytes that calls may store without a check. */
  unchecked = 0;
  isMerging = false;
  /** Bytes at the last check. */
  readonly stored: Record<StorageKind, number> = forEachKind(() => 0);
}

/** The result of a check. */
interface CheckResult {
  readonly stored: number;
  readonly changes: number;
}

/** The bytes of a call that stores text, until its transaction has ended. */
export class TextReservation {
  private readonly isChecked: boolean;
  /** Bytes of calls that had ended when the check began. The check includes them. */
  private ended = 0;

  constructor(
    private readonly service: UserStorageService,
    private readonly userId: number,
    private readonly user: RememberedUser,
    private readonly bytes: number,
    private readonly limit: number,
  ) {
    const cost = Math.max(bytes, MIN_UNCHECKED);
    this.isChecked = cost > user.unchecked;
    user.unchecked = this.isChecked ? 0 : user.unchecked - cost;
    user.arrived += bytes;
    user.calls.add(this);
  }

  /** The bytes that the user may have stored, so that the statement stores this call. Null: not checked. */
  mostStored(): number | null {
    if (!this.isChecked) return null;
    let earlier = 0;
    let all = 0;
    for (const call of this.user.calls) {
      if (call === this) earlier = all;
      all += call.bytes;
    }
    this.ended = this.user.arrived - all;
    return this.limit - this.bytes - INSTANCES * earlier;
  }

  /** Learns from the check of the statement that has stored this call. */
  learn({ stored, changes }: CheckResult): void {
    if (!this.isChecked) return;
    const free = this.limit - stored - (this.user.arrived - this.ended);
    this.user.unchecked = Math.min(Math.max(free, 0) / INSTANCES, MAX_UNCHECKED);
    this.service.note(this.userId, this.user, 'text', stored + this.bytes, changes);
  }

  /** Whether there is no room, even if no other call is in flight. */
  async isTooMuch(executor: Executor): Promise<boolean> {
    if (!this.isChecked) return false;
    const [total] = await executor.query(FIND_USER_STORAGE, [this.userId]);
    const { text = 0, changes = 0 } = total ?? {};
    this.service.note(this.userId, this.user, 'text', text, changes);
    return text + this.bytes > this.limit;
  }

  release(): void {
    this.user.calls.delete(this);
  }
}

/**
 * Limits what a user stores in all submissions (V9, P6). Triggers keep the totals in the table `user_storage`, so a check reads a
 * few rows. Everything but text is counted under a lock of the user. Text is not, so that writes to different submissions never wait
 * for each other: the storing statement compares the committed total, and this class adds the calls that are in flight on this instance.
 * A user far below the limit is checked once for each {@link MAX_UNCHECKED} bytes.
 */
@Injectable()
export class UserStorageService {
  private readonly logger = new Logger(UserStorageService.name);
  private readonly users = new LRUCache<number, RememberedUser>({
    max: MAX_REMEMBERED_USERS,
    ttl: REMEMBERED_FOR,
    updateAgeOnGet: true,
  });
  private readonly limits: Readonly<Record<StorageKind, number>>;

  constructor(
    private readonly database: Database,
    { userStorage: { values: text, ...others } }: Environment,
  ) {
    const limits: Readonly<Record<StorageKind, number>> = { text, ...others };
    this.limits = forEachKind((kind) => limits[kind] || Infinity);
  }

  /** Reserves bytes that a call is about to store. Undefined: there is no limit. */
  reserveText(userId: number, bytes: number): TextReservation | undefined {
    const limit = this.limits.text;
    // Triggers count what is stored.
    if (limit === Infinity || bytes === 0 || !this.database.isOneServer) return undefined;
    return new TextReservation(this, userId, this.remembered(userId), bytes, limit);
  }

  tooMuchTextError() {
    const max = this.limits.text;
    return fieldError(
      'too_much_stored',
      `All submissions of this user must not hold more than ${max} bytes of values. Delete drafts to make room.`,
      { max },
    );
  }

  /**
   * Returns the limit that a user who is locked (see `LOCK_USER`) would exceed with `bytes` more of this kind. Undefined: the user has
   * room.
   *
   * @param maxOfUser a lower limit of this user, or `Infinity`
   */
  async exceeded(
    executor: Executor,
    kind: Exclude<StorageKind, 'text'>,
    userId: number,
    bytes: number,
    maxOfUser: number,
  ): Promise<number | undefined> {
    const limit = Math.min(this.limits[kind], maxOfUser);
    if (limit === Infinity) return undefined;
    const [total] = await executor.query(FIND_USER_STORAGE, [userId]);
    const { [kind]: stored = 0, changes = 0 } = total ?? {};
    const isTooMuch = stored + bytes > limit;
    this.note(userId, this.remembered(userId), kind, isTooMuch ? stored : stored + bytes, changes);
    return isTooMuch ? limit : undefined;
  }

  /** The number of users that this instance has lately checked and who are near a limit, by kind. */
  near(): Record<StorageKind, number> {
    const users = [...this.users.values()];
    return forEachKind((kind) => users.filter(({ stored }) => this.isNear(kind, stored[kind])).length);
  }

  note(userId: number, user: RememberedUser, kind: StorageKind, bytes: number, changes: number): void {
    if (this.isNear(kind, bytes) && !this.isNear(kind, user.stored[kind])) {
      this.logger.warn({
        userId,
        kind,
        bytes,
        msg: `A user stores more than ${NEAR * 100} % of what USER_STORAGE allows. At 100 % the service rejects requests of the user. Raise USER_STORAGE, or delete submissions of the user.`,
      });
    }
    user.stored[kind] = bytes;
    // Nobody waits for the merge, because a transaction that waits for a second connection could wait for itself.
    if (changes > MAX_CHANGES && !user.isMerging) void this.merge(userId, user);
  }

  private isNear(kind: StorageKind, bytes: number): boolean {
    return bytes > NEAR * this.limits[kind];
  }

  private remembered(userId: number): RememberedUser {
    let user = this.users.get(userId);
    if (user === undefined) this.users.set(userId, (user = new RememberedUser()));
    return user;
  }

  private async merge(userId: number, user: RememberedUser): Promise<void> {
    user.isMerging = true;
    try {
      let merged = MERGED_AT_ONCE;
      while (merged === MERGED_AT_ONCE) {
        const [row] = await this.database.query(MERGE_USER_STORAGE, [userId]);
        merged = row?.changes ?? 0;
      }
    } catch (error) {
      this.logger.warn({
        err: error,
        msg: "The rows of a user's total could not be merged. A later call merges them; check the database if this lasts.",
      });
    } finally {
      user.isMerging = false;
    }
  }
}
