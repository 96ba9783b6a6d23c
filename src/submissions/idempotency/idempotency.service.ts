import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../../auth/caller.decorator.js';
import { Database } from '../../database/database.js';
import { isForeignKeyViolation } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import {
  idempotentRequestRunningProblem,
  invalidDataProblem,
  fieldError,
  unauthenticatedProblem,
} from '../../http/errors/problems.js';
import { CLAIM_KEY, DELETE_EXPIRED, FIND_RESPONSE, STORE_RESPONSE } from './idempotency.statements.js';

const KEY = /^[\x20-\x7e]{1,255}$/;

/** Milliseconds between two deletions of expired keys. */
const SWEEP_EVERY = 10 * 60_000;

const SWEEP_BATCH = 5_000;

/** A request that may carry an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** Without a key, the request is always executed. */
  readonly caller: Caller;
  /** The operation and its arguments. The same key with another operation is rejected. */
  readonly operation: readonly string[];
  /** The row that the request writes to or locks, if any, for `Executor.retryWhileLocked`. */
  readonly row?: string | undefined;
}

/** Executes a request only once, and replays its response if the client sends the request again (S10). */
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
   * Executes the request or replays its response. The response must be serializable as JSON. Errors of `execute` are not stored.
   *
   * @throws Problem 422 if the key is malformed or was used for another request, 409 if the first request is still running
   */
  async once<Response>(
    request: IdempotentRequest,
    execute: (executor: Executor) => Promise<Response>,
  ): Promise<Response> {
    const { idempotencyKey } = request.caller;
    return idempotencyKey === undefined
      ? execute(this.database.forRequest(request.caller))
      : this.executeOnce(request, idempotencyKey, execute);
  }

  /** Like {@link once}, for an operation with several statements: uses a transaction even without a key. */
  async onceInTransaction<Response>(
    request: IdempotentRequest,
    execute: (executor: Executor) => Promise<Response>,
  ): Promise<Response> {
    const { idempotencyKey } = request.caller;
    return idempotencyKey === undefined
      ? this.database.forRequest(request.caller).transaction(execute, request.row)
      : this.executeOnce(request, idempotencyKey, execute);
  }

  private async executeOnce<Response>(
    { caller, operation, row }: IdempotentRequest,
    key: string,
    execute: (executor: Executor) => Promise<Response>,
  ): Promise<Response> {
    if (!KEY.test(key)) {
      const message = 'The Idempotency-Key must have 1 to 255 printable ASCII characters.';
      throw invalidDataProblem({ 'Idempotency-Key': [fieldError('malformed_key', message, { max: 255 })] });
    }
    const { userId } = caller;
    const database = this.database.forRequest(caller);
    const requestHash = createHash('sha256').update(JSON.stringify(operation)).digest();
    const lockName = `idempotency ${userId} ${key}`;
    const claimAndExecute = async (executor: Executor) => {
      const [claimed] = await executor
        .query(CLAIM_KEY, [userId, key, requestHash, lockName])
        .catch(explainMissingUser);
      if (claimed === undefined) return this.replayedResponse<Response>(executor, userId, key, requestHash);
      const response = await execute(executor);
      await executor.query(STORE_RESPONSE, [userId, key, JSON.stringify(response)]);
      return response;
    };
    // The client has sent the request again while the first request is still running.
    if (this.running.has(lockName)) return this.replayedResponse(database, userId, key, requestHash);
    this.running.add(lockName);
    try {
      return await database.transaction(claimAndExecute, row);
    } finally {
      this.running.delete(lockName);
    }
  }

  /** Returns the response of the first request. Throws 409 until the first request has committed. */
  private async replayedResponse<Response>(
    executor: Executor,
    userId: number,
    key: string,
    requestHash: Buffer,
  ): Promise<Response> {
    const [first] = await executor.query(FIND_RESPONSE, [userId, key]);
    if (first === undefined) throw idempotentRequestRunningProblem();
    if (!first.request_hash.equals(requestHash)) {
      const message = 'The Idempotency-Key was used for another request.';
      throw invalidDataProblem({ 'Idempotency-Key': [fieldError('key_used', message)] });
    }
    return first.response as Response;
  }

  private async sweep(): Promise<void> {
    try {
      await this.deleteExpired();
    } catch (error) {
      this.logger.warn({
        reason: (error as Error).message,
        msg: 'Expired idempotency keys could not be deleted. The service retries in 10 minutes; check the database if this lasts.',
      });
    }
  }

  /** Deletes all keys that are older than 24 hours. */
  async deleteExpired(): Promise<void> {
    let deleted = SWEEP_BATCH;
    while (deleted === SWEEP_BATCH) {
      const [batch] = await this.database.query(DELETE_EXPIRED, [SWEEP_BATCH]);
      deleted = batch?.count ?? 0;
    }
  }
}

/** A foreign key violation means that another program has just deleted the user, and the token with it. */
function explainMissingUser(error: unknown): never {
  throw isForeignKeyViolation(error) ? unauthenticatedProblem() : error;
}
