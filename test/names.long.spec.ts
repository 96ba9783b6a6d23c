import { Names1795917600001 } from '../src/migrations/1795917600001-names.js';
import { MIGRATIONS } from '../src/migrations/index.js';
import { onOneServer } from './support/it-on-one-server.js';
import { testDatabase } from './support/test-database.js';

const INSERT_ENTITY = `insert into entities (form_id, name, label) values ($1, $2, '')`;
const INSERT_FIELD = `insert into fields (step_id, field_type_id, code, label)
  select steps.id, (select min(id) from field_types), $2, '' from steps where form_id = $1`;

onOneServer('a database of an older version', () => {
  it('with duplicate names can be migrated, and the migration reverted', async () => {
    const older = await testDatabase();
    try {
      const { dataSource } = older;
      const undo = async () => {
        const at = MIGRATIONS.indexOf(Names1795917600001);
        for (const _migration of MIGRATIONS.slice(at)) await dataSource.undoLastMigration();
      };
      await undo();
      const [{ id }] = await dataSource.query<[{ id: number }]>(
        `insert into forms (name, slug) values ('Trips', 'trips') returning id`,
      );
      await dataSource.query(`insert into steps (form_id, step_number, title) values ($1, 1, '')`, [id]);
      await dataSource.query(INSERT_FIELD, [id, 'trip']);
      for (const name of ['trip', 'trip.1']) await dataSource.query(INSERT_ENTITY, [id, name]);
      await dataSource.runMigrations();
      const refused = /ends in a dot and a number/;
      await expect(dataSource.query(INSERT_ENTITY, [id, 'trip.2'])).rejects.toThrow(refused);
      await dataSource.query(`update entities set label = 'Trip' where form_id = $1`, [id]);
      await dataSource.query(`update fields set label = 'Trip' where form_id = $1`, [id]);
      await undo();
      await dataSource.query(INSERT_ENTITY, [id, 'trip.2']);
    } finally {
      await older.drop();
    }
  });
});
