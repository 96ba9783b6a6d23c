import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { ChangeListener } from '../database/change-listener.js';
import { Database } from '../database/database.js';
import type { Executor, Statement } from '../database/statement.js';
import { CoherentCache } from '../database/coherent-cache.js';
import {
  FIND_FORM_BY_ID,
  FIND_FORM_BY_SLUG,
  FIND_FORM_BY_UUID,
  type WholeFormText,
} from './form.statements.js';
import { FormExtenders } from './form-extenders.js';
import { UUID } from '../http/bodies/uuid.js';
import { isSlug } from './limits.js';
import { compileForm } from './compile-form.js';
import { parseForm } from './parse-form.js';
import type { PublishedForm } from './published-form.js';

const CACHE_BYTES = 16 * 1024 * 1024;
/**
 * Approximate memory of a compiled field, in addition to its part of the schema: 600 bytes, and its states without values, in two
 * shapes, with and without steps, each also compressed. Only one shape has the code.
 */
const BYTES_PER_FIELD = 1000;
const BYTES_PER_CHARACTER_OF_CODE = 3;
/** Approximate memory of a pattern after its first use: the compiled program and its states. */
const BYTES_PER_PATTERN = 24 * 1024;

/** A cached form, or a promise if the form must be loaded. Undefined if there is no such form. */
type FoundForm = PublishedForm | undefined | Promise<PublishedForm | undefined>;

/** Loads published forms. Uses the cache only while the database notifies the service of changes (F9). */
@Injectable()
export class PublishedFormsService {
  readonly cache: CoherentCache<PublishedForm>;
  /** The forms that are being compiled, by id and version. */
  private readonly compiling = new Map<string, Promise<PublishedForm>>();

  constructor(
    private readonly database: Database,
    listener: ChangeListener,
    private readonly environment: Environment,
    private readonly extenders: FormExtenders,
  ) {
    this.cache = new CoherentCache<PublishedForm>(listener, {
      maxSize: CACHE_BYTES,
      // The compressed schema is less than half as large as the schema, and both are cached.
      sizeOf: ({ schemaBody, formBody, fields }) =>
        Math.ceil(schemaBody.identity.bytes.length * 1.5) +
        formBody.identity.bytes.length +
        fields.reduce(
          (sum, { code }) => sum + BYTES_PER_FIELD + code.length * BYTES_PER_CHARACTER_OF_CODE,
          0,
        ) +
        fields.filter(({ rules }) => rules?.hasPattern).length * BYTES_PER_PATTERN,
      keysOf: ({ id, uuid, slug }) => [`id ${id}`, uuid, `slug ${slug}`],
    });
    listener.on('form', (id) => {
      this.forget(id);
    });
  }

  /** Accepts a UUID in any letter case. Returns undefined for a malformed UUID (F6). */
  byUuid(text: string, executor?: Executor): FoundForm {
    const known = this.cache.peek(text);
    // The text may be another key of the form, such as `id 1`.
    if (known?.uuid === text) return known;
    const uuid = text.toLowerCase();
    return UUID.test(uuid) ? this.find(uuid, FIND_FORM_BY_UUID, uuid, executor) : undefined;
  }

  bySlug(slug: string): FoundForm {
    return isSlug(slug) ? this.find(`slug ${slug}`, FIND_FORM_BY_SLUG, slug) : undefined;
  }

  byId(id: number, executor?: Executor): FoundForm {
    return this.find(`id ${id}`, FIND_FORM_BY_ID, id, executor);
  }

  /** Returns the form with this id if it is cached. Callers need no `await`, which would cost more than the look-up. */
  cached(id: number): PublishedForm | undefined {
    return this.cache.peek(`id ${id}`);
  }

  /** Evicts a form. Call it if the database has shown that the cached form is stale. */
  forget(id: number): void {
    this.cache.forget(`id ${id}`);
  }

  private find(
    key: string,
    statement: Statement<WholeFormText>,
    value: string | number,
    executor: Executor = this.database,
  ): FoundForm {
    // Requests share a load, so it has time of its own, unless a transaction needs it.
    const isShared = !executor.holdsConnection;
    const load = async (onRead: () => void) => {
      const [form] = await (isShared ? this.database : executor).query(statement, [value]);
      onRead();
      return form && this.compile(form);
    };
    return this.cache.get(key, load, isShared);
  }

  /** Compiles a form once for all loads of it, under any key (F14). */
  private compile(form: WholeFormText): Promise<PublishedForm> {
    const key = `${form.id} ${form.version} ${form.updated_at}`;
    let compiling = this.compiling.get(key);
    if (compiling === undefined) {
      compiling = parseForm(form)
        .then((row) => compileForm(row, this.environment, this.extenders.headersOf(row.extension)))
        .finally(() => this.compiling.delete(key));
      this.compiling.set(key, compiling);
    }
    return compiling;
  }
}
