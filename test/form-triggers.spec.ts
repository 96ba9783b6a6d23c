import { randomBytes } from 'node:crypto';
import { eventually } from './support/eventually.js';
import { type BuiltForm, buildForm } from './support/forms.js';
import { useDatabase } from './support/test-database.js';
import { asAnotherProgram } from './support/test-server.js';

const database = useDatabase();

/** A form with a field, options, an entity, and conditions of its first step and of the entity. */
const build = () => {
  const conditions = [['a', 'empty', '', 'hide']] as const;
  return buildForm(database.dataSource, {
    steps: [{ a: { options: ['red', 'blue'] } }, { b: { rules: { max_length: '9' } } }],
    stepConditions: { 1: conditions },
    entities: [{ name: 'thing', conditions }],
  });
};

/** Replaces `:form`, `:step`, `:second`, `:field` and `:entity` by ids of the form, and `:form2` and so on by ids of another form. */
const withIds = (sql: string, ...forms: readonly BuiltForm[]) =>
  forms.reduce((text, { form, steps, fields }, index) => {
    const ids = {
      ...{ form: form.id, step: steps[0]!.id, second: steps[1]!.id, field: fields['a']!.id },
      entity: `(select id from entities where form_id = ${form.id} and name = 'thing')`,
    };
    const end = index === 0 ? '' : String(index + 1);
    return Object.entries(ids).reduce(
      (one, [name, id]) => one.replace(new RegExp(`:${name}${end}\\b`, 'g'), String(id)),
      text,
    );
  }, sql);

