import { KEEPING_KEYS } from './form-definition.js';

/**
 * Statements that write rows of a form to one table. `$1` is the form's id, and `$2` has the rows as JSON. The rows refer to
 * other rows by names that are unique in the form.
 */
interface TableStatements {
  readonly insert: string;
  readonly update: string;
  readonly delete: string;
}

// New rows get their ids in the order of the file, because rows with an equal `order` are sorted by id (F7).
const rowsSql = (columns: string) => `json_to_recordset($2::json) as wanted(position integer, ${columns})`;

const ENTITY_ROWS = rowsSql(
  'name text, label text, is_repeatable boolean, min_records integer, max_records integer',
);
const STEP_ROWS = rowsSql(
  'step_number integer, title text, description text, is_visible boolean, meta jsonb',
);
const FIELD_ROWS =
  rowsSql(`code text, step_number integer, field_type text, entity text, label text, placeholder text,
  description text, is_required boolean, is_repeatable boolean, default_value text, computed jsonb, max_bytes integer, accept text,
  meta jsonb, "order" integer, is_personal boolean, retired boolean`);
const OPTION_ROWS = rowsSql(
  'code text, label text, value text, "order" integer, is_exclusive boolean, places integer',
);
const RULE_ROWS = rowsSql(
  'code text, kind field_rule_kind, value text, other_field text, offset_days integer, message text',
);
/** Each row sets exactly one of these. */
const OWNER_COLUMNS = 'code text, step_number integer, entity text';
const CONDITION_ROWS = rowsSql(
  `${OWNER_COLUMNS}, depends_on_field_code text, operator condition_operator, value text, value_field text, action condition_action,
  "group" integer`,
);

const isOfFormSql = (table: string, key: string) =>
  `${table}.form_id = $1 and ${table}.${key} = wanted.${key}`;

export const ENTITY_DEFINITIONS: TableStatements = {
  insert: `
    insert into entities (form_id, name, label, is_repeatable, min_records, max_records)
    select $1, name, label, is_repeatable, min_records, max_records from ${ENTITY_ROWS} order by position`,
  update: `
    update entities set label = wanted.label, is_repeatable = wanted.is_repeatable,
                        min_records = wanted.min_records, max_records = wanted.max_records
      from ${ENTITY_ROWS} where ${isOfFormSql('entities', 'name')}`,
  delete: `delete from entities using ${ENTITY_ROWS} where ${isOfFormSql('entities', 'name')}`,
};

export const STEPS: Omit<TableStatements, 'delete'> = {
  insert: `
    insert into steps (form_id, step_number, title, description, is_visible, meta)
    select $1, step_number, title, description, is_visible, meta from ${STEP_ROWS} order by position`,
  update: `
    update steps
       set title = wanted.title, description = wanted.description, is_visible = wanted.is_visible, meta = wanted.meta
      from ${STEP_ROWS} where ${isOfFormSql('steps', 'step_number')}`,
};

const STEP_KEYS = rowsSql('id integer, step_number integer');

/** Two steps may have the same number until the transaction ends. */
export const RENUMBER_STEPS = `
  update steps set step_number = wanted.step_number from ${STEP_KEYS} where ${isOfFormSql('steps', 'id')}`;

export const DELETE_STEPS = `delete from steps using ${STEP_KEYS} where ${isOfFormSql('steps', 'id')}`;

const FIELD_REFERENCES = `
  join steps on ${isOfFormSql('steps', 'step_number')}
  join field_types on field_types.name = wanted.field_type
  left join entities on entities.form_id = $1 and entities.name = wanted.entity`;

export const FIELDS: TableStatements = {
  insert: `
    insert into fields (form_id, step_id, field_type_id, entity_id, code, label, placeholder, description,
                        is_required, is_repeatable, default_value, computed, max_bytes, accept, meta, "order", is_personal, retired_at)
    select $1, steps.id, field_types.id, entities.id, code, wanted.label, placeholder, wanted.description,
           is_required, wanted.is_repeatable, default_value, computed, max_bytes, accept, wanted.meta, "order", wanted.is_personal,
           case when retired then now() end
      from ${FIELD_ROWS} ${FIELD_REFERENCES} order by position`,
  update: `
    update fields
       set step_id = steps.id, field_type_id = field_types.id, entity_id = entities.id, label = wanted.label,
           placeholder = wanted.placeholder, description = wanted.description, is_required = wanted.is_required,
           is_repeatable = wanted.is_repeatable, default_value = wanted.default_value,
           computed = wanted.computed, max_bytes = wanted.max_bytes, accept = wanted.accept, meta = wanted.meta, "order" = wanted."order",
           is_personal = wanted.is_personal, retired_at = case when retired then coalesce(retired_at, now()) end
      from ${FIELD_ROWS} ${FIELD_REFERENCES} where ${isOfFormSql('fields', 'code')}`,
  delete: `delete from fields using ${FIELD_ROWS} where ${isOfFormSql('fields', 'code')}`,
};

