import { lookupChain } from '../../forms/language-tag.js';
import { ownTexts, type OwnText } from '../../forms/named-texts.js';
import { type FormDefinition, localesOf } from './form-definition.js';

/** The languages of a form besides its own, each with the tags in which a text is looked for (L2). */
export function chainsOf(form: FormDefinition): Map<string, readonly string[]> {
  const tags = [...localesOf(form)].filter((tag) => tag !== form.locale);
  return new Map(tags.map((tag) => [tag, lookupChain(tag)]));
}

/** The text that a reader of the language sees. Undefined: the form's own text. */
export const translationOf = ({ part: { part }, key }: OwnText, chain: readonly string[]) =>
  chain.map((tag) => part.translations?.[tag]?.[key]).find((text) => text !== undefined);

/** Yields each own text with each language in which it has a translation. Takes no time for the languages without one. */
export function* translatedTexts(form: FormDefinition) {
  const chains = chainsOf(form);
  if (chains.size === 0) return;
  const readersOf = new Map<string, string[]>();
  for (const [locale, chain] of chains)
    for (const tag of chain) readersOf.set(tag, [...(readersOf.get(tag) ?? []), locale]);
  for (const own of ownTexts(form)) {
    const tags = Object.keys(own.part.part.translations ?? {});
    for (const locale of new Set(tags.flatMap((tag) => readersOf.get(tag) ?? []))) {
      const text = translationOf(own, chains.get(locale) ?? []);
      if (text !== undefined) yield { own, locale, text };
    }
  }
}
