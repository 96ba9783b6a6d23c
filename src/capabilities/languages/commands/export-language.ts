import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { CommandError } from '../../../cli/command-error.js';
import { inSlices } from '../../../http/slices.js';
import type { CommandOptions, ExportedVersion, ExportExtension, FindLabel } from '../../../server/hooks.js';
import { lookupChain } from '../../../forms/language-tag.js';
import { matchingTags, readTag } from '../language-tag.js';
import { FIND_KEPT_LABELS, FIND_LABELS } from '../texts.statements.js';
import { nameOf, readTexts, type Texts } from '../translated-schema.js';

const CACHED = 100;

/** Undefined: no label of the export depends on a language. */
export function languageOfExport({ locale, labels, asShown }: CommandOptions): ExportExtension | undefined {
  if (locale === undefined) return asShown === true ? exportLanguage() : undefined;
  const tag = readTag(locale);
  if (tag === undefined)
    throw new CommandError(
      `"--locale" needs a language tag such as de or pt-BR, but has ${JSON.stringify(locale)}.`,
    );
  if (labels !== true && asShown !== true)
    throw new CommandError(
      '"--locale" is the language of labels. Add "--labels" or "--as-shown", or leave it out.',
    );
  return exportLanguage(tag);
}

/** Without a tag, each submission is shown in its own language. */
function exportLanguage(tag?: string): ExportExtension {
  const known = new LRUCache<string, Labels>({ max: CACHED });
  return {
    begin: () => Promise.resolve({ locale: tag }),
    async findLabels(manager, form, submission) {
      const locale = tag ?? submission?.locale;
      if (locale === undefined || locale === null) return undefined;
      const key = `${form.version} ${locale}`;
      const labels = known.get(key) ?? { find: await findLabels(manager, form, locale) };
      known.set(key, labels);
      return labels.find;
    },
  };
}

interface Labels {
  readonly find: FindLabel | undefined;
}

interface Found {
  /** The language of the form, and the texts in further languages. */
  readonly own: string | null;
  readonly texts: readonly { readonly locale: string; readonly lines: string }[];
}

async function findLabels(
  manager: EntityManager,
  { formId, version }: ExportedVersion,
  locale: string,
): Promise<FindLabel | undefined> {
  const chain = lookupChain(locale);
  const [found] = await (version === null
    ? manager.query<Found[]>(FIND_LABELS, [formId, chain])
    : manager.query<Found[]>(FIND_KEPT_LABELS, [formId, chain, version]));
  const { own, texts } = found ?? { own: null, texts: [] };
  const tags = matchingTags(
    locale,
    own,
    texts.map((one) => one.locale),
  );
  if (tags.length === 0) return undefined;
  const merged = new Map<string, string>();
  for (const tag of tags.toReversed())
    for (const { lines } of texts.filter((one) => one.locale === tag))
      await inSlices(readTexts(lines, merged));
  return labelsIn(merged);
}

const labelsIn =
  (texts: Texts): FindLabel =>
  (part) => {
    if ('entity' in part) return texts.get(nameOf('label', `entity ${part.entity}`));
    const { fieldId, option } = part;
    return texts.get(
      nameOf('label', option === undefined ? `field ${fieldId}` : `option ${fieldId} ${option}`),
    );
  };
