import { type Command, Option } from 'commander';
import { CommandError } from '../../../cli/command-error.js';
import { ensure } from '../../../cli/option-values.js';
import { counted, print, printJson, write } from '../../../cli/output.js';
import { withDatabase } from '../../../cli/with-database.js';
import { canonicalTag } from '../../../forms/language-tag.js';
import type { ImportedTranslations } from './translation-file.js';

type Format = 'xliff' | 'csv';

/** Maximum size of a file, far more than the texts of any form need. */
const MAX_MEBIBYTES = 64;

export function addTranslationCommands(forms: Command): void {
  const translations = forms
    .command('translations')
    .description('write the texts of a form for translators, and import their translations');

  translations
    .command('export')
    .description(
      'print the texts of a form, with their translations into one language: XLIFF 2.0 for translation tools, or CSV for spreadsheets.\n' +
        'Leaves out texts that nobody sees, such as those of retired fields. The form must say its own language (forms.locale).',
    )
    .argument('<slug>', 'as "forms list" shows it')
    .requiredOption('--locale <tag>', 'the language to translate into, such as de or zh-Hant-TW', parseTag)
    .addOption(
      new Option('--format <format>', 'the format of the file').choices(['xliff', 'csv']).default('xliff'),
    )
    .addHelpText(
      'after',
      `\nExample:\n  formtrail forms translations export job-application --locale de > job-application.de.xlf`,
    )
    .action(async (slug: string, { locale, format }: { locale: string; format: Format }) => {
      const { exportTranslations } = await import('./export-translations.js');
      await write(await withDatabase((dataSource) => exportTranslations(dataSource, slug, locale, format)));
    });

  translations
    .command('import')
    .description(
      'import a file that "forms translations export" wrote and a translator filled in. Imports all of it or, if there is an error, nothing.\n' +
        'Knows the format by the content. An empty translation removes the stored one. Texts that are not in the file stay as they are.',
    )
    .argument('<slug>', 'as "forms list" shows it')
    .argument('<file>', 'an XLIFF 2.0 or CSV file; - for standard input')
    .option('--locale <tag>', 'fail if the file is in another language, which it names itself', parseTag)
    .option('--json', 'print a JSON object')
    .addHelpText(
      'after',
      `\nExample:\n  formtrail forms translations import job-application job-application.de.xlf`,
    )
    .action(
      async (slug: string, name: string, { locale, json = false }: { locale?: string; json?: boolean }) => {
        const file = { name: name === '-' ? 'standard input' : name, text: await read(name) };
        const { importTranslations } = await import('./import-translations.js');
        const { nameOperator } = await import('../../../cli/as-operator.js');
        const imported = await withDatabase((dataSource) =>
          importTranslations(dataSource, slug, file, locale, nameOperator),
        );
        await (json ? printJson(imported) : print(sentencesOn(imported)));
      },
    );
}

const parseTag = (text: string) => {
  const tag = canonicalTag(text);
  return ensure(tag ?? '', tag !== undefined, 'a language tag such as de or zh-Hant-TW, up to 35 characters');
};

async function read(name: string): Promise<string> {
  const { readText } = await import('../../../cli/read-text.js');
  return readText(name, MAX_MEBIBYTES).catch((error: unknown) => {
    throw new CommandError(
      `${name} cannot be read (${(error as Error).message}). Name a file as "forms translations export" writes it, in UTF-8.`,
    );
  });
}

function sentencesOn({
  slug,
  locale,
  version,
  written,
  removed,
  unchanged,
  missing,
}: ImportedTranslations): string {
  const changes = `${counted(written, 'translation')} written, ${removed} removed, ${unchanged} unchanged`;
  const rest =
    missing === 0 ? 'Every text has a translation.' : `${counted(missing, 'text')} without a translation.`;
  return `${slug}, version ${version}, ${locale}: ${changes}. ${rest}`;
}
