import { Check, Column, Entity, OneToMany, PrimaryGeneratedColumn, type Relation, Unique } from 'typeorm';
import { isTimestamp } from '../../database/entities/timestamp-checks.js';
import { EntityDefinition } from './entity-definition.js';
import { Step } from './step.js';

@Entity('forms', {
  synchronize: false,
  comment: 'Forms. A change of one, or of anything under it, is published when its transaction commits.',
})
@Unique('forms_uuid_key', ['uuid'])
@Unique('forms_slug_key', ['slug'])
@Check('forms_name_check', `name <> ''`)
@Check('forms_slug_check', `slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'`)
@Check('forms_completion_check', `completion in ('strict', 'lenient')`)
@Check('forms_created_at_check', isTimestamp('created_at'))
@Check('forms_updated_at_check', isTimestamp('updated_at'))
export class Form {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT', comment: 'Given by the database.' })
  id!: number;

  @Column({
    type: 'uuid',
    default: () => 'gen_random_uuid()',
    comment: 'By which clients name the form; given by the database.',
  })
  uuid!: string;

  // F5
  @Column({ type: 'varchar', length: 255, comment: '1 to 255 characters.' })
  name!: string;

  // F5
  @Column({
    type: 'varchar',
    length: 255,
    comment: 'Unique, for addresses: lower-case letters, digits and single hyphens between them.',
  })
  slug!: string;

  @Column({ type: 'text', default: '', comment: 'Shown with the name; may be empty.' })
  description!: string;

  @Column({
    name: 'is_active',
    type: 'boolean',
    default: true,
    comment: 'False: not listed, and takes no new submissions; drafts go on.',
  })
  isActive!: boolean;

  // S13
  @Column({
    type: 'varchar',
    length: 20,
    nullable: true,
    comment:
      'Whether completion judges values: strict, lenient, or null for the COMPLETION_POLICY of the deployment.',
  })
  completion!: 'strict' | 'lenient' | null;

  // J2
  @Column({
    name: 'time_zone',
    type: 'varchar',
    length: 255,
    nullable: true,
    comment:
      'The time zone that decides which day today is in rules for dates: a name of the IANA time zone database, such as Europe/Berlin; null: any day that it is somewhere on Earth.',
  })
  timeZone!: string | null;

  // F8
  @Column({
    type: 'integer',
    default: 1,
    update: false,
    comment: 'Raised by the database, once in each transaction that changes the form or anything under it.',
  })
  version!: number;

  @Column({
    name: 'created_at',
    type: 'timestamptz',
    default: () => 'now()',
    update: false,
    comment: 'When the form was made.',
  })
  createdAt!: Date;

  @Column({
    name: 'updated_at',
    type: 'timestamptz',
    default: () => 'now()',
    update: false,
    comment: 'Moved on by the database together with the version.',
  })
  updatedAt!: Date;

  @OneToMany(() => Step, (step) => step.form)
  steps!: Relation<Step[]>;

  @OneToMany(() => EntityDefinition, (entity) => entity.form)
  entities!: Relation<EntityDefinition[]>;
}
