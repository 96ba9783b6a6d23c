import { canonicalTag } from '../../forms/language-tag.js';
import { MAX_LOCALES } from '../../forms/limits.js';
import type { Translations } from '../../forms/named-texts.js';
import { isObject, quote, type Report } from './definition-error.js';
import type { FormDefinition } from './form-definition.js';
import { fieldsIn, type LocatedElement, objectsIn } from './located-elements.js';
import { pathOf } from './parse-json.js';

interface Part {
  translations?: Translations;
}

const EXPECTED = 'a language tag of at most 35 characters, such as en or zh-Hant-TW';

/**
 * Checks the languages of a form, and writes their tags in canonical letter case. Sorts translations by tag, and drops empty ones.
 *
 * @param known tags of the stored form. The database accepts some that Node.js does not
 */
export function checkTranslations(form: FormDefinition, known: ReadonlySet<string>, report: Report): void {
  const tags = new Map<string, string | undefined>();
  const tagOf = (text: string) => {
    if (!tags.has(text)) tags.set(text, canonicalTag(text) ?? (known.has(text) ? text : undefined));
    return tags.get(text);
  };
  const own = typeof form.locale === 'string' ? tagOf(form.locale) : undefined;
  if (own !== undefined) Object.assign(form, { locale: own });
  else if (typeof form.locale === 'string')
    report('locale', `must be ${EXPECTED}, but is ${quote(form.locale)}`);
  const used = new Set<string>();
  for (const [part, path] of partsIn(form)) {
    if (!isObject(part.translations)) continue;
    const byTag = new Map<string, Translations[string]>();
    for (const [text, texts] of Object.entries(part.translations)) {
      const at = () => `${path === '' ? '' : `${path}.`}${pathOf(['translations', text])}`;
      const tag = tagOf(text);
      if (tag === undefined) report(at(), `must be ${EXPECTED}, but is ${quote(text)}`);
      else if (tag === own)
        report(
          at(),
          `is the language of the form itself (locale), ${quote(own)}; change the text beside it, and remove this translation`,
        );
      else if (byTag.has(tag))
        report(at(), `must be unique, but ${quote(tag)} is there in other letter case too`);
      if (tag === undefined) continue;
      used.add(tag);
      byTag.set(tag, texts);
    }
    const filled = [...byTag].filter(([, texts]) => !isObject(texts) || Object.keys(texts).length > 0);
    if (filled.length === 0) delete part.translations;
    else part.translations = Object.fromEntries(filled.sort(([one], [other]) => (one < other ? -1 : 1)));
  }
  if (used.size > MAX_LOCALES)
    report(
      'translations',
      `must be into at most ${MAX_LOCALES} languages in the whole form, but are into ${used.size}; remove those that nobody needs`,
    );
}

function partsIn(form: FormDefinition): LocatedElement<Part>[] {
  const fields = fieldsIn(form);
  return [
    [form, ''],
    ...objectsIn(form.entities, 'entities'),
    ...objectsIn(form.steps, 'steps'),
    ...fields,
    ...fields.flatMap(([{ options, rules }, path]) => [
      ...objectsIn<Part>(options, `${path}.options`),
      ...objectsIn<Part>(rules, `${path}.rules`),
    ]),
  ];
}
