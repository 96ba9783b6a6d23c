import { Check, Column, Entity, OneToMany, PrimaryGeneratedColumn, type Relation, Unique } from 'typeorm';
import { EntityDefinition } from './entity-definition.js';
import { Step } from './step.js';

@Entity('forms', { synchronize: false })
@Unique('forms_uuid_key', ['uuid'])
@Unique('forms_slug_key', ['slug'])
@Check('forms_name_check', `name <> ''`)
@Check('forms_slug_check', `slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'`)
@Check('forms_completion_check', `completion in ('strict', 'lenient')`)
export class Form {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'BY DEFAULT' })
  id!: number;

  @Column({ type: 'uuid', default: () => 'gen_random_uuid()' })
  uuid!: string;

  /** 1 to 255 characters (F5). */
  @Column({ type: 'varchar', length: 255 })
  name!: string;

  /** `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 255 characters, unique (F5). */
  @Column({ type: 'varchar', length: 255 })
  slug!: string;

  @Column({ type: 'text', default: '' })
  description!: string;

  @Column({ name: 'is_active', type: 'boolean', default: true })
  isActive!: boolean;

  /** Whether completion judges values (S13); null: as the deployment's COMPLETION_POLICY says. */
  @Column({ type: 'varchar', length: 20, nullable: true })
  completion!: 'strict' | 'lenient' | null;

  /** Raised by the database, once per transaction that changes the form or anything under it (F8). */
  @Column({ type: 'integer', default: 1, update: false })
  version!: number;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()', update: false })
  createdAt!: Date;

  /** Raised by the database together with `version`. */
  @Column({ name: 'updated_at', type: 'timestamptz', default: () => 'now()', update: false })
  updatedAt!: Date;

  @OneToMany(() => Step, (step) => step.form)
  steps!: Relation<Step[]>;

  @OneToMany(() => EntityDefinition, (entity) => entity.form)
  entities!: Relation<EntityDefinition[]>;
}