describe('the triggers that increase and announce versions (F8, F9)', () => {
  /** Executes the statements. Returns by how much each version increases, and how often a change of each form is notified. */
  async function changesOf(forms: readonly BuiltForm[], ...statements: readonly string[]) {
    const ids = forms.map(({ form }) => form.id);
    const heard: string[] = [];
    return asAnotherProgram(database.connection, async (client) => {
      client.on('notification', ({ payload }) => heard.push(payload ?? ''));
      await client.query('listen formtrail');
      const versions = async () => {
        const sql = 'select version from forms where id = any ($1) order by id';
        return (await client.query<{ version: number }>(sql, [ids])).rows.map(({ version }) => version);
      };
      const before = await versions();
      for (const sql of statements) await client.query(withIds(sql, ...forms));
      return {
        increases: (await versions()).map((version, index) => version - before[index]!),
        announced: ids.map((id) => heard.filter((payload) => payload === `form ${id}`).length),
      };
    });
  }

  const conditionsOf = (column: string, owner: string) =>
    [
      `conditions of ${column}`,
      `insert into conditions (${column}, depends_on_field_id, operator, action)
         select ${owner}, :field, 'empty', 'hide' from generate_series(1, 3)`,
      `update conditions set value = 'New' where ${column} = ${owner}`,
    ] as const;

  let one: BuiltForm;
  beforeAll(async () => {
    one = await build();
  });

  /** Each insertion adds three rows. */
  it.each<readonly [table: string, insert: string, update: string]>([
    [
      'steps',
      `insert into steps (form_id, step_number, title) select :form, n, '' from generate_series(11, 13) n`,
      `update steps set title = 'New' where form_id = :form and step_number > 10`,
    ],
    [
      'entities',
      `insert into entities (form_id, name, label) select :form, n, '' from generate_series(1, 3) n`,
      `update entities set label = 'New' where form_id = :form and name <> 'thing'`,
    ],
    [
      'fields',
      `insert into fields (step_id, field_type_id, code, label) select :step, 1, 'new_' || n, '' from generate_series(1, 3) n`,
      `update fields set label = 'New' where form_id = :form and code like 'new%'`,
    ],
    conditionsOf('field_id', ':field'),
    conditionsOf('step_id', ':step'),
    conditionsOf('entity_id', ':entity'),
    [
      'options',
      `insert into options (field_id, label, value) select :field, '', n from generate_series(1, 3) n`,
      `update options set label = 'New' where field_id = :field`,
    ],
    [
      'field_rules',
      `insert into field_rules (field_id, kind, value)
         select :field, kind, '2' from unnest(cast('{min,max,pattern}' as field_rule_kind[])) kind`,
      `update field_rules set message = 'New' where field_id = :field`,
    ],
  ])('notice a statement on several rows of %s once', async (_, insert, update) => {
    const deletion = update.replace(/^update (\w+) set .*? where/, 'delete from $1 where');
    for (const statement of [insert, update, deletion])
      expect(await changesOf([one], statement)).toEqual({ increases: [1], announced: [1] });
  });

  const upsert = (value: string, where: string) =>
    `insert into field_rules (field_id, kind, value) select id, 'min', '${value}' from fields where form_id in ${where}
       on conflict (field_id, kind) where other_field_id is null do update set value = excluded.value`;

  it.each<[string, readonly [number, number], readonly string[]]>([
    [
      'ignore statements that change no row',
      [0, 0],
      [
        'update options set label = label where field_id in (:field, :field2)',
        'update fields set label = label where form_id = :form',
        'update steps set meta = meta where form_id = :form',
        'update conditions set value = value where form_id = :form',
        'update forms set name = name, slug = slug where id in (:form, :form2)',
        'update field_rules set value = value',
        'update entities set label = label where form_id = :form',
        'update field_types set name = name',
        'delete from options where field_id = :field and false',
      ],
    ],
    [
      'notice each form whose rows really change',
      [0, 1],
      [
        `update options set label = case field_id when :field2 then 'New' else label end where field_id in (:field, :field2)`,
      ],
    ],
    [
      'notice both forms when rows move from one to the other',
      [1, 1],
      [`update options set field_id = :field2, value = value || ' of another' where field_id = :field`],
    ],
    [
      'notice both forms when conditions move from one to the other (C10)',
      [1, 1],
      [
        `update conditions set form_id = :form2, step_id = :step2, depends_on_field_id = :field2 where step_id = :step`,
      ],
    ],
    [
      'notice conditions that move to another step, or are deleted with their entity (C10)',
      [1, 1],
      [
        'update conditions set step_id = :second where step_id = :step',
        'delete from entities where id = :entity2',
      ],
    ],
    [
      'notice both the inserted and the updated rows of an upsert',
      [2, 1],
      [upsert('1', '(:form)'), upsert('2', '(:form, :form2)')],
    ],
    ['notice the deletion of a step with its fields once', [1, 0], ['delete from steps where id = :second']],
  ])('%s', async (_, times, statements) => {
    const forms = [await build(), await build()];
    expect(await changesOf(forms, ...statements)).toEqual({ increases: times, announced: times });
  });
});

