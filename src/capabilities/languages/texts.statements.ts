import { RULE_NAME } from '../../forms/named-texts.js';
import { integer, json, nullable, statement, text } from '../../database/statement.js';

/**
 * Names the owner of a text by what the schema response shows, because the schemas of kept versions have no ids of options, entities and
 * rules: see `translated-schema.ts`.
 */
const PLACE = `case
    when translations.step_id is not null then 'step ' || translations.step_id
    when translations.field_id is not null then 'field ' || translations.field_id
    when option_id is not null then 'option ' || options.field_id || ' ' || options.value
    when translations.entity_id is not null then 'entity ' || entities.name
    when rule_id is not null then 'rule ' || field_rules.field_id || ' ' || ${RULE_NAME}
    else 'form' end`;

const PLACED = `translations
    left join options on options.id = option_id
    left join entities on entities.id = translations.entity_id
    left join field_rules on field_rules.id = rule_id
    left join fields as other on other.id = other_field_id`;

/** A text: the place of its owner, its key, and the text. */
const TEXT = `json_build_array(${PLACE}, key, text)`;

/**
 * Reads the texts of a form in some languages, each on a line of its own, and the version that they belong to. Texts of a language that
 * comes earlier in `$2` come later, so that they replace the others.
 */
export const FIND_TEXTS = statement(
  'languages.texts',
  `select version,
          (select coalesce(string_agg(${TEXT}::text, e'\\n' order by array_position($2::text[], locale::text) desc), '')
             from ${PLACED} where translations.form_id = forms.id and locale = any ($2::text[]))
     from forms where id = $1`,
  { version: integer, texts: text },
);

/** Reads the texts of forms themselves in some languages: those of a language that comes earlier in `$2` come later. */
export const FIND_NAMES = statement(
  'languages.names',
  `select form_id, json_agg(json_build_array(locale, key, text) order by array_position($2::text[], locale::text) desc)
     from translations where owner = 'form' and form_id = any ($1::integer[]) and locale = any ($2::text[])
    group by form_id`,
  { form_id: integer, texts: json<readonly (readonly [locale: string, key: string, text: string])[]>() },
);

/** Keeps the texts of the present version (N3), and returns the version. Another transaction may have kept them before. */
export const KEEP_TEXTS = statement(
  'languages.keep',
  `with present as (select id, version from forms where id = $1),
        kept as (
          insert into form_version_texts (form_id, version, locale, texts)
          select present.id, present.version, locale, string_agg(${TEXT}::text, e'\\n')
            from present join ${PLACED} on translations.form_id = present.id
           where present.version = $2
           group by present.id, present.version, locale
          on conflict do nothing)
   select version from present`,
  { version: integer },
);

/** The language of a kept version, and its further ones. */
export interface KeptLanguages {
  readonly own: string | null;
  readonly locales: readonly string[];
}

export const FIND_KEPT_LANGUAGES = statement<KeptLanguages>(
  'languages.kept_languages',
  `select schema -> 'data' ->> 'locale',
          (select coalesce(json_agg(locale), '[]') from form_version_texts as kept
            where kept.form_id = $1 and kept.version = $2)
     from form_versions where form_id = $1 and version = $2`,
  { own: nullable(text), locales: json<readonly string[]>() },
);

/** Reads the texts of a kept version in some languages, in the order of `$3`. */
export const FIND_KEPT_TEXTS = statement(
  'languages.kept_texts',
  `select texts from form_version_texts where form_id = $1 and version = $2 and locale = any ($3::text[])
    order by array_position($3::text[], locale::text)`,
  { lines: text },
);

/** A program that has rewritten the row may have put line breaks between its parts. */
const linesSql = (value: string, order: string) =>
  `coalesce(string_agg(replace(${value}::text, e'\\n', ' '), e'\\n' order by ${order}), '')`;
const without = (key: string) => `json_build_array(key, case when key <> '${key}' then value end)`;
const STEPS = `json_array_elements(data -> 'steps') with ordinality as steps (step, at)`;

/** Reads the schema of a kept version in lines, because parsing a large schema at once takes too long. */
export const FIND_KEPT_SCHEMA = statement(
  'languages.kept_schema',
  `select (select ${linesSql(without('steps'), 'at')} from json_each(data) with ordinality as own (key, value, at)),
          (select ${linesSql(`(select json_agg(${without('fields')}) from json_each(step))`, 'at')} from ${STEPS}),
          (select ${linesSql('json_build_array(at - 1, field)', 'at, place')} from ${STEPS}
             cross join lateral json_array_elements(step -> 'fields') with ordinality as fields (field, place))
     from (select schema -> 'data' as data from form_versions where form_id = $1 and version = $2
              and version > coalesce((select last_version from form_uuids where uuid = $3), 0)) as kept
    where json_typeof(data) = 'object' and json_typeof(data -> 'steps') = 'array'`,
  { properties: text, steps: text, fields: text },
);

/** The language of a form, and its labels in the languages `$2`, for commands. */
export const FIND_LABELS = `
  select locale as own,
         (select coalesce(json_agg(json_build_object('locale', tag, 'lines', lines)), '[]') from (
           select locale as tag, string_agg(${TEXT}::text, e'\\n') as lines
             from ${PLACED} where translations.form_id = forms.id and locale = any ($2) and key = 'label' group by locale) found) as texts
    from forms where id = $1`;

/** Like {@link FIND_LABELS}, in the version `$3` that was kept. Finds all texts of the version. */
export const FIND_KEPT_LABELS = `
  select schema -> 'data' ->> 'locale' as own,
         (select coalesce(json_agg(json_build_object('locale', locale, 'lines', texts)), '[]') from form_version_texts as kept
           where kept.form_id = $1 and kept.version = $3 and locale = any ($2)) as texts
    from form_versions where form_id = $1 and version = $3`;
