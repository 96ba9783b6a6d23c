import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database.js';
import { bytes, type Executor, integer, json, statement, text } from '../database/statement.js';
import { idempotentRequestRunning, invalid } from '../http/problems.js';

const KEY = /^[\x20-\x7e]{1,255}$/;

const SWEEP_EVERY = 10 * 60_000;

/**
 * Takes the key, by its primary key, unless it was used within 24 hours. The lock is for whoever finds it taken by a
 * request that is still running: instead of waiting for its end they write nothing, and are told so (409).
 */
const CLAIM_KEY = statement(
  'idempotency.claim',
  `insert into idempotency_keys (user_id, key, request_hash, answer, expires_at)
   select $1, $2, $3, 'null', now() + interval '24 hours'
    where pg_try_advisory_xact_lock(hashtextextended($4, 0))
   on conflict (user_id, key) do update
     set request_hash = excluded.request_hash, answer = excluded.answer, expires_at = excluded.expires_at
     where idempotency_keys.expires_at <= now()
   returning key`,
  { key: text },
);

const FIND_ANSWER = statement(
  'idempotency.find',
  'select request_hash, answer from idempotency_keys where user_id = $1 and key = $2 and expires_at > now()',
  { request_hash: bytes, answer: json<unknown>() },
);

const REMEMBER_ANSWER = statement(
  'idempotency.remember',
  'update idempotency_keys set answer = $3 where user_id = $1 and key = $2',
  {},
);

const SWEEP_BATCH = 5_000;

/** In batches that take no longer than any other statement, and that instances which sweep at once share. */
const FORGET_EXPIRED = statement(
  'idempotency.sweep',
  `with expired as (
     select ctid from idempotency_keys where expires_at <= now()
      order by expires_at limit $1 for update skip locked
   ), forgotten as (
     delete from idempotency_keys where ctid = any (array(select ctid from expired)) returning 1
   )
   select count(*) from forgotten`,
  { count: integer },
);

/** What an `Idempotency-Key` stands for. */
export interface IdempotentRequest {
  readonly userId: number;
  /** Undefined: the request carries no key and is carried out whenever it comes. */
  readonly key: string | undefined;
  /** What is asked for; the same key with anything else is refused. */
  readonly operation: readonly string[];
  /** The row that it locks, if it locks one that is there already. */
  readonly row?: string;
}

/** Double delivery (S10): carries a request out once, and gives its answer again when it is sent again. */
@Injectable()
export class IdempotencyService implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('Idempotency');
  private readonly running = new Set<string>();
  private sweeper: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  onModuleInit(): void {
    this.sweeper = setInterval(() => void this.sweep(), SWEEP_EVERY).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.sweeper);
  }

  /**
   * The answer must survive JSON. A refusal is thrown by `carryOut` and not remembered.
   *
   * @throws Problem 422 for a key that cannot be used
   */
  async once<Answer>(
    request: IdempotentRequest,
    carryOut: (executor: Executor) => Promise<Answer>,
  ): Promise<Answer> {
    if (request.key === undefined) return carryOut(this.database);
    if (!KEY.test(request.key)) {
      throw invalid({
        'Idempotency-Key': ['The Idempotency-Key must have 1 to 255 printable ASCII characters.'],
      });
    }
    return this.carryOutOnce(request, request.key, carryOut);
  }

  private async carryOutOnce<Answer>(
    { userId, operation, row }: IdempotentRequest,
    key: string,
    carryOut: (executor: Executor) => Promise<Answer>,
  ): Promise<Answer> {
    const requestHash = createHash('sha256').update(JSON.stringify(operation)).digest();
    const lockName = `idempotency ${userId} ${key}`;
    const claimAndCarryOut = async (executor: Executor) => {
      const [claimed] = await executor.query(CLAIM_KEY, [userId, key, requestHash, lockName]);
      if (claimed === undefined) return this.firstAnswer<Answer>(executor, userId, key, requestHash);
      const answer = await carryOut(executor);
      await executor.query(REMEMBER_ANSWER, [userId, key, JSON.stringify(answer)]);
      return answer;
    };
    // Sent again while it runs, it will not get as far as the row, and need not wait for its turn to be told so.
    if (this.running.has(lockName)) return this.database.transaction(claimAndCarryOut);
    this.running.add(lockName);
    try {
      return await this.database.transaction(claimAndCarryOut, row);
    } finally {
      this.running.delete(lockName);
    }
  }

  /** Until the first request has committed there is nothing to be found. */
  private async firstAnswer<Answer>(
    executor: Executor,
    userId: number,
    key: string,
    requestHash: Buffer,
  ): Promise<Answer> {
    const [first] = await executor.query(FIND_ANSWER, [userId, key]);
    if (first === undefined) throw idempotentRequestRunning();
    if (!first.request_hash.equals(requestHash)) {
      throw invalid({ 'Idempotency-Key': ['The Idempotency-Key was used for another request.'] });
    }
    return first.answer as Answer;
  }

  private async sweep(): Promise<void> {
    try {
      await this.forgetExpired();
    } catch (error) {
      this.logger.warn(`expired keys were not deleted, will try again: ${(error as Error).message}`);
    }
  }

  /** Deletes all keys that are older than 24 hours. */
  async forgetExpired(): Promise<void> {
    let forgotten = SWEEP_BATCH;
    while (forgotten === SWEEP_BATCH) {
      const [batch] = await this.database.query(FORGET_EXPIRED, [SWEEP_BATCH]);
      forgotten = batch?.count ?? 0;
    }
  }
}