const OPTION_KEY = `${isOfFormSql('fields', 'code')} and options.field_id = fields.id and options.value = wanted.value`;

export const OPTIONS: TableStatements = {
  insert: `
    insert into options (field_id, label, value, "order", is_exclusive, places)
    select fields.id, wanted.label, value, wanted."order", is_exclusive, places
      from ${OPTION_ROWS} join fields on ${isOfFormSql('fields', 'code')} order by position`,
  update: `
    update options set label = wanted.label, "order" = wanted."order", is_exclusive = wanted.is_exclusive, places = wanted.places
      from ${OPTION_ROWS}, fields where ${OPTION_KEY}`,
  delete: `delete from options using ${OPTION_ROWS}, fields where ${OPTION_KEY}`,
};

/** The id of a field that a row may name. */
const fieldIdSql = (code: string) =>
  `(select other.id from fields as other where other.form_id = $1 and other.code = ${code})`;
const RULE_KEY = `${isOfFormSql('fields', 'code')} and field_rules.field_id = fields.id and field_rules.kind = wanted.kind
     and field_rules.other_field_id is not distinct from ${fieldIdSql('wanted.other_field')}`;

export const RULES: TableStatements = {
  insert: `
    insert into field_rules (field_id, kind, value, other_field_id, offset_days, message)
    select fields.id, kind, value, ${fieldIdSql('wanted.other_field')}, offset_days, message
      from ${RULE_ROWS} join fields on ${isOfFormSql('fields', 'code')} order by position`,
  update: `
    update field_rules set value = wanted.value, offset_days = wanted.offset_days, message = wanted.message from ${RULE_ROWS}, fields where ${RULE_KEY}`,
  delete: `delete from field_rules using ${RULE_ROWS}, fields where ${RULE_KEY}`,
};

export const INSERT_CONDITIONS = `
  insert into conditions (form_id, field_id, step_id, entity_id, depends_on_field_id, operator, value, value_field_id, action, group_number)
  select $1, fields.id, steps.id, entities.id, tested.id, operator, value, ${fieldIdSql('wanted.value_field')}, action, "group"
    from ${CONDITION_ROWS}
    left join fields on ${isOfFormSql('fields', 'code')}
    left join steps on ${isOfFormSql('steps', 'step_number')}
    left join entities on entities.form_id = $1 and entities.name = wanted.entity
    join fields tested on tested.form_id = $1 and tested.code = wanted.depends_on_field_code
   order by position`;

/** Deletes the conditions of the owners in `$2`. */
export const DELETE_CONDITIONS = `
  delete from conditions using ${rowsSql(OWNER_COLUMNS)}
   where form_id = $1 and (
     field_id = (select id from fields where ${isOfFormSql('fields', 'code')})
     or step_id = (select id from steps where ${isOfFormSql('steps', 'step_number')})
     or entity_id = (select id from entities where entities.form_id = $1 and entities.name = wanted.entity))`;

export const INSERT_FORM = `
  insert into forms (uuid, name, slug, description, is_active, completion, access, proof_of_work, time_zone,
                     opens_at, closes_at, closes_drafts, max_submissions, max_per_user, locale, ${KEEPING_KEYS.join()})
  values (coalesce($1, gen_random_uuid()), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) returning id`;

export const UPDATE_FORM = `
  update forms set name = $2, description = $3, is_active = $4, completion = $5, access = $6, proof_of_work = $7, time_zone = $8,
                   opens_at = $9, closes_at = $10, closes_drafts = $11, max_submissions = $12, max_per_user = $13,
                   locale = $14, ${KEEPING_KEYS.map((key, index) => `${key} = $${15 + index}`).join(', ')}
   where id = $1`;

/** The parameters are the id of the form and the language. */
export const DELETE_LANGUAGE = 'delete from translations where form_id = $1 and locale = $2';

/** The parameters are an array of names and an array of components. */
export const INSERT_FIELD_TYPES = `
  insert into field_types (name, component)
  select * from unnest($1::text[], $2::text[]) on conflict (name) do nothing`;
