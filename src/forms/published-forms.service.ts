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
import { isSlug } from './limits.js';
import { compileForm, parseForm } from './compile-form.js';
import type { PublishedForm } from './published-form.js';

const MEMORY_BYTES = 16 * 1024 * 1024;
/** What a compiled field takes beside its bytes of schema, roughly. */
const BYTES_PER_FIELD = 600;
/** What a pattern of its rules takes once it was asked, compiled and with its states, roughly. */
const BYTES_PER_PATTERN = 24 * 1024;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A promise only where memory does not tell. */
type Found = PublishedForm | undefined | Promise<PublishedForm | undefined>;

/** Whole forms, from memory where it is certain that they have not changed (F9). */
@Injectable()
export class PublishedFormsService {
  readonly memory: CoherentCache<PublishedForm>;

  constructor(
    private readonly database: Database,
    listener: ChangeListener,
    private readonly environment: Environment,
  ) {
    this.memory = new CoherentCache<PublishedForm>(listener, {
      maxSize: MEMORY_BYTES,
      // Compressed, the schema comes to less than half of itself once more.
      sizeOf: ({ schemaBody, formBody, fields }) =>
        Math.ceil(schemaBody.identity.bytes.length * 1.5) +
        formBody.identity.bytes.length +
        fields.length * BYTES_PER_FIELD +
        fields.filter(({ rules }) => rules?.hasPattern).length * BYTES_PER_PATTERN,
      keysOf: (form) => [
        ...([`id ${form.id}`, form.uuid, `slug ${form.slug}`] as const),
        ...form.fields.map(({ id }) => `field ${id}`),
      ],
    });
    listener.on('form', (id) => {
      this.forget(id);
    });
  }

  /** A UUID of any letter case; a malformed one is as unknown as any other (F6). */
  byUuid(text: string, executor?: Executor): Found {
    const known = this.memory.peek(text);
    // Any other key of a form would be no UUID, as what is malformed is none.
    if (known?.uuid === text) return known;
    const uuid = text.toLowerCase();
    return UUID.test(uuid) ? this.find(uuid, FIND_FORM_BY_UUID, uuid, executor) : undefined;
  }

  bySlug(slug: string): Found {
    return isSlug(slug) ? this.find(`slug ${slug}`, FIND_FORM_BY_SLUG, slug) : undefined;
  }

  byId(id: number, executor?: Executor): Found {
    return this.find(`id ${id}`, FIND_FORM_BY_ID, id, executor);
  }

  /** The form with this id, if it is in memory: not having to wait for it saves more than looking for it takes. */
  inMemory(id: number): PublishedForm | undefined {
    return this.memory.peek(`id ${id}`);
  }

  /** The form that has this field, if it is in memory. */
  withField(fieldId: number | undefined): PublishedForm | undefined {
    return fieldId === undefined ? undefined : this.memory.peek(`field ${fieldId}`);
  }

  /** For when the database has shown that what is remembered of a form is out of date. */
  forget(id: number): void {
    this.memory.forget(`id ${id}`);
  }

  private find(
    key: string,
    statement: Statement<WholeFormText>,
    value: string | number,
    executor: Executor = this.database,
  ): Found {
    const load = async () => {
      const [form] = await executor.query(statement, [value]);
      return form && compileForm(await parseForm(form), this.environment);
    };
    return this.memory.get(key, load, executor === this.database);
  }
}
