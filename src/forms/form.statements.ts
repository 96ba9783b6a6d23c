import type { CompletionPolicy } from '../config/environment.js';
import {
  type Columns,
  integer,
  json,
  nullable,
  type ColumnReader,
  statement,
  text,
} from '../database/statement.js';
import { isoTimestampSql } from '../database/iso-timestamp.js';
import type {
  ConditionResponse,
  EntityResponse,
  ExtendedField,
  StepResponse,
} from './dto/form-schema.response.js';
import type { FormResponse } from './dto/form.response.js';
import { RULE_KINDS } from './entities/rule-kinds.js';
import { FIELD_EXTENSION } from './entities/field.js';
import { FORM_EXTENSION, type FormExtension } from './entities/form.js';
import { OPTION_EXTENSION } from './entities/option.js';
import { jsonPairsSql } from './extends-form.js';

/** A form's own columns, with timestamps in wire format. */
export interface FormRow extends FormResponse {
  readonly extension: FormExtension;
}

export interface FieldRow extends Omit<ExtendedField, 'conditions'> {
  readonly step_id: number;
  /** Whether the field was taken out of the form (N6). */
  readonly retired: boolean;
}

/** Exactly one of `field_id`, `step_id` and `entity_id` is not null (C10). */
export interface ConditionRow extends ConditionResponse {
  readonly field_id: number | null;
  readonly step_id: number | null;
  readonly entity_id: number | null;
}

export interface EntityRow extends Omit<EntityResponse, 'conditions'> {
  readonly id: number;
}

/** A form and everything under it, in the order of the schema (F7). */
export interface WholeFormRow extends FormRow {
  /** The time zone of `today` in rules (J2). */
  readonly time_zone: string | null;
  /** The person who made this version (N7). */
  readonly updated_by: string | null;
  readonly steps: readonly Omit<StepResponse, 'fields' | 'conditions'>[];
  readonly fields: readonly FieldRow[];
  readonly conditions: readonly ConditionRow[];
  readonly entities: readonly EntityRow[];
}

/** The same with a line of JSON for each element of its lists, because parsing a large form at once takes too long. */
export type WholeFormText = Omit<WholeFormRow, FormList> & Readonly<Record<FormList, string>>;
type FormList = 'steps' | 'fields' | 'conditions' | 'entities';

const EXTENSION = jsonPairsSql(Object.keys(FORM_EXTENSION), {
  opens_at: isoTimestampSql('forms.opens_at'),
  closes_at: isoTimestampSql('forms.closes_at'),
  locales: 'array_remove(array_prepend(forms.locale::text, forms.locales), null)',
});

const FORM_COLUMNS = `forms.id, forms.uuid, forms.name, forms.slug, forms.description, forms.is_active, forms.version,
  forms.completion, json_build_object(${EXTENSION}) as extension, ${isoTimestampSql('forms.created_at')} as created_at, ${isoTimestampSql('forms.updated_at')} as updated_at`;

const WHOLE_FORM: Columns<WholeFormText> = {
  id: integer,
  uuid: text,
  name: text,
  slug: text,
  description: text,
  is_active: (value) => value === 't',
  version: integer,
  completion: nullable(text as ColumnReader<CompletionPolicy>),
  extension: json<FormExtension>(),
  created_at: text,
  updated_at: text,
  time_zone: nullable(text),
  updated_by: nullable(text),
  steps: text,
  fields: text,
  conditions: text,
  entities: text,
};

/** One page of the active forms, by id (F1), and the number of all active forms. */
export const LIST_ACTIVE_FORMS = statement(
  'forms.list',
  `select (select count(*) from forms where is_active),
          coalesce((select json_agg(listed order by listed.id) from (
            select ${FORM_COLUMNS} from forms where is_active order by id limit $1 offset $2
          ) listed), '[]')`,
  { total: integer, forms: json<FormRow[]>() },
);

