import type { EntityManager } from 'typeorm';
import { lookupRange } from '../components/languages.js';

/** Finds a text of a part, such as `step 5` or `option 7 red`. Returns `text` if the part has no translation. */
export type FindText = (place: string, key: string, text: string) => string;

interface Asked {
  readonly formId: number;
  /** The kept version, or null for the form as it is today. */
  readonly version: number | null;
  /** The language of the submission. Null: not said. */
  readonly locale: string | null;
  /** The language of the form's own texts. */
  readonly own: string | null;
}

/** SQL: the labels and titles of a form in some languages, as `form_version_texts` has those of a kept version. */
const OF_TODAY = `
  select locale, string_agg(json_build_array(case
           when translations.step_id is not null then 'step ' || translations.step_id
           when translations.field_id is not null then 'field ' || translations.field_id
           when option_id is not null then 'option ' || options.field_id || ' ' || options.value
           else 'entity ' || entities.name end, key, text)::text, e'\\n') as texts
    from translations left join options on options.id = option_id left join entities on entities.id = translations.entity_id
   where translations.form_id = $1 and locale = any ($2) and key in ('title', 'label') group by locale`;
const OF_VERSION =
  'select locale, texts from form_version_texts where form_id = $1 and locale = any ($2) and version = $3';

/** Finds the texts that a person saw who chose this language: each by itself in `de-AT`, then in `de`, then the form's own text. */
export async function submissionTexts(
  manager: EntityManager,
  { formId, version, locale, own }: Asked,
): Promise<FindText> {
  const range = locale === null ? [] : lookupRange(locale);
  const tags = own !== null && range.includes(own) ? range.slice(0, range.indexOf(own)) : range;
  if (tags.length === 0) return (_, __, text) => text;
  const found = await manager.query<{ locale: string; texts: string }[]>(
    version === null ? OF_TODAY : OF_VERSION,
    [formId, tags, ...(version === null ? [] : [version])],
  );
  const linesIn = new Map(found.map(({ locale, texts }) => [locale, texts.split('\n')]));
  const texts = new Map<string, string>();
  // The best language is the last, and replaces the others.
  for (const tag of tags.toReversed())
    for (const line of linesIn.get(tag) ?? []) {
      const [place, key, text] = JSON.parse(line) as [string, string, string];
      texts.set(`${key} of ${place}`, text);
    }
  return (place, key, text) => (text === '' ? '' : (texts.get(`${key} of ${place}`) ?? text));
}
