import { TRANSLATED_KEYS } from './entities/translated-keys.js';

export type PartKind = keyof typeof TRANSLATED_KEYS;
export type TextKey = (typeof TRANSLATED_KEYS)[PartKind][number];

/** Texts by language, then by key, such as `{ de: { label: '…' } }` (L1). */
export type Translations = Readonly<Record<string, Readonly<Partial<Record<TextKey, string>>>>>;

/** Names a part of a form without ids. Without any property, it names the form itself. */
export interface PartName {
  readonly step_number?: number | null;
  readonly entity?: string | null;
  /** The code of the field, also for an option (by its value) and a rule (see {@link nameOfRule}) of the field. */
  readonly code?: string | null;
  readonly option?: string | null;
  readonly rule?: string | null;
}

/** A part of a form that has texts. */
export interface NamedPart {
  readonly kind: PartKind;
  readonly name: PartName;
  /** Such as `steps[1].fields[3]`. Empty for the form itself. */
  readonly path: string;
  readonly part: Partial<Record<TextKey, unknown>> & { readonly translations?: Translations };
  /** Whether it belongs to a field that was taken out of the form (N6). */
  readonly isRetired: boolean;
}

interface Translated {
  readonly translations?: Translations;
}

/** The properties that schema responses and form definitions share. */
export interface FormWithTexts extends Translated {
  readonly name: string;
  readonly description: string;
  readonly entities: readonly (Translated & { readonly name: string; readonly label: string })[];
  readonly steps: readonly (Translated & {
    readonly step_number: number;
    readonly title: string;
    readonly description: string;
    readonly fields: readonly (Translated & {
      readonly code: string;
      readonly label: string;
      readonly placeholder: string | null;
      readonly description: string | null;
      readonly retired?: boolean;
      readonly options: readonly (Translated & { readonly value: string; readonly label: string })[];
      readonly rules: readonly (Translated & NamedRule & { readonly message: string | null })[];
    })[];
  })[];
}

/** A rule of a schema response has the code of its other field in one property, and a rule of a definition in another. */
interface NamedRule {
  readonly kind: string;
  readonly other_field_code?: string | null;
  readonly other_field?: string;
}

/** The name of a rule among those of its field (J9): `min_date`, or `min_date.start` for a rule with another field. */
export function nameOfRule({ kind, other_field_code, other_field }: NamedRule): string {
  const other = other_field ?? other_field_code ?? undefined;
  return other === undefined ? kind : `${kind}.${other}`;
}

/** SQL of {@link nameOfRule}. `other` is the other field, if any. */
export const RULE_NAME = `field_rules.kind || coalesce('.' || other.code, '')`;

/** Yields the parts of a form that have texts: the form, then its steps with their fields, then its entities. */
export function* namedParts(form: FormWithTexts): Generator<NamedPart> {
  yield { kind: 'form', name: {}, path: '', part: form, isRetired: false };
  for (const [at, step] of form.steps.entries()) {
    const { step_number } = step;
    yield { kind: 'step', name: { step_number }, path: `steps[${at}]`, part: step, isRetired: false };
    for (const [index, field] of step.fields.entries()) {
      const { code, options, rules } = field;
      const path = `steps[${at}].fields[${index}]`;
      const isRetired = field.retired === true;
      yield { kind: 'field', name: { code }, path, part: field, isRetired };
      for (const [position, part] of options.entries()) {
        const name = { code, option: part.value };
        yield { kind: 'option', name, path: `${path}.options[${position}]`, part, isRetired };
      }
      for (const [position, part] of rules.entries()) {
        const name = { code, rule: nameOfRule(part) };
        yield { kind: 'rule', name, path: `${path}.rules[${position}]`, part, isRetired };
      }
    }
  }
  for (const [at, part] of form.entities.entries())
    yield { kind: 'entity', name: { entity: part.name }, path: `entities[${at}]`, part, isRetired: false };
}

/** A text of a form in its own language. */
export interface OwnText {
  readonly part: NamedPart;
  readonly key: TextKey;
  readonly text: string;
}

/** Yields the texts of a form, without those that nobody sees: empty ones, and those of retired fields. */
export function* ownTexts(form: FormWithTexts): Generator<OwnText> {
  for (const part of namedParts(form)) {
    if (part.isRetired) continue;
    for (const key of TRANSLATED_KEYS[part.kind]) {
      const text = part.part[key];
      if (typeof text === 'string' && text !== '') yield { part, key, text };
    }
  }
}

/**
 * Writes the name of a part as one word of letters, digits, `.`, `-`, `_` and `:`, such as `fields.colour.options.dark:20red`. Other
 * bytes are hexadecimal after a colon, so that different parts have different words.
 */
export function wordOf({ step_number, entity, code, option, rule }: PartName): string {
  if ((step_number ?? null) !== null) return `steps.${step_number}`;
  if ((entity ?? null) !== null) return `entities.${escapeWord(entity as string)}`;
  if ((code ?? null) === null) return 'form';
  const field = `fields.${escapeWord(code as string)}`;
  if ((option ?? null) !== null) return `${field}.options.${escapeWord(option as string)}`;
  return (rule ?? null) === null ? field : `${field}.rules.${escapeRule(rule as string)}`;
}

const escapeRule = (name: string) =>
  name
    .split(/[.](.*)/s, 2)
    .map(escapeWord)
    .join('.');

const escapeWord = (text: string) =>
  /^[\w-]*$/.test(text)
    ? text
    : text.replace(/[^\w-]/gu, (character) =>
        [...Buffer.from(character)]
          .map((byte) => `:${byte.toString(16).toUpperCase().padStart(2, '0')}`)
          .join(''),
      );
