import pg from 'pg';
import { eventually } from './support/eventually.js';
import { type BuiltForm, buildEntity, buildForm } from './support/forms.js';
import { useDatabase } from './support/test-database.js';

/** The database ensures for all programs that a form has no field and entity of the same name (R3). */

const UNIQUE = '23505';
const CHECK = '23514';
const SERIALIZATION = '40001';

const OF_FIELD = { code: UNIQUE, constraint: 'fields_code_entity_name_key', table: 'fields', column: 'code' };
const OF_ENTITY = {
  code: UNIQUE,
  constraint: 'entities_name_field_code_key',
  table: 'entities',
  column: 'name',
};

const database = useDatabase();
let first: pg.Client;
let second: pg.Client;
let built: BuiltForm;

beforeAll(async () => {
  [first, second] = [new pg.Client(database.connection), new pg.Client(database.connection)];
  await Promise.all([first.connect(), second.connect()]);
});
afterAll(() => Promise.all([first.end(), second.end()]));
beforeEach(async () => {
  built = await buildForm(database.dataSource, { steps: [{ name: {}, amount: {} }] });
  await buildEntity(database.dataSource, built, { name: 'trip' }, []);
});

const INSERT_ENTITY = `insert into entities (form_id, name, label) values ($1, $2, '')`;
const INSERT_FIELD = `insert into fields (step_id, field_type_id, code, label)
  select steps.id, (select min(id) from field_types), $2, '' from steps where form_id = $1`;
const RENAME_ENTITY = 'update entities set name = $2 where form_id = $1';
const RENAME_FIELD = `update fields set code = $2 where form_id = $1 and code = 'name'`;

const run = (sql: string, name: string, client = first) => client.query(sql, [built.form.id, name]);
const namesNow = async () => {
  const { rows } = await first.query<{ name: string }>(
    `select code as name from fields where form_id = $1 union all
     select name from entities where form_id = $1 order by 1`,
    [built.form.id],
  );
  return rows.map(({ name }) => name);
};

describe('the database', () => {
  it.each([
    ['a new entity', INSERT_ENTITY, 'amount', OF_ENTITY],
    ['a renamed entity', RENAME_ENTITY, 'amount', OF_ENTITY],
    ['a new field', INSERT_FIELD, 'trip', OF_FIELD],
    ['a renamed field', RENAME_FIELD, 'trip', OF_FIELD],
  ])('rejects %s with an existing name, and names the constraint', async (_, sql, name, refusal) => {
    await expect(run(sql, name)).rejects.toMatchObject(refusal);
    expect(await namesNow()).toEqual(['amount', 'name', 'trip']);
    // Another form may use the name.
    const other = await buildForm(database.dataSource, { steps: [{ journey: {} }] });
    await buildEntity(database.dataSource, other, { name: 'person' }, []);
    await expect(run(sql, name === 'trip' ? 'person' : 'journey')).resolves.toBeDefined();
  });

  it.each([
    [INSERT_ENTITY, 'entities_name_record_check'],
    [RENAME_ENTITY, 'entities_name_record_check'],
    [INSERT_FIELD, 'fields_code_record_check'],
    [RENAME_FIELD, 'fields_code_record_check'],
  ])('rejects a name that looks like the error key of a record: %s', async (sql, constraint) => {
    for (const name of ['amount.17', 'a.0', 'x.y.1'])
      await expect(run(sql, name)).rejects.toMatchObject({ code: CHECK, constraint });
    for (const name of ['a.b', '17', 'a.', 'a.1b', '٣.٣']) {
      await first.query('begin');
      await expect(run(sql, name)).resolves.toBeDefined();
      await first.query('rollback');
    }
  });

  it('lets a field and an entity exchange their names if the constraints are deferred', async () => {
    await first.query('begin; set constraints all deferred');
    await run(RENAME_FIELD, 'trip');
    await run(RENAME_ENTITY, 'name');
    await first.query('commit');
    expect(await namesNow()).toEqual(['amount', 'name', 'trip']);

    await first.query(
      'begin; set constraints fields_code_entity_name_key, entities_name_field_code_key deferred',
    );
    await run(RENAME_ENTITY, 'amount');
    await run(RENAME_ENTITY, 'journey');
    await run(INSERT_FIELD, 'passing');
    await run(INSERT_ENTITY, 'passing');
    await first.query(`delete from fields where code = 'passing'`);
    await first.query('commit');
    expect(await namesNow()).toEqual(['amount', 'journey', 'passing', 'trip']);

    await first.query('begin; set constraints all deferred');
    await run(INSERT_FIELD, 'journey');
    await expect(first.query('commit')).rejects.toMatchObject(OF_FIELD);
  });

  it('allows other changes to rows that already have such names, and renaming them', async () => {
    await first.query('begin; set local session_replication_role = replica');
    await run(
      INSERT_FIELD.replace('step_id,', 'form_id, step_id,').replace('steps.id', '$1, steps.id'),
      'trip',
    );
    await run(INSERT_ENTITY, 'amount.17');
    await first.query('commit');
    expect(await namesNow()).toEqual(['amount', 'amount.17', 'name', 'trip', 'trip']);

    await first.query(`update fields set label = 'Trip', code = code where form_id = $1`, [built.form.id]);
    await first.query(`update entities set label = 'Trip', name = name where form_id = $1`, [built.form.id]);
    await expect(run(RENAME_FIELD, 'amount.17')).rejects.toMatchObject({
      constraint: 'fields_code_record_check',
    });
    await run(`update entities set name = $2 where form_id = $1 and name = 'trip'`, 'journey');
    await expect(
      run(`update entities set name = $2 where form_id = $1 and name = 'journey'`, 'trip'),
    ).rejects.toMatchObject(OF_ENTITY);
  });
});

