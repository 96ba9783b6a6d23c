import type { EntityManager } from 'typeorm';
import { CommandError, noFormWithSlug } from '../../../cli/command-error.js';
import { FIND_FORM_BY_SLUG, type WholeFormText } from '../../../forms/form.statements.js';
import { presentSchema, withoutRetired } from '../../../forms/form.presenter.js';
import { MAX_NAME } from '../../../forms/limits.js';
import {
  type NamedPart,
  type OwnText,
  ownTexts,
  type PartName,
  type TextKey,
  wordOf,
} from '../../../forms/named-texts.js';
import { parseForm } from '../../../forms/parse-form.js';
import { FIND_TRANSLATIONS, type NamedTranslation } from '../../../forms/translation.statements.js';
import { printable } from '../../../process/printable.js';

/** A text of a form, and its translation into one language. */
export interface Unit {
  /** Such as `steps.2.title`. Stays the same while the part keeps its name, and is an NMTOKEN of XML. */
  readonly id: string;
  readonly name: PartName;
  readonly key: TextKey;
  readonly source: string;
  readonly target: string | undefined;
  /** Tells a translator where the text stands. */
  readonly note: string;
}

export interface FormInLanguages {
  readonly id: number;
  readonly slug: string;
  /** The language of the form's own texts. */
  readonly locale: string;
  /** All languages, the form's own first. */
  readonly locales: readonly string[];
  /** In the order of the form. */
  readonly units: readonly Unit[];
  /** The bytes of the schema in the form's own language. */
  readonly schemaBytes: number;
}

/** Reads a form with its texts in one further language. Leaves out retired fields and empty texts, which nobody sees. */
export async function readTexts(
  manager: EntityManager,
  slug: string,
  locale: string,
): Promise<FormInLanguages> {
  const [found] = await manager.query<WholeFormText[]>(FIND_FORM_BY_SLUG.text, [slug]);
  if (found === undefined) throw noFormWithSlug(slug);
  const form = withoutRetired(await parseForm(found));
  const { locale: own, locales } = form.extension;
  if (own === null)
    throw new CommandError(
      `The form "${slug}" does not say its language, so nothing can be translated from it. Set "locale" in its definition, such as ` +
        '"locale": "en", and import it, or set forms.locale.',
    );
  if (own === locale)
    throw new CommandError(
      `The texts of the form "${slug}" are in ${own} already. Choose another language with --locale.`,
    );
  const rows = await manager.query<NamedTranslation[]>(FIND_TRANSLATIONS, [form.id]);
  const targets = new Map(
    rows.flatMap((row) => (row.locale === locale ? [[`${wordOf(row)}.${row.key}`, row.text]] : [])),
  );
  const schema = presentSchema(form);
  const places = new Map(
    schema.steps.flatMap(({ step_number, fields }) => fields.map(({ code }) => [code, step_number] as const)),
  );
  const units = [...ownTexts(schema)].map((own) => {
    const { part, key, text } = own;
    const id = `${wordOf(part.name)}.${key}`;
    return { id, name: part.name, key, source: text, target: targets.get(id), note: noteOn(own, places) };
  });
  const schemaBytes = Buffer.byteLength(JSON.stringify({ data: schema }));
  return { id: form.id, slug, locale: own, locales, units, schemaBytes };
}

/** Whether the text is in a column for short texts. */
export const isShort = (key: TextKey) => key === 'name' || key === 'title';

function noteOn({ part, key, text }: OwnText, places: ReadonlyMap<string, number>): string {
  const step = places.get(part.name.code ?? '');
  const where = `The ${key} of ${describe(part)}${step === undefined ? '' : `, in step ${step}`}.`;
  const limit = isShort(key) ? ` At most ${MAX_NAME} characters.` : '';
  const marks = /[*_]|\]\(/.test(text) ? ' Keep the marks of links, emphasis and lists.' : '';
  return printable(where + limit + marks);
}

function describe({ kind, name }: NamedPart): string {
  const field = `the field "${name.code}"`;
  switch (kind) {
    case 'form':
      return 'the form';
    case 'step':
      return `step ${name.step_number}`;
    case 'entity':
      return `the entity "${name.entity}", in the singular`;
    case 'field':
      return field;
    case 'option':
      return `the option "${name.option}" of ${field}`;
    case 'rule':
      return `the rule "${name.rule}" of ${field}`;
  }
}
