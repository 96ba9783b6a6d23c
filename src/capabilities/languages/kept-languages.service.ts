import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { countedSize } from '../../database/coherent-cache.js';
import { Database } from '../../database/database.js';
import { RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import { schemaBodyOf } from '../../forms/compile-form.js';
import type { ExtendedSchema } from '../../forms/dto/form-schema.response.js';
import { FormVersionsService } from '../../forms/form-versions.service.js';
import { parseLines } from '../../forms/parse-form.js';
import type { PublishedForm } from '../../forms/published-form.js';
import type { CacheableBody } from '../../http/headers/cacheable-body.js';
import { inSlices } from '../../http/slices.js';
import { headersIn, matchingTags } from './language-tag.js';
import {
  FIND_KEPT_LANGUAGES,
  FIND_KEPT_SCHEMA,
  FIND_KEPT_TEXTS,
  KEEP_TEXTS,
  type KeptLanguages,
} from './texts.statements.js';
import { readTexts, translatedSchema } from './translated-schema.js';

const CACHE_BYTES = 8 * 1024 * 1024;

/** Versions whose languages are remembered. */
const CACHED_VERSIONS = 200;

interface Version {
  readonly form: PublishedForm;
  readonly version: number;
}

interface Wanted extends Version {
  /** The languages of the version to look for, the best first. */
  readonly tags: readonly [string, ...string[]];
}

/** Keeps the languages of each version in which a submission was completed (N3, L7). */
@Injectable()
export class KeptLanguagesService {
  private readonly languages = new LRUCache<string, KeptLanguages, Version>({
    fetchMethod: (_key, _stale, { context }) => this.loadLanguages(context),
    max: CACHED_VERSIONS,
  });
  private readonly bodies = new LRUCache<string, CacheableBody, Wanted>({
    fetchMethod: (_key, _stale, { context }) => this.load(context),
    maxSize: CACHE_BYTES,
    // The body is cached in up to two codings too.
    sizeCalculation: ({ identity }) => countedSize(Math.ceil(identity.bytes.length * 1.5), CACHE_BYTES),
  });

  constructor(
    private readonly database: Database,
    private readonly versions: FormVersionsService,
  ) {}

  async keep(executor: Executor, { id, version, extension }: PublishedForm): Promise<void> {
    const { locale, locales } = extension;
    if (locales.every((one) => one === locale)) return;
    const [present] = await executor.query(KEEP_TEXTS, [id, version]);
    if (present?.version !== version) throw new RowLockedError();
  }

  /** Returns the schema of a kept version in a language, which never changes. Undefined: the version was not kept. */
  async schema(form: PublishedForm, version: number, tag: string): Promise<CacheableBody | undefined> {
    const name = `${form.id} ${version} ${form.uuid}`;
    const { own, locales } = (await this.languages.fetch(name, { context: { form, version } })) ?? NONE;
    const [best, ...others] = matchingTags(tag, own, locales);
    if (best === undefined) return this.versions.keptSchema(form, version);
    const tags = [best, ...others] as const;
    // Requests for other tags with the same languages share the body.
    return this.bodies.fetch(`${name} ${tags.join(' ')}`, { context: { form, version, tags } });
  }

  /** Undefined, and therefore not remembered: the version has no further languages, or may be kept later. */
  private async loadLanguages({ form, version }: Version): Promise<KeptLanguages | undefined> {
    const [found] = await this.database.query(FIND_KEPT_LANGUAGES, [form.id, version]);
    return found === undefined || found.locales.length === 0 ? undefined : found;
  }

  private async load({ form, version, tags }: Wanted): Promise<CacheableBody | undefined> {
    const [kept] = await this.database.query(FIND_KEPT_SCHEMA, [form.id, version, form.uuid]);
    if (kept === undefined) return this.versions.keptSchema(form, version);
    const schema = await inSlices(parsing(kept));
    const texts = new Map<string, string>();
    const found = await this.database.query(FIND_KEPT_TEXTS, [form.id, version, tags]);
    for (const { lines } of found.toReversed()) await inSlices(readTexts(lines, texts));
    return inSlices(translating(schema, texts, tags[0]));
  }
}

const NONE: KeptLanguages = { own: null, locales: [] };

function* translating(schema: ExtendedSchema, texts: ReadonlyMap<string, string>, locale: string) {
  return yield* schemaBodyOf(yield* translatedSchema(schema, texts, locale), headersIn(locale));
}

type Property = readonly [name: string, value: unknown];

/** Parses the lines of a schema. The lists that were taken out are empty in the properties. */
function* parsing({
  properties,
  steps,
  fields,
}: {
  readonly properties: string;
  readonly steps: string;
  readonly fields: string;
}): Generator<undefined, ExtendedSchema> {
  const fieldsByStep = new Map<number, unknown[]>();
  for (const [step, field] of yield* parseLines<[step: number, field: unknown]>(fields)) {
    const own = fieldsByStep.get(step);
    if (own === undefined) fieldsByStep.set(step, [field]);
    else own.push(field);
  }
  const parsedSteps = (yield* parseLines<Property[]>(steps)).map((step, index) => ({
    ...(Object.fromEntries(step) as object),
    fields: fieldsByStep.get(index) ?? [],
  }));
  const own = Object.fromEntries(yield* parseLines<Property>(properties)) as object;
  return { ...own, steps: parsedSteps } as unknown as ExtendedSchema;
}
