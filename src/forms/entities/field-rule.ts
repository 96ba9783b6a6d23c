import {
  Check,
  Column,
  Entity,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  type Relation,
  Unique,
} from 'typeorm';
import { Field } from './field.js';

/** The kinds of rules (J2), in the order in which they are published and checked. */
export const RULE_KINDS = [
  'min',
  'max',
  'min_length',
  'max_length',
  'pattern',
  'min_date',
  'max_date',
] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** The format of a rule's value, by kind. The database cannot check whether a pattern compiles. */
const VALUE = `case
  when kind in ('min', 'max') then value ~ '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$'
  when kind in ('min_length', 'max_length')
    then value ~ '^([1-9][0-9]{0,3}|[1-5][0-9]{4}|6([0-4][0-9]{3}|5([0-4][0-9]{2}|5([0-2][0-9]|3[0-5]))))$'
  when kind in ('min_date', 'max_date')
    then value ~ '^(today([+-][0-9]{1,5}d)?|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|[0-9]{4}-(0[13-9]|1[0-2])-(29|30)|[0-9]{4}-(0[13578]|1[02])-31|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)$'
  else value <> '' end`;

/** A rule for the values of a field, which strict completion checks (J2). A field has at most one of each kind. */
@Entity('field_rules', {
  synchronize: false,
  comment: 'What strict completion asks of the values of a field; one of a kind for a field.',
})
@Unique('field_rules_field_id_kind_key', ['fieldId', 'kind'])
@Check('field_rules_value_check', VALUE)
@Check('field_rules_message_check', `message <> ''`)
export class FieldRule {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT', comment: 'Given by the database.' })
  id!: number;

  @Column({ name: 'field_id', type: 'integer', comment: 'The field whose values are judged.' })
  fieldId!: number;

  @ManyToOne(() => Field, (field) => field.rules, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'field_id', foreignKeyConstraintName: 'field_rules_field_id_fkey' })
  field!: Relation<Field>;

  @Column({ type: 'enum', enum: RULE_KINDS, enumName: 'field_rule_kind', comment: 'What is looked at.' })
  kind!: RuleKind;

  // J2
  @Column({
    type: 'varchar',
    length: 500,
    comment:
      'By kind: a decimal number, a number of characters (1 to 65535), a pattern of RE2, or a date (2030-12-31, today, today+30d).',
  })
  value!: string;

  @Column({
    type: 'text',
    nullable: true,
    comment: "What people are told instead of the service's own sentence; null: that sentence.",
  })
  message!: string | null;
}