/** Whether the second connection waits for a lock. */
const isWaiting = async () => {
  const [row] = await database.dataSource.query<[{ count: number }]>(
    `select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row.count === 1;
};

// Runs on Citus too, because the tables of forms are on the coordinator.
describe('two transactions at the same time', () => {
  const PAIRS = [
    ['a field and an entity', INSERT_FIELD, INSERT_ENTITY, OF_ENTITY],
    ['an entity and a field', INSERT_ENTITY, INSERT_FIELD, OF_FIELD],
    ['a renamed field and an entity', RENAME_FIELD, INSERT_ENTITY, OF_ENTITY],
    ['a renamed entity and a renamed field', RENAME_ENTITY, RENAME_FIELD, OF_FIELD],
  ] as const;

  it.each(
    PAIRS.flatMap((pair) => [[...pair, ''] as const, [...pair, '; set constraints all deferred'] as const]),
  )('cannot create the same name twice: %s', async (_, one, other, refusal, deferred) => {
    await first.query(`begin${deferred}`);
    await second.query(`begin${deferred}`);
    await run(one, 'both');
    const outcome = run(other, 'both', second)
      .then(() => second.query('commit'))
      .catch((error: unknown) => error);
    await eventually('the other one waits', isWaiting);
    await first.query('commit');
    expect(await outcome).toMatchObject(refusal);
    await second.query('rollback');
    expect((await namesNow()).filter((name) => name === 'both')).toHaveLength(1);
  });

  it.each(['repeatable read', 'serializable'])(
    'cannot create the same name twice under %s',
    async (level) => {
      await second.query(`begin isolation level ${level}`);
      await second.query('select from forms');
      await first.query('begin');
      await run(INSERT_FIELD, 'both');
      const outcome = run(INSERT_ENTITY, 'both', second).catch((error: unknown) => error);
      await eventually('the other one waits', isWaiting);
      await first.query('commit');
      expect(await outcome).toMatchObject({ code: SERIALIZATION });
      await second.query('rollback');
    },
  );

  it('can use the same name if one of them rolls back', async () => {
    await first.query('begin');
    await run(INSERT_FIELD, 'both');
    const outcome = run(INSERT_ENTITY, 'both', second);
    await eventually('the other one waits', isWaiting);
    await first.query('rollback');
    expect(await outcome).toMatchObject({ rowCount: 1 });
  });
});
