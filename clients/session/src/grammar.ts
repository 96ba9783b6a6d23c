// For the tables of the languages besides English, which have other rules.
import type { Field } from 'formtrail-client';
import { heldBy } from './components.js';
import { shortName, typeNames } from './formats.js';
import type { Sentence } from './sentences.js';

type Kind = 'image' | 'audio' | 'video' | 'text';

/** Returns the function that lists the file types in `accept` of a field. The words of the language are plural nouns. */
export function typesIn(words: Record<Kind, string>, separator = ', ') {
  const nameOf = (type: string) => {
    const [, kind] = /^(image|audio|video|text)\/(?:\*|plain)$/.exec(type) ?? [];
    return kind ? words[kind as Kind] : (shortName(type) ?? type);
  };
  return (accept: string): string => typeNames(accept, nameOf).join(separator);
}

/** A number without signs between groups of digits, because number inputs take none. */
export function numbersIn(locale: string) {
  const format = new Intl.NumberFormat(locale, { useGrouping: false, maximumFractionDigits: 20 });
  // Not a JavaScript number, because bounds are exact decimals.
  return (value: unknown): string => format.format(String(value) as unknown as number);
}

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string };

/** Returns a function for nouns of the language. It takes the plural forms of a noun, with `#` for the number, and returns a function that writes a count. */
export function countsIn(locale: string) {
  const [rules, format] = [new Intl.PluralRules(locale), new Intl.NumberFormat(locale)];
  return (forms: Forms) => (value: unknown) => {
    const count = Number(value);
    return (forms[rules.select(count)] ?? forms.other).replace('#', format.format(count));
  };
}

/** The kind of answer that a question waits for. */
type Wanted = 'file' | 'choice' | 'choices' | 'tick' | 'date' | 'number' | 'email' | 'text';

/** Sentences for required questions without an answer. Only for a record of the service, no question is known: `unknown`. */
export function requiredIn(texts: Record<Wanted | 'unknown', string>): Sentence {
  return (_params, { field }) => texts[field ? wantedBy(field) : 'unknown'];
}

function wantedBy(field: Field): Wanted {
  const held = heldBy(field);
  if (held === 'options') return field.options.length > 1 ? 'choices' : 'tick';
  if (held === 'option') return 'choice';
  if (field.field_type.component === 'email-input') return 'email';
  return held === 'nothing' ? 'text' : held;
}
