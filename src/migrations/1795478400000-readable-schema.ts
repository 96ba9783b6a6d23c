import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The comment on each column, by table. The comment on the table has an empty key. */
const COMMENTS: Record<string, Record<string, string>> = {
  users: {
    '': 'People who have access tokens; each submission belongs to one of them.',
    id: 'Given by the database.',
    email: 'Unique whatever its letter case.',
    created_at: 'When the user was made.',
  },
  api_tokens: {
    '': 'Access tokens; who sends one acts as its user. A change counts from the next request on.',
    id: 'Given by the database; by it a token is revoked.',
    user_id: 'Whose token it is.',
    name: 'What the token is for; null: not said.',
    token_hash: 'SHA-256 of the plain token, 32 bytes; the plain token is stored nowhere.',
    expires_at: 'From then on it is refused; null: never.',
    revoked_at: 'Set once, when the token is revoked; null: it is not.',
    created_at: 'When the token was issued.',
  },
  steps: {
    '': 'Steps of a form, one page each.',
    id: 'Given by the database.',
    form_id: 'The form that it is a step of.',
    step_number: 'From 1, unique in the form; steps come in this order.',
    title: 'The heading of the step.',
    description: 'Shown below the title; may be empty.',
    is_visible: 'For clients; a step that is not visible counts all the same.',
    meta: 'A free-form object for clients, for example with the name of an icon; or null.',
  },
  forms: {
    '': 'Forms. A change of one, or of anything under it, is published when its transaction commits.',
    id: 'Given by the database.',
    uuid: 'By which clients name the form; given by the database.',
    name: '1 to 255 characters.',
    slug: 'Unique, for addresses: lower-case letters, digits and single hyphens between them.',
    description: 'Shown with the name; may be empty.',
    is_active: 'False: not listed, and takes no new submissions; drafts go on.',
    completion:
      'Whether completion judges values: strict, lenient, or null for the COMPLETION_POLICY of the deployment.',
    version: 'Raised by the database, once in each transaction that changes the form or anything under it.',
    created_at: 'When the form was made.',
    updated_at: 'Moved on by the database together with the version.',
  },
  entities: {
    '': 'What a form asks about in a group of fields, once or (repeatable) several times, for example the expenses of a claim.',
    id: 'Given by the database.',
    form_id: 'The form that asks about it.',
    name: 'Unique in the form; for programs.',
    label: 'For people.',
    is_repeatable: 'Whether a submission may have several records of it.',
    min_records: 'Fewer are a mistake of strict completion; null: none are needed.',
    max_records: 'More are refused; null: as many as a submission can have, 200 of all entities together.',
  },
  field_rules: {
    '': 'What strict completion asks of the values of a field; one of a kind for a field.',
    id: 'Given by the database.',
    field_id: 'The field whose values are judged.',
    kind: 'What is looked at.',
    value:
      'By kind: a decimal number, a number of characters (1 to 65535), a pattern of RE2, or a date (2030-12-31, today, today+30d).',
    message: "What people are told instead of the service's own sentence; null: that sentence.",
  },
  field_types: {
    '': 'What kinds of fields there are.',
    id: 'Given by the database.',
    name: 'Unique, such as text.',
    component:
      'The element that clients render, such as text-input; one that they do not know is rendered as a plain text input.',
  },
  options: {
    '': 'What a select, a radio group or a group of checkboxes offers.',
    id: 'Given by the database.',
    field_id: 'The field that offers it.',
    label: 'For people.',
    value: 'What is stored where it is chosen; unique in the field.',
    order: 'Position within the field; need not be unique.',
  },
  fields: {
    '': 'Questions of a step, and what it only displays.',
    id: 'Given by the database; clients name the field by it or by its code.',
    form_id: "The form of the field's step; 0 or null: the database fills it in.",
    step_id: 'The step that shows the field.',
    field_type_id: 'What kind of field it is.',
    entity_id: 'The entity of the same form that the field belongs to, or null.',
    code: 'Stable name for programs, snake_case, unique in the form.',
    label: 'The question, for people.',
    placeholder: 'Shown in the empty field, or null.',
    description: 'Shown with the label, or null.',
    is_required: 'Whether a value is required unless conditions say otherwise.',
    is_repeatable:
      'Whether it holds a value for each record of its entity; cannot change while values are stored.',
    default_value: 'What clients begin with, or null; never stored by the service.',
    order: 'Position within the step; need not be unique.',
  },
  conditions: {
    '': 'When a field is shown, hidden or required, by the stored value of another field of the same form.',
    id: 'Given by the database.',
    form_id: 'The form of both fields; 0 or null: the database fills it in.',
    field_id: 'The field that is shown, hidden or required.',
    depends_on_field_id: 'The field whose stored value is tested.',
    operator: 'How it is tested.',
    value:
      'What it is compared with; a comma-separated list for in and not_in, empty for empty and not_empty.',
    action: 'What becomes of the field where the condition is met.',
    group_number: 'Conditions of one field with the same action and number are met together; null: alone.',
  },
  submission_values: {
    '': 'What a submission holds for its fields. Written by the service alone.',
    submission_uuid: 'The submission that holds it.',
    field_id: 'The field that it answers.',
    record_key: "Made by the database: 0, or the record of a repeatable field's value.",
    form_id: 'The form of the submission and of the field.',
    is_repeatable: "The field's own is_repeatable; a foreign key keeps the two equal.",
    entity_record_id: 'The record that it belongs to, or null.',
    value: 'At most 65535 characters; an empty text counts as no value.',
  },
  submissions: {
    '': 'What somebody fills in, or has. Written by the service alone.',
    uuid: 'Given by the service; version 7, which sorts by time of creation.',
    form_id: 'The form that is filled in.',
    user_id: 'Whose token created it; nobody else can reach it.',
    status: 'draft, or completed, which is final.',
    current_step: "Position among the form's steps in the order of their numbers, from 1.",
    meta: 'Whatever object the client sent, at most 16 KiB; or null.',
    created_at: 'When the draft was begun.',
    updated_at: 'Moves with every accepted write, storing values included; never twice the same.',
  },
  entity_records: {
    '': 'Occurrences of an entity in a submission, for example one expense of a claim.',
    submission_uuid: 'The submission that has it.',
    id: 'Given by the database.',
    form_id: 'The form of the submission and of the entity.',
    entity_id: 'What it is a record of.',
    created_at: 'When the record was added.',
  },
  idempotency_keys: {
    '': 'Responses to requests that carried an Idempotency-Key, for whoever sends one again. Written by the service alone.',
    user_id: 'Who sent the request.',
    key: 'What the client sent.',
    request_hash: 'SHA-256 of the operation and what it was asked.',
    answer: 'What the service answered, as JSON.',
    expires_at: 'From then on it is forgotten, 24 hours after the request.',
  },
};

