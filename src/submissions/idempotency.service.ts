import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database.js';
import { type Executor, statement } from '../database/statement.js';
import { idempotentRequestRunning, invalid } from '../http/problems.js';

const SWEEP_EVERY = 10 * 60_000;

const LOCK_KEY = statement(
  'idempotency.lock',
  'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked',
);

const FIND_ANSWER = statement(
  'idempotency.find',
  'select request_hash, answer from idempotency_keys where user_id = $1 and key = $2 and expires_at > now()',
);

const REMEMBER_ANSWER = statement(
  'idempotency.remember',
  `insert into idempotency_keys (user_id, key, request_hash, answer, expires_at)
   values ($1, $2, $3, $4, now() + interval '24 hours')
   on conflict (user_id, key) do update
     set request_hash = excluded.request_hash, answer = excluded.answer, expires_at = excluded.expires_at`,
);

const FORGET_EXPIRED = statement(
  'idempotency.sweep',
  'delete from idempotency_keys where expires_at <= now()',
);

/** What an `Idempotency-Key` stands for. */
export interface IdempotentRequest {
  readonly userId: number;
  /** Undefined: the request carries no key and is carried out whenever it comes. */
  readonly key: string | undefined;
  /** What is asked for; the same key with anything else is refused. */
  readonly operation: readonly string[];
}

/** Double delivery (S10): carries a request out once, and gives its answer again when it is sent again. */
@Injectable()
export class IdempotencyService implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('Idempotency');
  private sweeper: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  onModuleInit(): void {
    this.sweeper = setInterval(() => void this.sweep(), SWEEP_EVERY).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.sweeper);
  }

  /** The answer must survive JSON. A refusal is thrown by `carryOut` and not remembered. */
  async once<Answer>(
    { userId, key, operation }: IdempotentRequest,
    carryOut: (executor: Executor) => Promise<Answer>,
  ): Promise<Answer> {
    if (key === undefined) return carryOut(this.database);
    const requestHash = createHash('sha256').update(JSON.stringify(operation)).digest();
    return this.database.transaction(async (executor) => {
      const [lock] = await executor.query<{ locked: boolean }>(LOCK_KEY, [`idempotency ${userId} ${key}`]);
      if (!lock?.locked) throw idempotentRequestRunning();

      const [first] = await executor.query<{ request_hash: Buffer; answer: Answer }>(FIND_ANSWER, [
        userId,
        key,
      ]);
      if (first !== undefined) {
        if (!first.request_hash.equals(requestHash)) {
          throw invalid({ 'Idempotency-Key': ['The Idempotency-Key was used for another request.'] });
        }
        return first.answer;
      }

      const answer = await carryOut(executor);
      await executor.query(REMEMBER_ANSWER, [userId, key, requestHash, JSON.stringify(answer)]);
      return answer;
    });
  }

  private async sweep(): Promise<void> {
    try {
      await this.database.query(FORGET_EXPIRED);
    } catch (error) {
      this.logger.warn(`expired keys were not deleted, will try again: ${(error as Error).message}`);
    }
  }
}