/** No line feed is inside of a line, because JSON escapes those of strings, and PostgreSQL writes these objects without any. */
const linesSql = (object: string, order: string) =>
  `coalesce(string_agg(${object}::text, e'\\n' order by ${order}), '')`;

/** The code of another field. Most rows have none, and then PostgreSQL searches for no field. */
const codeSql = (id: string) =>
  `case when ${id} is not null then (select other.code from fields as other where other.id = ${id}) end`;

// One statement, so that all parts of the form come from the same snapshot.
const wholeForm = (name: string, where: string) =>
  statement(
    name,
    `select ${FORM_COLUMNS}, forms.time_zone, forms.updated_by,
       (select ${linesSql(
         `json_build_object(
            'id', id, 'step_number', step_number, 'title', title, 'description', description,
            'is_visible', is_visible, 'meta', meta
          )`,
         'step_number',
       )}
          from steps where form_id = forms.id) as steps,
       (select ${linesSql(
         `json_build_object(
            'id', fields.id, 'step_id', step_id, 'code', code, 'label', fields.label, 'placeholder', placeholder,
            'description', description, 'is_required', is_required, 'is_repeatable', fields.is_repeatable,
            'default_value', default_value, 'computed', computed, ${jsonPairsSql(FIELD_EXTENSION)}, 'meta', meta, 'order', "order",
            'field_type', json_build_object('name', field_types.name, 'component', component),
            'entity', entities.name, 'retired', retired_at is not null,
            'options', (
              select coalesce(json_agg(json_build_object('label', label, 'value', value, 'order', "order",
                       'is_exclusive', is_exclusive, ${jsonPairsSql(OPTION_EXTENSION)}) order by "order", id), '[]')
                from options where field_id = fields.id),
            'rules', (
              select coalesce(json_agg(json_build_object('kind', kind, 'value', value,
                       'other_field_code', ${codeSql('other_field_id')}, 'offset_days', offset_days, 'message', message)
                       order by array_position('{${RULE_KINDS.join()}}'::text[], kind::text), other_field_id nulls first), '[]')
                from field_rules where field_id = fields.id)
          )`,
         '"order", fields.id',
       )}
          from fields
          join field_types on field_types.id = field_type_id
          left join entities on entities.id = entity_id
         where fields.form_id = forms.id) as fields,
       (select ${linesSql(
         `json_build_object(
            'field_id', field_id, 'step_id', conditions.step_id, 'entity_id', conditions.entity_id,
            'depends_on_field_id', depends_on_field_id, 'depends_on_field_code', code,
            'operator', operator, 'value', value, 'value_field_code', ${codeSql('value_field_id')}, 'action', action, 'group', group_number
          )`,
         'conditions.id',
       )}
          from conditions join fields on fields.id = depends_on_field_id
         where conditions.form_id = forms.id) as conditions,
       (select ${linesSql(
         `json_build_object(
            'id', id, 'name', name, 'label', label, 'is_repeatable', is_repeatable,
            'min_records', min_records, 'max_records', max_records)`,
         'id',
       )}
          from entities where form_id = forms.id) as entities
     from forms where ${where}`,
    WHOLE_FORM,
  );

export const FIND_FORM_BY_UUID = wholeForm('forms.by_uuid', 'uuid = $1');
export const FIND_FORM_BY_SLUG = wholeForm('forms.by_slug', 'slug = $1');
export const FIND_FORM_BY_ID = wholeForm('forms.by_id', 'id = $1');

/** Keeps the schema of a version (N3). Another transaction may have kept it before. */
export const KEEP_VERSION = statement(
  'forms.keep_version',
  `insert into form_versions (form_id, version, schema, changed_by, changed_at) values ($1, $2, $3, $4, $5)
   on conflict do nothing`,
  {},
);

/** A form that got another UUID serves no version that an earlier form with this UUID may have had. */
export const FIND_VERSION = statement(
  'forms.version',
  `select schema::text from form_versions where form_id = $1 and version = $2
      and version > coalesce((select last_version from form_uuids where uuid = $3), 0)`,
  { schema: text },
);
