import type { MigrationInterface, QueryRunner } from 'typeorm';
import { time } from './sql.js';

type Column = readonly [name: string, sql: string, comment: string];

const OF_FORMS: readonly Column[] = [
  ['opens_at', time('opens_at'), 'From when submissions can be begun; null: always.'],
  [
    ...(['closes_at', time('closes_at')] as const),
    'From when no submission can be begun any more, later than opens_at; null: never.',
  ],
  [
    ...(['closes_drafts', 'closes_drafts boolean not null default false'] as const),
    'True: from closes_at, drafts can only be read and deleted. False: they continue.',
  ],
  [
    ...(['max_submissions', 'max_submissions integer check (max_submissions >= 1)'] as const),
    'How many submissions can be completed, tests not counted; null: any number.',
  ],
  [
    ...(['max_per_user', 'max_per_user integer check (max_per_user >= 1)'] as const),
    'How many submissions a user can complete, tests not counted; null: any number.',
  ],
];

const OF_OPTIONS: readonly Column[] = [
  [
    ...(['places', 'places integer check (places >= 0)'] as const),
    'How many completed submissions can hold the choice; null: any number.',
  ],
];

const addSql = (table: string, columns: readonly Column[]) =>
  [
    `alter table ${table} ${columns.map(([, sql]) => `add ${sql}`).join(', ')}`,
    ...columns.map(([name, , comment]) => `comment on column ${table}.${name} is '${comment}'`),
  ].join(';');

const dropSql = (table: string, columns: readonly Column[]) =>
  `alter table ${table} ${columns.map(([name]) => `drop ${name}`).join(', ')}`;

/** Adds when submissions of a form can be begun, and how many can be completed. */
export class FormLimits1798000000010 implements MigrationInterface {
  name = 'FormLimits1798000000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(addSql('forms', OF_FORMS));
    await runner.query('alter table forms add constraint forms_opening_check check (closes_at > opens_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropSql('forms', OF_FORMS));
  }
}

/** Adds how many submissions can hold an option. */
export class OptionPlaces1798000000011 implements MigrationInterface {
  name = 'OptionPlaces1798000000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(addSql('options', OF_OPTIONS));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropSql('options', OF_OPTIONS));
  }
}
