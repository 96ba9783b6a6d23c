import type { ExtendedField, ExtendedSchema } from '../../forms/dto/form-schema.response.js';
import { nameOfRule } from '../../forms/named-texts.js';
import { parseLines } from '../../forms/parse-form.js';

/** Texts by their names: see {@link nameOf}. */
export type Texts = ReadonlyMap<string, string>;

/** Names a text by its key and its owner, such as `form`, `step 5`, `field 7`, `option 7 red`, `entity child`, `rule 7 pattern` and `rule 7 min_date.start`. */
export const nameOf = (key: string, place: string): string => `${key} of ${place}`;

/** Reads texts from lines, each a place, a key and a text. Later lines replace earlier ones. */
export function* readTexts(lines: string, texts = new Map<string, string>()): Generator<undefined, Texts> {
  for (const [place, key, text] of yield* parseLines<[place: string, key: string, text: string]>(lines))
    texts.set(nameOf(key, place), text);
  return texts;
}

/** Returns a text of the form, translated if it is in `texts`. A text that the form lacks stays missing (L1). */
export const translated = <Text extends string | null>(
  texts: Texts,
  text: Text,
  key: string,
  place: string,
) => (text === null || text === '' ? text : ((texts.get(nameOf(key, place)) ?? text) as Text));

/** Returns the schema with these texts. Yields after each field. */
export function* translatedSchema(
  schema: ExtendedSchema,
  texts: Texts,
  locale: string,
): Generator<undefined, ExtendedSchema> {
  const find = <Text extends string | null>(text: Text, key: string, place: string) =>
    translated(texts, text, key, place);
  const fieldWithTexts = (field: ExtendedField): ExtendedField =>
    Object.assign({}, field, {
      label: find(field.label, 'label', `field ${field.id}`),
      placeholder: find(field.placeholder, 'placeholder', `field ${field.id}`),
      description: find(field.description, 'description', `field ${field.id}`),
      options: field.options.map((option) =>
        Object.assign({}, option, {
          label: find(option.label, 'label', `option ${field.id} ${option.value}`),
        }),
      ),
      rules: field.rules.map((rule) =>
        Object.assign({}, rule, {
          message: find(rule.message, 'message', `rule ${field.id} ${nameOfRule(rule)}`),
        }),
      ),
    });
  const steps: ExtendedSchema['steps'][number][] = [];
  for (const step of schema.steps) {
    const fields: ExtendedField[] = [];
    for (const field of step.fields) {
      fields.push(fieldWithTexts(field));
      yield;
    }
    const title = find(step.title, 'title', `step ${step.id}`);
    const description = find(step.description, 'description', `step ${step.id}`);
    steps.push(Object.assign({}, step, { title, description, fields }));
  }
  return Object.assign({}, schema, {
    name: find(schema.name, 'name', 'form'),
    description: find(schema.description, 'description', 'form'),
    locale,
    steps,
    entities: schema.entities.map((entity) =>
      Object.assign({}, entity, { label: find(entity.label, 'label', `entity ${entity.name}`) }),
    ),
  });
}
