import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { eventually } from './support/eventually.js';
import { buildForm, type BuiltForm } from './support/forms.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';
import { asAnotherProgram } from './support/test-server.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const newSlug = () => `form-${randomBytes(4).toString('hex')}`;

describe('the triggers that increase and announce versions (F8, F9)', () => {
  /** Runs `work` in a transaction that is rolled back. */
  async function inTransaction(work: (client: Client) => Promise<void>): Promise<void> {
    await asAnotherProgram(database.connection, async (client) => {
      await client.query('begin');
      await work(client);
      await client.query('rollback');
    });
  }

  const STATEMENTS: readonly (readonly [table: string, insert: string, update: string])[] = [
    [
      'steps',
      `insert into steps (form_id, step_number, title) select :form, n + 10, '' from generate_series(1, :rows) n`,
      `update steps set title = 'New' where form_id = :form and step_number > 10`,
    ],
    [
      'entities',
      `insert into entities (form_id, name, label) select :form, n, '' from generate_series(1, :rows) n`,
      `update entities set label = 'New' where form_id = :form`,
    ],
    [
      'fields',
      `insert into fields (form_id, step_id, field_type_id, code, label)
         select :form, :step, 1, 'new_' || n, '' from generate_series(1, :rows) n`,
      `update fields set label = 'New' where form_id = :form and code like 'new%'`,
    ],
    [
      'conditions',
      `insert into conditions (form_id, field_id, depends_on_field_id, operator, action)
         select :form, :field, :field, 'empty', 'hide' from generate_series(1, :rows)`,
      `update conditions set value = 'New' where form_id = :form`,
    ],
    [
      'conditions of a step',
      `insert into conditions (form_id, step_id, depends_on_field_id, operator, action)
         select :form, :step, :field, 'empty', 'hide' from generate_series(1, :rows)`,
      `update conditions set value = 'New' where step_id = :step`,
    ],
    [
      'options',
      `insert into options (field_id, label, value) select :field, '', n from generate_series(1, :rows) n`,
      `update options set label = 'New' where field_id = :field`,
    ],
    [
      'field_rules',
      `insert into field_rules (field_id, kind, value)
         select :field, kind, '2000' from unnest(cast('{min,max,pattern,min_length,max_length}' as field_rule_kind[]))
           with ordinality kinds (kind, n) where n <= :rows`,
      `update field_rules set message = 'New' where field_id = :field`,
    ],
  ];

  const sql = (text: string, { form, steps, fields }: BuiltForm, rows: number) =>
    text
      .replaceAll(':form', String(form.id))
      .replaceAll(':step', String(steps[0]?.id))
      .replaceAll(':field', String(fields['name']?.id))
      .replaceAll(':rows', String(rows));

  it.each(STATEMENTS)(
    'are executed once per statement on %s, not once per row',
    async (_, insert, update) => {
      const built = await buildForm(database.dataSource, { form: { slug: newSlug() } });
      const remove = update.replace(/^update (\w+) set .*? where/, 'delete from $1 where');
      const callsFor = async (rows: number) => {
        let calls: number[] = [];
        await inTransaction(async (client) => {
          await client.query(`set local track_functions = 'pl'`);
          const callsOf = async (text: string) => {
            const before = await calledSoFar(client);
            const { rowCount } = await client.query(sql(text, built, rows));
            expect(rowCount).toBe(rows);
            return (await calledSoFar(client)) - before;
          };
          calls = [await callsOf(insert), await callsOf(update), await callsOf(remove)];
        });
        return calls;
      };

      const few = await callsFor(1);
      for (const calls of few) expect(calls).toBeGreaterThan(0);
      expect(await callsFor(5)).toEqual(few);
    },
  );

  async function calledSoFar(client: Client): Promise<number> {
    const { rows } = await client.query<{ calls: number }>(
      `select coalesce(sum(calls), 0)::integer as calls from pg_stat_xact_user_functions
        where funcname like 'formtrail\\_touch\\_%' or funcname like 'formtrail\\_form\\_of\\_%'`,
    );
    return rows[0]!.calls;
  }

  async function changesOf(ids: readonly number[], work: (client: Client) => Promise<unknown>) {
    const heard: string[] = [];
    const versions: number[] = [];
    await asAnotherProgram(database.connection, async (client) => {
      client.on('notification', ({ payload }) => heard.push(payload ?? ''));
      await client.query('listen formtrail');
      const read = async () =>
        (
          await client.query<{ version: number }>(
            'select version from forms where id = any ($1) order by id',
            [ids],
          )
        ).rows.map(({ version }) => version);
      const before = await read();
      await work(client);
      versions.push(...(await read()).map((version, index) => version - before[index]!));
    });
    return { versions, heard: heard.filter((payload) => ids.some((id) => payload === `form ${id}`)) };
  }

  const threeForms = async () => {
    const built = [];
    for (let count = 0; count < 3; count += 1) {
      const steps = [{ colour: { options: ['red', 'blue'] } }];
      built.push(await buildForm(database.dataSource, { form: { slug: newSlug() }, steps }));
    }
    return {
      ids: built.map(({ form }) => form.id),
      fieldIds: built.map(({ fields }) => fields['colour']!.id),
    };
  };

  it('increase the version of each form that a statement changes once, and announce it once', async () => {
    const { ids, fieldIds } = await threeForms();
    expect(
      await changesOf(ids, (client) =>
        client.query(`update options set label = 'New' where field_id = any ($1)`, [fieldIds.slice(0, 2)]),
      ),
    ).toEqual({ versions: [1, 1, 0], heard: ids.slice(0, 2).map((id) => `form ${id}`) });
  });

  it('ignore a statement that changes no row', async () => {
    const { ids, fieldIds } = await threeForms();
    expect(
      await changesOf(ids, async (client) => {
        await client.query('update options set label = label where field_id = any ($1)', [fieldIds]);
        await client.query('update fields set label = label where id = any ($1)', [fieldIds]);
        await client.query('update steps set meta = meta where form_id = any ($1)', [ids]);
        await client.query('delete from options where field_id = any ($1) and false', [fieldIds]);
      }),
    ).toEqual({ versions: [0, 0, 0], heard: [] });
  });

  it('increase only the versions of forms whose rows really change', async () => {
    const { ids, fieldIds } = await threeForms();
    expect(
      await changesOf(ids, (client) =>
        client.query(
          `update options set label = case field_id when $2 then 'New' else label end where field_id = any ($1)`,
          [fieldIds, fieldIds[1]],
        ),
      ),
    ).toEqual({ versions: [0, 1, 0], heard: [`form ${ids[1]}`] });
  });

  it('increase the versions of both forms when rows move from one to the other', async () => {
    const { ids, fieldIds } = await threeForms();
    expect(
      await changesOf(ids, (client) =>
        client.query(`update options set field_id = $2, value = value || ' of another' where field_id = $1`, [
          fieldIds[0],
          fieldIds[2],
        ]),
      ),
    ).toEqual({ versions: [1, 0, 1], heard: [`form ${ids[0]}`, `form ${ids[2]}`] });
  });

  it('notice both the inserted and the updated rows of an upsert', async () => {
    const { ids, fieldIds } = await threeForms();
    expect(
      await changesOf(ids, async (client) => {
        await client.query(
          `insert into field_rules (field_id, kind, value) select id, 'min', '1' from unnest($1::integer[]) id
             on conflict (field_id, kind) do update set value = excluded.value`,
          [fieldIds.slice(0, 1)],
        );
        await client.query(
          `insert into field_rules (field_id, kind, value) select id, 'min', '2' from unnest($1::integer[]) id
             on conflict (field_id, kind) do update set value = excluded.value`,
          [fieldIds.slice(0, 2)],
        );
      }),
    ).toEqual({
      versions: [2, 1, 0],
      heard: [`form ${ids[0]}`, `form ${ids[0]}`, `form ${ids[1]}`],
    });
  });

  it('increase the version for each change of conditions of steps and entities, and when they move (C10)', async () => {
    const [one, other] = [
      await buildForm(database.dataSource, {
        form: { slug: newSlug() },
        steps: [{ a: {} }, {}],
        entities: [{ name: 'thing' }],
      }),
      await buildForm(database.dataSource, { form: { slug: newSlug() }, steps: [{ a: {} }] }),
    ];
    const ids = [one.form.id, other.form.id];
    const changed = async (text: string, ...values: unknown[]) =>
      (await changesOf(ids, (client) => client.query(text, values))).versions;
    const of = (owner: string) =>
      `insert into conditions (${owner}, depends_on_field_id, operator, action) values ($1, $2, 'empty', 'hide')`;
    const [first, second] = one.steps.map(({ id }) => id);
    const field = one.fields['a']!.id;
    const [entity] = await database.dataSource.query<{ id: number }[]>(
      'select id from entities where form_id = $1',
      [one.form.id],
    );

    expect(await changed(of('step_id'), first, field)).toEqual([1, 0]);
    expect(await changed(of('entity_id'), entity!.id, field)).toEqual([1, 0]);
    expect(await changed(`update conditions set value = value where form_id = $1`, ids[0])).toEqual([0, 0]);
    expect(await changed(`update conditions set action = 'show' where entity_id = $1`, entity!.id)).toEqual([
      1, 0,
    ]);
    expect(await changed('update conditions set step_id = $2 where step_id = $1', first, second)).toEqual([
      1, 0,
    ]);
    expect(
      await changed(
        'update conditions set form_id = $2, step_id = $3, depends_on_field_id = $4 where step_id = $1',
        second,
        ids[1],
        other.steps[0]!.id,
        other.fields['a']!.id,
      ),
    ).toEqual([1, 1]);
    expect(await changed('delete from conditions where entity_id = $1', entity!.id)).toEqual([1, 0]);
    await changed(of('entity_id'), entity!.id, field);
    expect(await changed('delete from entities where id = $1', entity!.id)).toEqual([1, 0]);
    await changed(of('step_id'), second, field);
    expect(await changed('delete from steps where id = $1', second)).toEqual([1, 0]);
  });

  it('increase the version once when steps are deleted with their fields', async () => {
    const { ids } = await threeForms();
    expect(
      await changesOf(ids, (client) => client.query('delete from steps where form_id = $1', [ids[0]])),
    ).toEqual({ versions: [1, 0, 0], heard: [`form ${ids[0]}`] });
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
  /** Adds rows from number `$4` to number `$5`. */
  const ADD = {
    fields: `insert into fields (form_id, step_id, field_type_id, code, label)
      select $1::integer, $2::integer, 1, 'more_' || n, '' from generate_series($4::integer, $5::integer) n where $3::integer > 0`,
    options: `insert into options (field_id, label, value)
      select $3::integer, '', n from generate_series($4::integer, $5::integer) n where $1::integer + $2::integer > 0`,
    conditions: `insert into conditions (form_id, field_id, depends_on_field_id, operator, action)
      select $1::integer, $3::integer, $3::integer, 'empty', 'hide'
        from generate_series($4::integer, $5::integer) where $2::integer > 0`,
  };

  it.each([
    ['fields', 10_000],
    ['options', 100_000],
    ['conditions', 30_000],
  ] as const)('reject %s beyond %d, and nothing else of a form that has more', async (table, most) => {
    const { form, steps, fields } = await buildForm(database.dataSource, { steps: [{ name: {} }] });
    const owner = [form.id, steps[0]!.id, fields['name']!.id];
    await asAnotherProgram(database.connection, async (client) => {
      await client.query('begin');
      const add = (first: number, last: number) => client.query(ADD[table], [...owner, first, last]);
      await add(1, most - (table === 'fields' ? 1 : 0));
      await client.query('savepoint filled');
      await expect(add(0, 0)).rejects.toMatchObject({
        code: '23514',
        constraint: `${table}_count_check`,
        message: `a form has at most ${most} ${table}`,
      });
      await client.query('rollback to filled');
      await client.query('set constraints all immediate');
      await client.query(`alter table ${table} disable trigger ${table}_limited`);
      await add(-5, 0);
      await client.query('set constraints all immediate');
      await client.query(`alter table ${table} enable trigger ${table}_limited`);
      const column = table === 'conditions' ? 'value' : 'label';
      await client.query(`update ${table} set ${column} = 'Changed'`);
      await client.query(`delete from ${table} where ctid in (select ctid from ${table} limit 1)`);
      await client.query('rollback');
    });
  });
});
