import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('form_uuids', {
  synchronize: false,
  comment:
    'The UUIDs of forms, also of deleted ones, so that no version of a UUID repeats. Triggers write it.',
})
export class FormUuid {
  @PrimaryColumn({
    ...{ type: 'uuid', primaryKeyConstraintName: 'form_uuids_pkey' },
    comment: 'The UUID of a form.',
  })
  uuid!: string;

  @Column({
    ...{ name: 'last_version', type: 'integer', default: 0 },
    comment: 'The last version of a form that had the UUID and was deleted or got another one; 0: none.',
  })
  lastVersion!: number;
}
