import type { MigrationInterface, QueryRunner } from 'typeorm';
import { withComments } from '../../../migrations/sql.js';

/** Adds the texts of kept versions in further languages (N3). */
export class FormVersionTexts1798000000017 implements MigrationInterface {
  name = 'FormVersionTexts1798000000017';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(withComments(TABLE));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table form_version_texts');
  }
}

const TABLE = `
  create table form_version_texts ( -- The texts of the versions in form_versions in further languages. Only the service writes it.
    form_id integer not null, -- The form.
    version integer not null, -- The version of the form.
    locale varchar(35) not null, -- The language of the texts.
    texts text not null, -- A line of JSON for each text: where it stands in the schema, its key, and the text.
    primary key (form_id, version, locale),
    foreign key (form_id, version) references form_versions on delete cascade
  )`;
