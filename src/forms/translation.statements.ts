import { type PartName, RULE_NAME, type TextKey } from './named-texts.js';

/** A text of a form in a further language, by the name of the part that has it. */
export interface NamedTranslation extends PartName {
  readonly locale: string;
  readonly key: TextKey;
  readonly text: string;
}

/** Sorted by language, then by key as in definitions. The parameter is the id of the form. */
export const FIND_TRANSLATIONS = `
  select translations.locale, translations.key, translations.text, steps.step_number, entities.name as entity, fields.code,
         options.value as option, ${RULE_NAME} as rule
    from translations
    left join steps on steps.id = translations.step_id
    left join entities on entities.id = translations.entity_id
    left join options on options.id = translations.option_id
    left join field_rules on field_rules.id = translations.rule_id
    left join fields as other on other.id = field_rules.other_field_id
    left join fields on fields.id = coalesce(translations.field_id, options.field_id, field_rules.field_id)
   where translations.form_id = $1
   order by translations.locale collate "C",
            array_position('{name,title,label,placeholder,description,message}'::text[], translations.key::text)`;

/** The rows of `$2`, a JSON array of {@link NamedTranslation}, with the ids of their parts. `owner` is null without such a part. */
const OWNED = `
  select wanted.locale, wanted.key, wanted.text, steps.id as step_id, entities.id as entity_id, options.id as option_id,
         field_rules.id as rule_id, case when wanted.option is null and wanted.rule is null then fields.id end as field_id,
         case when wanted.step_number is not null then 'step ' || steps.id
              when wanted.entity is not null then 'entity ' || entities.id
              when wanted.option is not null then 'option ' || options.id
              when wanted.rule is not null then 'rule ' || field_rules.id
              when wanted.code is not null then 'field ' || fields.id
              else 'form' end as owner
    from json_to_recordset($2::json) as wanted(
           step_number integer, entity text, code text, option text, rule text, locale text, key text, text text)
    left join steps on steps.form_id = $1 and steps.step_number = wanted.step_number
    left join entities on entities.form_id = $1 and entities.name = wanted.entity
    left join fields on fields.form_id = $1 and fields.code = wanted.code
    left join options on options.field_id = fields.id and options.value = wanted.option
    left join field_rules on field_rules.id = (
      select field_rules.id from field_rules left join fields as other on other.id = other_field_id
       where field_id = fields.id and ${RULE_NAME} = wanted.rule)`;

/** The parameters are the id of the form and a JSON array of {@link NamedTranslation}. */
export const WRITE_TRANSLATIONS = `
  insert into translations (form_id, locale, step_id, field_id, option_id, entity_id, rule_id, key, text)
  select $1, locale, step_id, field_id, option_id, entity_id, rule_id, key, text from (${OWNED}) owned where owner is not null
  on conflict (form_id, locale, owner, key) do update set text = excluded.text`;

/**
 * The parameters are those of {@link WRITE_TRANSLATIONS}. A part that is gone has no translations any more. Without `offset 0`, PostgreSQL
 * may compare each row of `$2` with each translation, because it has no statistics of `$2`.
 */
export const DELETE_TRANSLATIONS = `
  delete from translations where id in (
    select found.id from (${OWNED}) owned cross join lateral (
      select id from translations
       where form_id = $1 and locale = owned.locale and owner = owned.owner and key = owned.key offset 0
    ) found)`;
