import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds operators of conditions and kinds of rules. A transaction cannot use values that it adds, and a panel may execute all migrations in
 * one transaction. The migrations after it therefore compare kinds as text, or with older kinds.
 */
export class OperatorsAndKinds1798000000024 implements MigrationInterface {
  name = 'OperatorsAndKinds1798000000024';

  async up(runner: QueryRunner): Promise<void> {
    const added = { condition_operator: OPERATORS, field_rule_kind: KINDS };
    for (const [type, words] of Object.entries(added))
      for (const word of words) await runner.query(`alter type ${type} add value '${word}'`);
  }

  /** PostgreSQL cannot remove the values of a type, so this replaces the types. Deletes the rows that use the values. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      delete from conditions where operator::text in (${quoted(OPERATORS)});
      alter type condition_operator rename to new_operator;
      create type condition_operator as enum
        ('equals', 'not_equals', 'contains', 'greater_than', 'less_than', 'in', 'not_in', 'empty', 'not_empty');
      alter table conditions alter operator type condition_operator using operator::text::condition_operator;
      drop type new_operator;
      alter table field_rules drop constraint field_rules_value_check;
      alter type field_rule_kind rename to new_kind;
      create type field_rule_kind as enum ('min', 'max', 'min_length', 'max_length', 'pattern', 'min_date', 'max_date');
      alter table field_rules alter kind type field_rule_kind using kind::text::field_rule_kind,
        add constraint field_rules_value_check check (${valueOf(`'min', 'max'`, 'd')});
      drop type new_kind`);
  }
}

const OPERATORS = [
  ...['at_least', 'at_most', 'before', 'after', 'on_or_before', 'on_or_after'],
  ...['includes', 'not_includes', 'not_contains'],
];
const KINDS = ['equal', 'not_equal', 'min_sum', 'max_sum'];
const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');

/** The format of a rule's value. The parameters are the kinds with numbers, and the units of distances from today. */
const valueOf = (numbers: string, units: string) => `case
  when kind::text in (${numbers}) then value ~ '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$'
  when kind::text in ('min_length', 'max_length')
    then value ~ '^([1-9][0-9]{0,3}|[1-5][0-9]{4}|6([0-4][0-9]{3}|5([0-4][0-9]{2}|5([0-2][0-9]|3[0-5]))))$'
  when kind::text in ('min_date', 'max_date')
    then value ~ '^(today([+-][0-9]{1,5}${units})?|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|[0-9]{4}-(0[13-9]|1[0-2])-(29|30)|[0-9]{4}-(0[13578]|1[02])-31|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)$'
  else value <> '' end`;

/** Adds the field whose value a condition compares with. */
export class ValueFields1798000000025 implements MigrationInterface {
  name = 'ValueFields1798000000025';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table conditions add value_field_id integer, add constraint conditions_value_field_id_check
        check (value_field_id is null or value = '' and operator not in ('empty', 'not_empty', 'in', 'not_in'));
      create index conditions_form_id_value_field_id_idx on conditions (form_id, value_field_id) where value_field_id is not null;
      comment on column conditions.value_field_id is
        'The field of the same form whose stored value the condition compares with, instead of value; or null.'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      delete from conditions where value_field_id is not null;
      alter table conditions drop value_field_id`);
  }
}

/** Adds the field that a rule compares with, and sums over records. */
export class RulesBetweenFields1798000000026 implements MigrationInterface {
  name = 'RulesBetweenFields1798000000026';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table field_rules alter value drop not null, add other_field_id integer, add offset_days integer,
        drop constraint field_rules_field_id_kind_key,
        add constraint field_rules_field_id_kind_other_field_id_key unique (field_id, kind, other_field_id),
        drop constraint field_rules_value_check,
        add constraint field_rules_value_check check (${valueOf(`'min', 'max', 'min_sum', 'max_sum'`, '[dmy]')}),
        add constraint field_rules_other_field_check check (
          case when other_field_id is null then value is not null and kind::text not in ('equal', 'not_equal')
            else value is null and kind::text in ('min', 'max', 'min_date', 'max_date', 'equal', 'not_equal') end),
        add constraint field_rules_offset_days_check check (offset_days between -99999 and 99999
          and (offset_days is null or other_field_id is not null and kind::text in ('min_date', 'max_date')));
      create unique index field_rules_field_id_kind_key on field_rules (field_id, kind) where other_field_id is null;
      create index field_rules_field_id_idx on field_rules (field_id) where other_field_id is not null or kind > 'max_date';
      comment on table field_rules is
        'Rules that strict completion applies to the values of a field, at most one of each kind with a value, and one for each other field.';
      comment on column field_rules.value is
        'A decimal number, a number of characters (1 to 65535), an RE2 pattern, or a date (2030-12-31, today, today+30d, today-18y), depending on the kind; null: the rule compares with another field.';
      comment on column field_rules.other_field_id is
        'The field of the same form that the rule compares with, for example the end of a period; or null.';
      comment on column field_rules.offset_days is
        'The days that min_date and max_date add to the date of the other field, -99999 to 99999; null: none.'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      delete from field_rules where other_field_id is not null or kind::text in ('min_sum', 'max_sum') or value ~ '^today.*[my]$';
      alter table field_rules drop other_field_id, drop offset_days, alter value set not null,
        add constraint field_rules_field_id_kind_key unique (field_id, kind),
        drop constraint field_rules_value_check,
        add constraint field_rules_value_check check (${valueOf(`'min', 'max'`, 'd')});
      comment on table field_rules is 'Rules that strict completion applies to the values of a field, at most one of each kind.';
      comment on column field_rules.value is
        'A decimal number, a number of characters (1 to 65535), an RE2 pattern, or a date (2030-12-31, today, today+30d), depending on the kind.'`);
  }
}

/** Adds choices that exclude the others (J12). */
export class ExclusiveOptions1798000000027 implements MigrationInterface {
  name = 'ExclusiveOptions1798000000027';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table options add is_exclusive boolean not null default false;
      comment on column options.is_exclusive is
        'Whether nobody can choose it together with another choice, for example "None of these".'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table options drop is_exclusive');
  }
}

/** Adds the formulas of fields (K1). */
export class ComputedFields1798000000028 implements MigrationInterface {
  name = 'ComputedFields1798000000028';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table fields add computed jsonb;
      create index fields_form_id_idx on fields (form_id) where computed is not null;
      comment on column fields.computed is
        'The formula that computes the value, with codes of fields of the form; null: people fill in the field. Renaming a field renames it here.'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table fields drop computed');
  }
}