describe('the versions of a UUID (N3)', () => {
  const query = <Row>(sql: string, values: unknown[] = []) => database.dataSource.query<Row[]>(sql, values);
  const insert = async (uuid: string, version = 1) => {
    const [form] = await query<{ id: number; version: number }>(
      `insert into forms (uuid, name, slug, version) values ($1, 'Form', $2, $3) returning id, version`,
      [uuid, newSlug(), version],
    );
    return form!;
  };
  const newSlug = () => `form-${randomBytes(4).toString('hex')}`;
  const newUuid = async () => (await query<{ uuid: string }>('select gen_random_uuid() as uuid'))[0]!.uuid;
  const raise = (uuid: string) => query(`update forms set name = name || '.' where uuid = $1`, [uuid]);
  const versionOf = async (uuid: string) =>
    (await query<{ version: number }>('select version from forms where uuid = $1', [uuid]))[0]!.version;

  it('begin above the last one of a deleted form, and with 1 for a new UUID', async () => {
    const [uuid, other] = [await newUuid(), await newUuid()];
    expect((await insert(uuid)).version).toBe(1);
    await raise(uuid);
    await raise(uuid);
    await query('delete from forms where uuid = $1', [uuid]);
    expect((await insert(uuid)).version).toBe(4);
    expect((await insert(other)).version).toBe(1);
    await query('delete from forms where uuid = $1', [uuid]);
    expect((await insert(uuid, 3)).version).toBe(5);
    await query('delete from forms where uuid = $1', [uuid]);
    expect((await insert(uuid, 30)).version).toBe(30);
  });

  it('are kept by TRUNCATE', async () => {
    const uuid = await newUuid();
    await asAnotherProgram(database.connection, async (client) => {
      await client.query('begin');
      await client.query(`insert into forms (uuid, name, slug, version) values ($1, 'Form', $2, 7)`, [
        uuid,
        newSlug(),
      ]);
      await client.query('truncate forms cascade');
      const { rows } = await client.query(
        `insert into forms (uuid, name, slug) values ($1, 'Form', $2) returning version`,
        [uuid, newSlug()],
      );
      expect(rows).toEqual([{ version: 8 }]);
      await client.query('rollback');
    });
  });

  it('do not repeat when a form gets the UUID of an earlier form, and when its own is used again', async () => {
    const [first, second] = [await newUuid(), await newUuid()];
    await insert(first, 20);
    await query('delete from forms where uuid = $1', [first]);
    await insert(second);
    await query('update forms set uuid = $1 where uuid = $2', [first, second]);
    expect(await versionOf(first)).toBe(21);
    expect((await insert(second)).version).toBe(2);
    await raise(first);
    expect(await versionOf(first)).toBe(22);
  });

  it('do not repeat if the form is created again while another transaction deletes it', async () => {
    const uuid = await newUuid();
    await insert(uuid, 5);
    await asAnotherProgram(database.connection, async (client) => {
      await client.query('begin');
      await client.query('delete from forms where uuid = $1', [uuid]);
      const inserted = insert(uuid);
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await eventually('it waits', async () => (await query(waiting)).length > 0);
      await client.query('commit');
      expect((await inserted).version).toBe(6);
    });
  });
});

describe('the limits of a form (F14)', () => {
  const ADD = {
    fields: `insert into fields (form_id, step_id, field_type_id, code, label)
      select :form, :step, 1, 'more_' || n, ''`,
    options: `insert into options (field_id, label, value)
      select :field, '', n`,
    conditions: `insert into conditions (form_id, field_id, depends_on_field_id, operator, action)
      select :form, :field, :field, 'empty', 'hide'`,
  };

  it.each([
    ['fields', 10_000, 2],
    ['options', 100_000, 2],
    ['conditions', 30_000, 2],
  ] as const)('reject %s beyond %d, and nothing else of a form that has more', async (table, most, built) => {
    const form = await build();
    await asAnotherProgram(database.connection, async (client) => {
      const add = (first: number, last: number) =>
        client.query(`${withIds(ADD[table], form)} from generate_series(${first}, ${last}) n`);
      // Without triggers, because the checks of so many rows take long.
      const addUnchecked = async (first: number, last: number) => {
        await client.query('set local session_replication_role = replica');
        await add(first, last);
        await client.query('set local session_replication_role = origin');
      };
      await client.query('begin');
      await addUnchecked(1, most - built - 1);
      await add(most, most);
      await client.query('savepoint filled');
      await expect(add(0, 0)).rejects.toMatchObject({
        code: '23514',
        constraint: `${table}_count_check`,
        message: `a form has at most ${most} ${table}`,
      });
      await client.query('rollback to filled');
      await addUnchecked(-5, 0);
      const column = table === 'conditions' ? 'value' : 'label';
      await client.query(
        `update ${table} set ${column} = 'Changed' where ctid in (select ctid from ${table} limit 1)`,
      );
      await client.query(`delete from ${table} where ctid in (select ctid from ${table} limit 1)`);
      await client.query('rollback');
    });
  });
});
