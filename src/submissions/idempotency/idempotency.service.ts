import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { isForeignKeyViolation } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import {
  idempotentRequestRunning,
  invalid,
  fieldError,
  unauthenticated,
} from '../../http/errors/problems.js';
import { CLAIM_KEY, DELETE_EXPIRED, FIND_RESPONSE, STORE_RESPONSE } from './idempotency.statements.js';

const KEY = /^[\x20-\x7e]{1,255}$/;

const SWEEP_EVERY = 10 * 60_000;

const SWEEP_BATCH = 5_000;

/** What an `Idempotency-Key` stands for. */
export interface IdempotentRequest {
  readonly userId: number;
  /** Undefined: the request carries no key and is executed whenever it comes. */
  readonly key: string | undefined;
  /** What is asked for; the same key with anything else is refused. */
  readonly operation: readonly string[];
  /** The row that it locks, if it locks one that is there already. */
  readonly row?: string;
}

/** Double delivery (S10): executes a request once, and gives its first response again when it is sent again. */
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
   * The response must survive JSON. A rejection is thrown by `execute` and not remembered.
   *
   * @throws Problem 422 for a key that cannot be used
   */
  async once<Response>(
    request: IdempotentRequest,
    execute: (executor: Executor) => Promise<Response>,
  ): Promise<Response> {
    return request.key === undefined
      ? execute(this.database)
      : this.executeOnce(request, request.key, execute);
  }

  /** The same for what takes several statements, also without a key. */
  async onceInTransaction<Response>(
    request: IdempotentRequest,
    execute: (executor: Executor) => Promise<Response>,
  ): Promise<Response> {
    return request.key === undefined
      ? this.database.transaction(execute, request.row)
      : this.executeOnce(request, request.key, execute);
  }

  private async executeOnce<Response>(
    { userId, operation, row }: IdempotentRequest,
    key: string,
    execute: (executor: Executor) => Promise<Response>,
  ): Promise<Response> {
    if (!KEY.test(key)) {
      const message = 'The Idempotency-Key must have 1 to 255 printable ASCII characters.';
      throw invalid({ 'Idempotency-Key': [fieldError('malformed_key', message, { max: 255 })] });
    }
    const requestHash = createHash('sha256').update(JSON.stringify(operation)).digest();
    const lockName = `idempotency ${userId} ${key}`;
    const claimAndExecute = async (executor: Executor) => {
      const [claimed] = await executor
        .query(CLAIM_KEY, [userId, key, requestHash, lockName])
        .catch(explainMissingUser);
      if (claimed === undefined) return this.firstResponse<Response>(executor, userId, key, requestHash);
      const response = await execute(executor);
      await executor.query(STORE_RESPONSE, [userId, key, JSON.stringify(response)]);
      return response;
    };
    // Sent again while it runs or waits for its row.
    if (this.running.has(lockName)) return this.firstResponse(this.database, userId, key, requestHash);
    this.running.add(lockName);
    try {
      return await this.database.transaction(claimAndExecute, row);
    } finally {
      this.running.delete(lockName);
    }
  }

  /** Until the first request has committed there is nothing to be found. */
  private async firstResponse<Response>(
    executor: Executor,
    userId: number,
    key: string,
    requestHash: Buffer,
  ): Promise<Response> {
    const [first] = await executor.query(FIND_RESPONSE, [userId, key]);
    if (first === undefined) throw idempotentRequestRunning();
    if (!first.request_hash.equals(requestHash)) {
      const message = 'The Idempotency-Key was used for another request.';
      throw invalid({ 'Idempotency-Key': [fieldError('key_used', message)] });
    }
    return first.answer as Response;
  }

  private async sweep(): Promise<void> {
    try {
      await this.deleteExpired();
    } catch (error) {
      this.logger.warn({
        reason: (error as Error).message,
        msg: 'Expired idempotency keys were not deleted. This is tried again in 10 minutes; check the database if it lasts.',
      });
    }
  }

  /** Deletes all keys that are older than 24 hours. */
  async deleteExpired(): Promise<void> {
    let forgotten = SWEEP_BATCH;
    while (forgotten === SWEEP_BATCH) {
      const [batch] = await this.database.query(DELETE_EXPIRED, [SWEEP_BATCH]);
      forgotten = batch?.count ?? 0;
    }
  }
}

/** Another program has just deleted the user, and the token with it. */
function explainMissingUser(error: unknown): never {
  throw isForeignKeyViolation(error) ? unauthenticated() : error;
}
