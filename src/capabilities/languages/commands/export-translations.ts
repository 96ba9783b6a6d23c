import type { DataSource } from 'typeorm';
import { readTexts } from './form-texts.js';
import { writeCsv } from './translation-csv.js';
import { writeXliff } from './write-xliff.js';

export const FORMATS = { xliff: writeXliff, csv: writeCsv } as const;

/** Writes the texts of a form, with their translations into a language, as a file for translators. */
export async function exportTranslations(
  dataSource: DataSource,
  slug: string,
  locale: string,
  format: keyof typeof FORMATS,
): Promise<string> {
  // One snapshot, so that the file has no translation of a text that has changed.
  const form = await dataSource.transaction('REPEATABLE READ', (manager) => readTexts(manager, slug, locale));
  return FORMATS[format](form, locale);
}