const ENUMS = [
  [
    ['conditions', 'operator', 'condition_operator'],
    ['equals', 'not_equals', 'contains', 'greater_than', 'less_than', 'in', 'not_in', 'empty', 'not_empty'],
  ],
  [
    ['conditions', 'action', 'condition_action'],
    ['show', 'hide', 'require'],
  ],
  [
    ['field_rules', 'kind', 'field_rule_kind'],
    ['min', 'max', 'min_length', 'max_length', 'pattern', 'min_date', 'max_date'],
  ],
] as const;

/** The check stays the same. It is dropped and added again, because one of its columns changes its type. */
const RULE_VALUE = `alter table field_rules add constraint field_rules_value_check check (case
  when kind in ('min', 'max') then value ~ '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$'
  when kind in ('min_length', 'max_length')
    then value ~ '^([1-9][0-9]{0,3}|[1-5][0-9]{4}|6([0-4][0-9]{3}|5([0-4][0-9]{2}|5([0-2][0-9]|3[0-5]))))$'
  when kind in ('min_date', 'max_date')
    then value ~ '^(today([+-][0-9]{1,5}d)?|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|[0-9]{4}-(0[13-9]|1[0-2])-(29|30)|[0-9]{4}-(0[13578]|1[02])-31|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)$'
  else value <> '' end)`;

/** Returns a trigger function that sets the form of a row to the form of its step or field. */
const formOf = (procedure: string, isMissing: string, table: string, column: string) => `
  create or replace function ${procedure}() returns trigger language plpgsql as $$
  begin
    if ${isMissing} then
      select form_id into new.form_id from ${table} where id = new.${column};
    end if;
    return new;
  end $$`;

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * Makes the schema describe itself to tools that write to it (ADR 12). Every table and column has a comment, columns with a fixed set
 * of texts are enums, and `form_id`, which the database fills in, has a default.
 */
export class ReadableSchema1795478400000 implements MigrationInterface {
  name = 'ReadableSchema1795478400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table field_rules drop constraint field_rules_value_check');
    for (const [[table, column, type], labels] of ENUMS) {
      await runner.query(`
        create type ${type} as enum (${labels.map(quoted).join()});
        alter table ${table} drop constraint ${table}_${column}_check,
          alter ${column} type ${type} using ${column}::${type}`);
    }
    await runner.query(RULE_VALUE);

    await runner.query(`
      alter table fields alter form_id set default 0;
      alter table conditions alter form_id set default 0`);
    const isMissing = 'coalesce(new.form_id, 0) = 0';
    await runner.query(formOf('formtrail_form_of_step', isMissing, 'steps', 'step_id'));
    await runner.query(formOf('formtrail_form_of_field', isMissing, 'fields', 'field_id'));

    await comment(runner, quoted);
  }

  async down(runner: QueryRunner): Promise<void> {
    await comment(runner, () => 'null');

    const isMissing = 'new.form_id is null';
    await runner.query(formOf('formtrail_form_of_field', isMissing, 'fields', 'field_id'));
    await runner.query(formOf('formtrail_form_of_step', isMissing, 'steps', 'step_id'));
    await runner.query(`
      alter table conditions alter form_id drop default;
      alter table fields alter form_id drop default`);

    await runner.query('alter table field_rules drop constraint field_rules_value_check');
    for (const [[table, column, type], labels] of ENUMS) {
      await runner.query(`
        alter table ${table} alter ${column} type varchar(20),
          add constraint ${table}_${column}_check check (${column} in (${labels.map(quoted).join()}));
        drop type ${type}`);
    }
    await runner.query(RULE_VALUE);
  }
}

async function comment(runner: QueryRunner, literal: (text: string) => string): Promise<void> {
  for (const [table, { '': ofTable = '', ...ofColumns }] of Object.entries(COMMENTS)) {
    const comments = Object.entries(ofColumns).map(
      ([column, text]) => `comment on column ${table}."${column}" is ${literal(text)}`,
    );
    await runner.query([`comment on table ${table} is ${literal(ofTable)}`, ...comments].join(';'));
  }
}
