import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '../database/database.js';
import type { Executor } from '../database/statement.js';
import { CacheableBody } from '../http/headers/cacheable-body.js';
import { FIND_VERSION, KEEP_VERSION } from './form-version.statements.js';
import type { PublishedForm } from './published-form.js';

const CACHE_BYTES = 8 * 1024 * 1024;

/** Keeps the schema of each version of a form in which a submission was completed (N3). */
@Injectable()
export class FormVersionsService {
  /** The versions that are certainly in the database. */
  private readonly kept = new WeakSet<PublishedForm>();
  private readonly bodies = new LRUCache<string, CacheableBody>({
    maxSize: CACHE_BYTES,
    // The body is cached in up to two codings too.
    sizeCalculation: ({ identity }) => Math.ceil(identity.bytes.length * 1.5),
  });

  constructor(private readonly database: Database) {}

  isKept(form: PublishedForm): boolean {
    return this.kept.has(form);
  }

  /** Keeps the version in a transaction. Call {@link remember} when the transaction has committed. */
  async keep(executor: Executor, form: PublishedForm): Promise<void> {
    if (this.isKept(form)) return;
    const { id, version, schemaBody, updatedBy, updatedAt } = form;
    await executor.query(KEEP_VERSION, [
      id,
      version,
      schemaBody.identity.bytes.toString(),
      updatedBy,
      updatedAt,
    ]);
  }

  remember(form: PublishedForm): void {
    this.kept.add(form);
  }

  /** Returns the schema of a kept version, which never changes. Undefined: the version was not kept. */
  async schema({ id }: PublishedForm, version: number): Promise<CacheableBody | undefined> {
    const key = `${id} ${version}`;
    const cached = this.bodies.get(key);
    if (cached !== undefined) return cached;
    const [row] = await this.database.query(FIND_VERSION, [id, version]);
    if (row === undefined) return undefined;
    const body = new CacheableBody(row.schema, true);
    this.bodies.set(key, body);
    return body;
  }
}
