import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '../database/database.js';
import { countedSize } from '../database/coherent-cache.js';
import type { Executor } from '../database/statement.js';
import { CacheableBody } from '../http/headers/cacheable-body.js';
import { textPieces } from '../http/json-pieces.js';
import { inSlices } from '../http/slices.js';
import { FormExtenders } from './form-extenders.js';
import { readBeginning } from './kept-schema.js';
import { FIND_VERSION, KEEP_VERSION } from './form.statements.js';
import type { PublishedForm } from './published-form.js';

const CACHE_BYTES = 8 * 1024 * 1024;

type Place = readonly [formId: number, version: number, formUuid: string];

/** Keeps the schema of each version of a form in which a submission was completed (N3). */
@Injectable()
export class FormVersionsService {
  /** The versions that are certainly in the database. */
  private readonly kept = new WeakSet<PublishedForm>();
  /** Simultaneous requests for a version share one query. */
  private readonly bodies = new LRUCache<string, CacheableBody, Place>({
    fetchMethod: (_key, _stale, { context }) => this.load(context),
    maxSize: CACHE_BYTES,
    // The body is cached in up to two codings too.
    sizeCalculation: ({ identity }) => countedSize(Math.ceil(identity.bytes.length * 1.5), CACHE_BYTES),
  });

  constructor(
    private readonly database: Database,
    private readonly extenders: FormExtenders,
  ) {}

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
    await this.extenders.keep(executor, form);
  }

  remember(form: PublishedForm): void {
    this.kept.add(form);
  }

  /** Returns the schema of a kept version, which never changes. Undefined: the version was not kept. */
  keptSchema({ id, uuid }: PublishedForm, version: number): Promise<CacheableBody | undefined> {
    return this.bodies.fetch(`${id} ${version} ${uuid}`, { context: [id, version, uuid] });
  }

  private async load(place: Place): Promise<CacheableBody | undefined> {
    const [row] = await this.database.query(FIND_VERSION, place);
    if (row === undefined) return undefined;
    // Decoding the response of PostgreSQL has already used this turn of the event loop.
    await setImmediate();
    const headers = this.extenders.headersOf(readBeginning(row.schema));
    return inSlices(CacheableBody.ofPieces(textPieces(row.schema), true, headers));
  }
}
