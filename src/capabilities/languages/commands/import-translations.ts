import { type DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { importTransaction, lockForms } from '../../../cli/import-transaction.js';
import { Form } from '../../../forms/entities/form.js';
import { canonicalTag } from '../../../forms/language-tag.js';
import { MAX_LOCALES, MAX_NAME, MAX_SCHEMA_BYTES } from '../../../forms/limits.js';
import { DELETE_TRANSLATIONS, WRITE_TRANSLATIONS } from '../../../forms/translation.statements.js';
import { unstorableReason } from '../../../http/bodies/storable-text.js';
import { recordAct } from '../../../server/load-hooks.js';
import { type FormInLanguages, isShort, readTexts, type Unit } from './form-texts.js';
import { readXliff } from './read-xliff.js';
import { readCsv } from './translation-csv.js';
import {
  type FileMistake,
  type ImportedTranslations,
  type TranslationFile,
  TranslationError,
  UnreadableFile,
} from './translation-file.js';

export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/**
 * Writes the translations in a translator's file, all or none. Texts that the file does not have keep their translations.
 *
 * @throws TranslationError with every error in the file. Then nothing was changed.
 */
export async function importTranslations(
  dataSource: DataSource,
  slug: string,
  { name, text }: NamedText,
  chosen: string | undefined,
  begin: (manager: EntityManager) => Promise<void>,
): Promise<ImportedTranslations> {
  const fail = (mistakes: readonly FileMistake[]) => new TranslationError(name, mistakes);
  const file = parse(text, fail);
  const locale = canonicalTag(file.locale);
  if (locale === undefined)
    throw fail([
      { message: `is in the language "${file.locale}", which must be a tag such as de or zh-Hant-TW` },
    ]);
  if (chosen !== undefined && chosen !== locale)
    throw fail([
      {
        message: `has translations into ${locale}, not into ${chosen}; leave out --locale, or name another file`,
      },
    ]);
  return importTransaction(dataSource, async (manager) => {
    await begin(manager);
    await lockForms(manager, [slug]);
    const form = await readTexts(manager, slug, locale);
    const { mistakes, written, removed, missing } = compare(form, file, locale);
    if (mistakes.length > 0) throw fail(mistakes);
    const rowsOf = (changes: readonly Change[]) =>
      JSON.stringify(changes.map(({ unit: { name, key }, text }) => ({ ...name, key, locale, text })));
    if (removed.length > 0) await manager.query(DELETE_TRANSLATIONS, [form.id, rowsOf(removed)]);
    if (written.length > 0)
      await manager.query(WRITE_TRANSLATIONS, [form.id, rowsOf(written)]).catch((error: unknown) => {
        throw isTooLarge(error) ? fail([TOO_LARGE]) : error;
      });
    const { uuid, version } = await manager.findOneByOrFail(Form, { id: form.id });
    const changed = written.length + removed.length;
    if (changed > 0)
      await recordAct(manager, {
        action: 'form.imported',
        subject: `form:${slug}`,
        detail: { uuid, version, change: 'changed', locale },
      });
    const unchanged = file.units.length - changed;
    return { slug, locale, version, written: written.length, removed: removed.length, unchanged, missing };
  });
}

const TOO_LARGE: FileMistake = {
  message:
    'would give the form more than 200,000 translations or 32 MiB of them; remove the translations of a language that nobody needs',
};

/** Whether the database rejects the translations because the form would have too many. */
function isTooLarge(error: unknown): boolean {
  const { constraint } = (error instanceof QueryFailedError ? error.driverError : {}) as {
    readonly constraint?: string;
  };
  return constraint === 'translations_size_check';
}

/** Tells the format by the first character, which is `<` in XML. */
function parse(text: string, fail: (mistakes: readonly FileMistake[]) => Error): TranslationFile {
  try {
    return text.trimStart().startsWith('<') ? readXliff(text) : readCsv(text);
  } catch (error) {
    throw error instanceof UnreadableFile ? fail([error.mistake]) : error;
  }
}

interface Change {
  readonly unit: Unit;
  readonly text: string;
}

/** Compares a file with the form. Finds all mistakes. */
function compare(form: FormInLanguages, file: TranslationFile, locale: string) {
  const mistakes: FileMistake[] = [];
  const [written, removed]: [Change[], Change[]] = [[], []];
  if (file.slug !== undefined && file.slug !== form.slug)
    mistakes.push({ message: `has the texts of the form "${file.slug}"; import it into that form` });
  if (canonicalTag(file.sourceLocale) !== form.locale)
    mistakes.push({
      message: `has translations from "${file.sourceLocale}", but the texts of the form are in ${form.locale}; export them again`,
    });
  if (!form.locales.includes(locale) && form.locales.length > MAX_LOCALES)
    mistakes.push({
      message: `would be language ${MAX_LOCALES + 1} besides that of the form; remove the translations of a language that nobody needs`,
    });
  const units = new Map(form.units.map((unit) => [unit.id, unit]));
  const targets = new Map(form.units.map(({ id, target }) => [id, target]));
  const lines = new Map<string, number>();
  for (const { id, line, source, target } of file.units) {
    const unit = units.get(id);
    const message = mistakeIn(unit, id, source, target, lines.get(id));
    lines.set(id, lines.get(id) ?? line);
    if (message !== undefined) mistakes.push({ line, message });
    if (message !== undefined || unit === undefined || target === undefined) continue;
    if (target === (unit.target ?? '')) continue;
    (target === '' ? removed : written).push({ unit, text: target });
    targets.set(id, target === '' ? undefined : target);
  }
  const texts = form.units.map((unit) => ({
    source: unit.source,
    before: unit.target,
    after: targets.get(unit.id),
  }));
  const added = (key: 'before' | 'after') =>
    texts.reduce((sum, text) => sum + bytesOf(text[key] ?? text.source) - bytesOf(text.source), 0);
  if (form.schemaBytes + added('after') > MAX_SCHEMA_BYTES && added('after') > added('before'))
    mistakes.push({
      message: `would make the schema in ${locale} larger than 5 MiB; shorten the texts, or divide the form`,
    });
  const missing = texts.filter(({ after }) => after === undefined).length;
  return { mistakes, written, removed, missing };
}

const bytesOf = (text: string) => Buffer.byteLength(JSON.stringify(text));

/** Tools and spreadsheets write line breaks in their own way. */
const withLineFeeds = (text: string) => text.replace(/\r\n?/g, '\n');

function mistakeIn(
  unit: Unit | undefined,
  id: string,
  source: string,
  target = '',
  firstLine: number | undefined,
): string | undefined {
  if (firstLine !== undefined)
    return `has the text "${id}" again, which is in line ${firstLine} already; remove one of both`;
  if (unit === undefined)
    return `has the text "${id}", which the form does not have, or does not show any more; export the texts again, or remove it`;
  if (withLineFeeds(source) !== withLineFeeds(unit.source))
    return `translates another version of the text "${id}", which has changed in the form meanwhile; export the texts again`;
  const why = unstorableReason(target)?.why;
  if (why !== undefined)
    return `has a translation of "${id}" that ${why}, which cannot be stored; remove the character`;
  const length = Array.from(target).length;
  if (isShort(unit.key) && length > MAX_NAME)
    return `has a translation of "${id}" with ${length} characters, but it can have at most ${MAX_NAME}; shorten it`;
  return undefined;
}
