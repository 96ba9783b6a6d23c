import { articleOfLetter, inSentence } from './english-words.js';

/** Labels in the plural, and labels that have an article already. */
const TAKES_NO_ARTICLE = /^(?:an?|another|my|our|the|your) |(?:[^isu]s|children|people)$/i;
/** Words whose letters are spoken one by one, such as "MRI", "A4" and "X-ray". SIM and NATO, for example, are spoken as words. */
const IS_SPELLED = /^(?!SIM|LAN|RAM|ROM|SWIFT|[FHLMNRS][AEIOU]\p{Lu}{2})\p{Lu}(?:\p{Lu}|\d|\b)/u;
/** Also an hour, an 8-hour shift and an 11-day trip. */
const BEGINS_WITH_VOWEL = /^(?:[aeiou8]|1[18]\b|hour|honou?r|honest|heir)/i;
/** Such as a European, a one-way ticket, a utility bill, a user and a unit, but not an uninsured item. */
const BEGINS_WITH_CONSONANT = /^(?:eu|on(?:e|ce)\b|u(?:k|r[aiou]|s[aeu]|t[eio]|ni(?![dmn])))/i;
/**
 * An English label in the singular with its article, within a sentence: "an expense", "a CV". A proper noun at its start gets a small
 * letter too: "a german course".
 */
export function withArticle(label: string): string {
  const text = inSentence(label);
  if (TAKES_NO_ARTICLE.test(label)) return text;
  if (IS_SPELLED.test(label)) return `${articleOfLetter(label)} ${text}`;
  return `${BEGINS_WITH_VOWEL.test(label) && !BEGINS_WITH_CONSONANT.test(label) ? 'an' : 'a'} ${text}`;
}
