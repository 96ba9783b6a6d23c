import { TRANSLATED_KEYS } from '../../forms/entities/translated-keys.js';
import { namedParts, ownTexts } from '../../forms/named-texts.js';
import { counted } from '../../cli/output.js';
import { quote, type Report } from './definition-error.js';
import type { FormDefinition } from './form-definition.js';
import { pathOf } from './parse-json.js';
import { chainsOf, translatedTexts, translationOf } from './translated-texts.js';

/** Reports languages in which texts are missing, and translations of texts that the form does not have (L5). */
export function lintTranslations(form: FormDefinition, report: Report): void {
  const chains = chainsOf(form);
  if (chains.size === 0) return;
  if (form.locale === undefined)
    report(
      'locale',
      'is missing, although the form has translations; say the language of its own texts, such as "en"',
    );
  const texts = [...ownTexts(form)];
  const translated = new Map<string, number>();
  for (const { locale } of translatedTexts(form)) translated.set(locale, (translated.get(locale) ?? 0) + 1);
  for (const [locale, chain] of chains) {
    const missing = texts.length - (translated.get(locale) ?? 0);
    if (missing === 0) continue;
    const first = texts.find((own) => translationOf(own, chain) === undefined);
    const at = first === undefined ? '' : textPath(first.part.path, first.key);
    const example = missing === 1 ? at : `such as ${at}`;
    const why = `lacks ${counted(missing, 'text')} of the form, ${example}`;
    report(pathOf(['translations', locale]), `${why}; add them, or people see these in another language`);
  }
  for (const { kind, path, part } of namedParts(form))
    for (const [locale, translations] of Object.entries(part.translations ?? {}))
      for (const key of TRANSLATED_KEYS[kind])
        if (translations[key] !== undefined && (part[key] ?? '') === '')
          report(
            textPath(path, pathOf(['translations', locale, key])),
            `has no effect, because there is no ${key} to translate; add the ${key} in ${quote(form.locale ?? 'the language of the form')}, or remove this key`,
          );
}

const textPath = (path: string, key: string) => (path === '' ? key : `${path}.${key}`);
