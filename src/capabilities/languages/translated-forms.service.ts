import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { countedSize } from '../../database/coherent-cache.js';
import { Database } from '../../database/database.js';
import type { Executor } from '../../database/statement.js';
import { schemaBodyOf } from '../../forms/compile-form.js';
import { presentForm, presentSchemaInParts, withoutRetired } from '../../forms/form.presenter.js';
import { FIND_FORM_BY_ID, type WholeFormRow } from '../../forms/form.statements.js';
import { parseForm } from '../../forms/parse-form.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { PublishedFormsService } from '../../forms/published-forms.service.js';
import { databaseUnavailableProblem, notFoundProblem } from '../../http/errors/problems.js';
import { CacheableBody } from '../../http/headers/cacheable-body.js';
import { inSlices } from '../../http/slices.js';
import { headersIn, matchingTags } from './language-tag.js';
import { FIND_TEXTS } from './texts.statements.js';
import { readTexts, type Texts, translated, translatedSchema } from './translated-schema.js';

const CACHE_BYTES = 16 * 1024 * 1024;
/** Maximum number of attempts to read a form and its texts as of one version. */
const ATTEMPTS = 20;

/** The bodies of a form in one language, and its texts. Without texts: the form as it is. */
export interface TranslatedForm extends Pick<PublishedForm, 'formBody' | 'schemaBody'> {
  readonly texts?: Texts;
}

/** A version of a form, and the tags of its texts, the best first. */
interface Wanted {
  readonly form: PublishedForm;
  readonly tags: readonly [string, ...string[]];
  readonly executor: Executor;
}

/** Compiles each language of a version once, when a request asks for it (L2). */
@Injectable()
export class TranslatedFormsService {
  /** The key has the version, so a stale form is never found. Simultaneous requests for a language share the work. */
  private readonly cache = new LRUCache<string, TranslatedForm, Wanted>({
    fetchMethod: (_key, _stale, { context }) => this.compile(context),
    maxSize: CACHE_BYTES,
    // The compressed schema is less than half as large as the schema. The texts are a part of it.
    sizeCalculation: ({ schemaBody, formBody }) =>
      countedSize(schemaBody.identity.bytes.length * 2 + formBody.identity.bytes.length, CACHE_BYTES),
  });

  constructor(
    private readonly database: Database,
    private readonly published: PublishedFormsService,
  ) {}

  /** Returns the form in a language, in its present version. Throws 404 if the form no longer exists. */
  async in(tag: string, form: PublishedForm, executor: Executor = this.database): Promise<TranslatedForm> {
    let present: PublishedForm | undefined = form;
    for (let attempts = 1; attempts <= ATTEMPTS; attempts += 1) {
      const found = await this.find(tag, present, executor);
      if (found !== undefined) return found;
      // Another program is changing the form. Read it again.
      this.published.forget(form.id);
      present = await this.published.byId(form.id, executor);
      if (present === undefined) throw notFoundProblem('Form');
    }
    throw databaseUnavailableProblem();
  }

  private async find(tag: string, form: PublishedForm, executor: Executor) {
    const { locale, locales } = form.extension;
    const [best, ...others] = matchingTags(tag, locale, locales);
    if (best === undefined) return form;
    const tags = [best, ...others] as const;
    const key = [form.id, form.uuid, form.version, form.updatedAt, ...tags].join(' ');
    // A transaction must not wait for a request that needs another connection.
    if (!executor.holdsConnection)
      return this.cache.fetch(key, { context: { form, tags, executor: this.database } });
    return this.cache.get(key) ?? this.compile({ form, tags, executor });
  }

  /** Undefined: the form has another version by now. */
  private async compile({ form, tags, executor }: Wanted): Promise<TranslatedForm | undefined> {
    const [row] = await executor.query(FIND_FORM_BY_ID, [form.id]);
    const [found] = await executor.query(FIND_TEXTS, [form.id, tags]);
    if (row?.version !== form.version || found?.version !== form.version) return undefined;
    // Parsing the form begins a new turn of the event loop. Decoding the texts has already used this one.
    const whole = await parseForm(row);
    const texts = await inSlices(readTexts(found.texts));
    return inSlices(compiling(whole, texts, tags[0]));
  }
}

function* compiling(form: WholeFormRow, texts: Texts, locale: string): Generator<undefined, TranslatedForm> {
  const own = yield* presentSchemaInParts(withoutRetired(form));
  const schema = yield* translatedSchema(own, texts, locale);
  const headers = headersIn(locale);
  const name = translated(texts, form.name, 'name', 'form');
  const description = translated(texts, form.description, 'description', 'form');
  const data = Object.assign(presentForm(form), { name, description, locale });
  return {
    formBody: new CacheableBody({ data }, true, headers),
    schemaBody: yield* schemaBodyOf(schema, headers),
    texts,
  };
}
