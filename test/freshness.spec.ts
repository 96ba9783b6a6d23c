import type pg from 'pg';
import { Form, Step } from '../src/entities.js';
import { expectUnauthenticated } from './support/answers.js';
import { eventually } from './support/eventually.js';
import { type BuiltForm, buildEntity, buildForm } from './support/forms.js';
import { isOneServer, onOneServer } from './support/it-on-one-server.js';
import { expectInvalid, expectRefusal } from './support/refusal.js';
import { newUser, type Service, startService, useOwnService } from './support/service.js';
import { asAnotherProgram, testServer } from './support/test-server.js';

/** Maximum milliseconds for "at once". A few milliseconds are typical, but a busy machine needs more. */
const AT_ONCE = 1_000;

const PLAN = {
  steps: [
    {
      colour: { type: 'select', options: ['red', 'green'] },
      shade: { conditions: [['colour', 'equals', 'red', 'show']], rules: { max_length: '9' } },
    },
  ],
} as const satisfies Parameters<typeof buildForm>[1];

const schemaPath = ({ form }: BuiltForm) => `/api/v1/forms/${form.uuid}/schema`;

async function labelIn(service: Service, built: BuiltForm): Promise<string> {
  const { status, body } = await service.anyone.get(schemaPath(built));
  expect(status).toBe(200);
  return body.data.steps[0].fields[0].options[0].label;
}

const servesLabel = (service: Service, built: BuiltForm, label: string) =>
  eventually(`"${label}" is served`, async () => (await labelIn(service, built)) === label, AT_ONCE);

const relabel = ({ fields }: BuiltForm, label: string) => ({
  text: `update options set label = $2 where field_id = $1 and value = 'red'`,
  values: [fields['colour']?.id, label],
});

/** Changes an option without a notification. A service that serves the change has read the table, not its cache. */
async function changeSilently(program: pg.Client, change: pg.QueryConfig): Promise<void> {
  await program.query('begin');
  await program.query('alter table options disable trigger user');
  await program.query(change);
  await program.query('alter table options enable trigger user');
  await program.query('commit');
}

/** Expects answers from the cache. Retries, because a late notification of an earlier change invalidates the cache. */
async function servesFromMemory(service: Service, built: BuiltForm, program: pg.Client): Promise<void> {
  let changes = 0;
  await eventually('a silent change is not seen', async () => {
    const before = await labelIn(service, built);
    changes += 1;
    await changeSilently(program, relabel(built, `silent ${changes}`));
    return (await labelIn(service, built)) === before;
  });
}

const cutListeners = (program: pg.Client) =>
  program.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'formtrail-listener' and datname = current_database()`,
  );

const use = useOwnService();
const query = (sql: string, values: unknown[] = []) => use.database.dataSource.query(sql, values);

/** Cuts the service's listening connection, and prevents a new connection during `work`. */
async function whileDeaf(work: (program: pg.Client) => Promise<void>): Promise<void> {
  const { database, service } = use;
  const allowConnections = (name: string, allow: boolean) =>
    asAnotherProgram(testServer().connection, (server) =>
      server.query(`alter database ${name} allow_connections ${allow}`),
    );
  await asAnotherProgram(database.connection, async (program) => {
    const { rows } = await program.query<{ name: string }>('select current_database() as name');
    const name = rows[0]!.name;
    await allowConnections(name, false);
    try {
      await cutListeners(program);
      await eventually('the service knows that it hears nothing', async () => !(await service.isHearing()));
      await work(program);
      expect(await service.isHearing()).toBe(false);
    } finally {
      await allowConnections(name, true);
    }
  });
}

const hearsAgain = (service: Service) => eventually('the service hears again', () => service.isHearing());

describe('freshness of forms (F9)', () => {
  it('serves a change at once after it is committed, not before, and none that is rolled back', async () => {
    const built = await buildForm(use.database.dataSource, PLAN);
    await asAnotherProgram(use.database.connection, async (program) => {
      await program.query('begin');
      await program.query(relabel(built, 'never'));
      expect(await labelIn(use.service, built)).toBe('red');
      await program.query('rollback');
      expect(await labelIn(use.service, built)).toBe('red');
      for (const label of ['Red', 'Rot']) {
        await program.query('begin');
        await program.query(relabel(built, label));
        expect(await labelIn(use.service, built)).not.toBe(label);
        await program.query('commit');
        await servesLabel(use.service, built, label);
      }
    });
  });

  it('serves a form from its cache while it does not change', async () => {
    const built = await buildForm(use.database.dataSource, PLAN);
    await hearsAgain(use.service);

    await asAnotherProgram(use.database.connection, async (program) => {
      await servesFromMemory(use.service, built, program);
      // A notified change invalidates the cache, so that later tests see the table's state.
      await program.query(relabel(built, 'loud'));
      await servesLabel(use.service, built, 'loud');
    });
  });

  it('reads the database for every request, not its cache, while its listening connection is cut', async () => {
    const built = await buildForm(use.database.dataSource, PLAN);
    await hearsAgain(use.service);
    await labelIn(use.service, built);

    await whileDeaf(async (program) => {
      for (const label of ['deaf one', 'deaf two', 'deaf three']) {
        await changeSilently(program, relabel(built, label));
        expect(await labelIn(use.service, built)).toBe(label);
      }
    });

    // Once the service listens again, it uses its cache again and receives notifications.
    await hearsAgain(use.service);
    expect(await labelIn(use.service, built)).toBe('deaf three');
    await asAnotherProgram(use.database.connection, async (program) => {
      await servesFromMemory(use.service, built, program);
      await program.query(relabel(built, 'heard'));
      await servesLabel(use.service, built, 'heard');
    });
  });

  it('misses no change that is committed while it reconnects', async () => {
    const built = await buildForm(use.database.dataSource, PLAN);
    await labelIn(use.service, built);

    await asAnotherProgram(use.database.connection, async (program) => {
      for (let cut = 0; cut < 2; cut += 1) {
        await hearsAgain(use.service);
        await labelIn(use.service, built);
        await cutListeners(program);
        await program.query(relabel(built, `cut ${cut}`));
        await servesLabel(use.service, built, `cut ${cut}`);
        await program.query(relabel(built, `and ${cut}`));
        await servesLabel(use.service, built, `and ${cut}`);
      }
    });
    await hearsAgain(use.service);
    expect(await labelIn(use.service, built)).toBe('and 1');
  });

  it('is the same on every instance', async () => {
    const built = await buildForm(use.database.dataSource, PLAN);
    const second = await startService(use.database);
    const both = [use.service, second];
    const serveLabel = (label: string) =>
      Promise.all(both.map((service) => servesLabel(service, built, label)));
    try {
      await serveLabel('red');
      await asAnotherProgram(use.database.connection, async (program) => {
        await program.query(relabel(built, 'both'));
        await serveLabel('both');
        await cutListeners(program);
        await program.query(relabel(built, 'both cut'));
        await serveLabel('both cut');
      });
    } finally {
      await second.close();
    }
  });

  it('responds with 404 for a deleted form at once, by UUID and by slug, and accepts no submission for it', async () => {
    const built = await buildForm(use.database.dataSource, PLAN);
    const { manager } = use.database.dataSource;
    const { client } = await newUser(use);
    const { uuid, slug } = built.form;
    const paths = [schemaPath(built), `/api/v1/forms/${uuid}`, `/api/v1/forms/${slug}/by-slug`];
    for (const path of paths) expect((await use.service.anyone.get(path)).status).toBe(200);

    await manager.delete(Form, { id: built.form.id });

    for (const path of paths) {
      const gone = await eventually(
        `${path} is gone`,
        async () => {
          const answer = await use.service.anyone.get(path);
          return answer.status !== 200 && answer;
        },
        AT_ONCE,
      );
      expectRefusal(gone, 404);
    }
    expectInvalid(await client.post('/api/v1/submissions', { form_uuid: uuid }), 'form_uuid');
    const { body } = await use.service.anyone.get('/api/v1/forms?per_page=100');
    expect(body.data.map((form: Form) => form.uuid)).not.toContain(uuid);
  });

  it('rejects a submission for a form that was deleted a moment ago with 422, never 500', async () => {
    const { client } = await newUser(use);
    const { manager } = use.database.dataSource;

    for (let round = 0; round < 5; round += 1) {
      const { form } = await buildForm(use.database.dataSource);
      await use.service.anyone.get(`/api/v1/forms/${form.uuid}`);
      await manager.delete(Form, { id: form.id });

      expectInvalid(await client.post('/api/v1/submissions', { form_uuid: form.uuid }), 'form_uuid');
    }
  });

  it('finds a form by its new slug and no longer by its old one', async () => {
    const built = await buildForm(use.database.dataSource, { form: { slug: 'old-slug' } });
    const bySlug = (slug: string) => use.service.anyone.get(`/api/v1/forms/${slug}/by-slug`);
    expect((await bySlug('old-slug')).status).toBe(200);
    expectRefusal(await bySlug('new-slug'), 404);

    await query(`update forms set slug = 'new-slug' where id = $1`, [built.form.id]);

    await eventually('the old slug is gone', async () => (await bySlug('old-slug')).status === 404, AT_ONCE);
    expect((await bySlug('new-slug')).body.data).toMatchObject({ uuid: built.form.uuid, slug: 'new-slug' });
    // Another form can use the old slug.
    const { form } = await buildForm(use.database.dataSource, { form: { slug: 'old-slug' } });
    expect((await bySlug('old-slug')).body.data.uuid).toBe(form.uuid);
  });

  it('finds a new form at once, even if an earlier request for it got 404', async () => {
    const uuid = '0f0f0f0f-1111-4222-8333-444455556666';
    expectRefusal(await use.service.anyone.get(`/api/v1/forms/${uuid}`), 404);

    await buildForm(use.database.dataSource, { form: { uuid } });

    expect((await use.service.anyone.get(`/api/v1/forms/${uuid}`)).status).toBe(200);
  });

  it('accepts values for a new field at once, and rejects values for a deleted one', async () => {
    const built = await buildForm(use.database.dataSource, PLAN);
    const { client } = await newUser(use);
    const { body } = await client.post('/api/v1/submissions', { form_uuid: built.form.uuid });
    const store = (field_code: string) =>
      client.post(`/api/v1/submissions/${body.data.uuid}/values`, { values: [{ field_code, value: 'x' }] });
    expectInvalid(await store('added'), 'values.0.field_code');

    await query(`insert into fields (step_id, field_type_id, code, label) values ($1, 1, 'added', 'Added')`, [
      built.steps[0]?.id,
    ]);
    await eventually(
      'the new field takes values',
      async () => (await store('added')).status === 200,
      AT_ONCE,
    );
    await query(`delete from fields where code = 'shade' and form_id = $1`, [built.form.id]);
    expectInvalid(
      await eventually('the deleted field is refused', async () => {
        const answer = await store('shade');
        return answer.status !== 200 && answer;
      }),
      'values.0.field_code',
    );
  });
});

describe('the version of a form (F8)', () => {
  const versionOf = async ({ form }: BuiltForm): Promise<number> =>
    (await use.database.dataSource.manager.findOneByOrFail(Form, { id: form.id })).version;

  const buildAll = async () => {
    const built = await buildForm(use.database.dataSource, PLAN);
    // Only this form has this field type, so that a change of the type changes no other form.
    await query(
      `with own as (insert into field_types (name, component) values ($1, 'text-input') returning id)
       update fields set field_type_id = own.id from own where fields.id = $2`,
      [`own ${built.form.id}`, built.fields['shade']?.id],
    );
    await buildEntity(use.database.dataSource, built, { name: 'person' }, []);
    return built;
  };

  const sql = (text: string, { form, steps, fields }: BuiltForm) =>
    text
      .replaceAll(':form', String(form.id))
      .replaceAll(':step', String(steps[0]?.id))
      .replaceAll(':colour', String(fields['colour']?.id))
      .replaceAll(':shade', String(fields['shade']?.id));

  // test/form-triggers.spec.ts has an insertion, a change and a deletion of rows of each table.
  const CHANGES = [
    ['a change of the name', `update forms set name = 'New' where id = :form`],
    ['a change of is_active', `update forms set is_active = not is_active where id = :form`],
    [
      'a change of description and slug at once',
      `update forms set description = 'New', slug = 'new-:form' where id = :form`,
    ],
    ['a change of an entity', `update entities set label = 'New', max_records = 1 where form_id = :form`],
    ['a change of the group of conditions', 'update conditions set group_number = 1 where form_id = :form'],
    ['a change of the meta of a step', `update steps set meta = '{"icon":"user"}' where id = :step`],
    ['a new option', `insert into options (field_id, label, value) values (:colour, 'Blue', 'blue')`],
    ['the deletion of a rule', 'delete from field_rules where field_id = :shade'],
    ['a change of the completion policy', `update forms set completion = 'strict' where id = :form`],
    ...(isOneServer
      ? [['a change of access', `update forms set access = 'public' where id = :form`] as const]
      : []),
    ['a change of the time zone', `update forms set time_zone = 'Europe/Berlin' where id = :form`],
    [
      'a change of the field type',
      `update field_types set component = 'number-input' where id = (select field_type_id from fields where id = :shade)`,
    ],
    ['an explicit value for the version itself', 'update forms set version = 999 where id = :form'],
  ] as const;

  it.each(CHANGES)('increases by one with %s, and updated_at with it', async (_, change) => {
    const built = await buildAll();
    const { id, uuid } = built.form;
    const [before] = await query('select version, updated_at::text from forms where id = $1', [id]);
    await query(sql(change, built));
    const version = Number(before.version) + 1;
    const after = await query(
      'select version, updated_at > $2::timestamptz as later from forms where id = $1',
      [id, before.updated_at],
    );
    expect(after).toEqual([{ version, later: true }]);
    const served = async () => (await use.service.anyone.get(`/api/v1/forms/${uuid}`)).body.data.version;
    await eventually('the version is served', async () => (await served()) === version, AT_ONCE);
  });

  it('stays the same when submissions, values and tokens are written', async () => {
    const built = await buildForm(use.database.dataSource, { steps: [{ name: {} }, {}] });
    const { client } = await newUser(use);
    const { body } = await client.post('/api/v1/submissions', { form_uuid: built.form.uuid });
    const path = `/api/v1/submissions/${body.data.uuid}`;
    await client.post(`${path}/values`, { values: [{ field_code: 'name', value: 'x' }] });
    await client.post(`${path}/advance`);
    await client.patch(path, { status: 'completed' });

    expect(await versionOf(built)).toBe(1);
  });

  it('is 1 for a form that is created in one transaction', async () => {
    expect(await versionOf(await buildForm(use.database.dataSource, PLAN))).toBe(1);
  });

  describe('in a transaction', () => {
    const run = async (built: BuiltForm, ...statements: string[]) =>
      asAnotherProgram(use.database.connection, async (program) => {
        for (const statement of statements) await program.query(sql(statement, built));
      });
    const step = `update steps set title = title || '!' where id = :step`;
    const field = `update fields set label = label || '!' where id = :shade`;
    let built: BuiltForm;
    beforeAll(async () => {
      built = await buildAll();
    });

    it('increases once for many changes', async () => {
      const before = await versionOf(built);
      const changes = CHANGES.map(([, change]) => change);
      await run(built, 'begin', ...changes, 'commit');
      expect(await versionOf(built)).toBe(before + 1);
    });

    it.each([
      ['is rolled back', 0, 'begin; STEP; FIELD; rollback'],
      [
        'is rolled back to a savepoint before the change',
        0,
        'begin; savepoint a; STEP; rollback to a; commit',
      ],
      ['makes another change after that', 1, 'begin; savepoint a; STEP; rollback to a; FIELD; commit'],
      [
        'also makes a change before the savepoint',
        1,
        'begin; STEP; savepoint a; FIELD; rollback to a; commit',
      ],
      [
        'releases savepoints',
        1,
        'begin; savepoint a; STEP; release a; savepoint b; FIELD; release b; commit',
      ],
      [
        'nests savepoints',
        1,
        'begin; savepoint a; savepoint b; STEP; rollback to a; savepoint b; FIELD; release b; STEP; commit',
      ],
      [
        'rolls back and ends with no change',
        0,
        'begin; savepoint a; STEP; rollback to a; savepoint b; FIELD; rollback to b; commit',
      ],
      ['is one of two', 2, 'begin; STEP; commit; begin; STEP; commit'],
      ['follows one that was rolled back', 1, 'begin; STEP; rollback; begin; STEP; commit'],
    ])('that %s, increases by %d', async (_, rise, statements) => {
      const before = await versionOf(built);
      const texts: Record<string, string> = { STEP: step, FIELD: field };
      await run(built, ...statements.split('; ').map((one) => texts[one] ?? one));
      expect(await versionOf(built)).toBe(before + rise);
    });

    it('increases once for each form that the transaction changes', async () => {
      const [one, two, untouched] = [await buildAll(), await buildAll(), await buildAll()];
      const before = [await versionOf(one), await versionOf(two), await versionOf(untouched)];

      await run(one, 'begin', step, sql(step, two), field, sql(field, two), 'commit');

      const after = [await versionOf(one), await versionOf(two), await versionOf(untouched)];
      expect(after).toEqual([before[0]! + 1, before[1]! + 1, before[2]]);
    });

    it('counts every one of several concurrent transactions', async () => {
      const before = await versionOf(built);

      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          run(built, 'begin', index % 2 === 0 ? step : field, 'commit'),
        ),
      );

      expect(await versionOf(built)).toBe(before + 8);
    });
  });

  it('increases for every form that uses a changed field type', async () => {
    const [one, two] = [await buildAll(), await buildAll()];
    await query(
      `update fields set field_type_id = (select field_type_id from fields where id = $1) where id = $2`,
      [one.fields['shade']?.id, two.fields['shade']?.id],
    );
    const before = [await versionOf(one), await versionOf(two)];

    await query(
      `update field_types set component = 'date-input' where id = (select field_type_id from fields where id = $1)`,
      [one.fields['shade']?.id],
    );

    expect([await versionOf(one), await versionOf(two)]).toEqual(before.map((version) => version + 1));
  });

  it('also increases if the panel saves entities with TypeORM, which does not set it', async () => {
    const built = await buildAll();
    const before = await versionOf(built);
    const { manager } = use.database.dataSource;
    const step = await manager.findOneByOrFail(Step, { id: built.steps[0]!.id });
    const form = await manager.findOneByOrFail(Form, { id: built.form.id });

    await manager.save(Object.assign(step, { title: 'From the panel' }));
    // `form` was loaded before the step was saved, so its version is out of date.
    await manager.save(Object.assign(form, { name: 'From the panel' }));

    expect(await versionOf(built)).toBe(before + 2);
  });
});

describe('an instance that caches tokens (A3)', () => {
  const draftOf = async (user: Awaited<ReturnType<typeof newUser>>) => {
    const { form } = await buildForm(use.database.dataSource);
    const { body } = await user.client.post('/api/v1/submissions', { form_uuid: form.uuid });
    return `/api/v1/submissions/${body.data.uuid}`;
  };
  const revoke = (program: pg.Client, { token }: Awaited<ReturnType<typeof newUser>>) =>
    program.query('update api_tokens set revoked_at = now() where id = $1', [token.id]);

  it('rejects a revoked token on the next request even if the listening connection is cut', async () => {
    const user = await newUser(use);
    const path = await draftOf(user);
    expect((await user.client.get(path)).status).toBe(200);

    await whileDeaf(async (program) => {
      expect((await user.client.get(path)).status).toBe(200);
      await revoke(program, user);
      expectUnauthenticated(await user.client.get(path));
      await program.query('update api_tokens set revoked_at = null where id = $1', [user.token.id]);
      expect((await user.client.get(path)).status).toBe(200);
      await revoke(program, user);
    });

    expectUnauthenticated(await user.client.get(path));
    await hearsAgain(use.service);
    expectUnauthenticated(await user.client.get(path));
  });

  const hasStatus = (user: Awaited<ReturnType<typeof newUser>>, path: string, status: number) =>
    eventually(
      `the status is ${status}`,
      async () => (await user.client.get(path)).status === status,
      AT_ONCE,
    );

  it('misses no revocation while it reconnects, and accepts at once a token whose revocation is undone', async () => {
    const user = await newUser(use);
    const path = await draftOf(user);
    await hearsAgain(use.service);
    expect((await user.client.get(path)).status).toBe(200);
    await asAnotherProgram(use.database.connection, async (program) => {
      await cutListeners(program);
      await revoke(program, user);
    });
    await hasStatus(user, path, 401);
    await hearsAgain(use.service);
    expectUnauthenticated(await user.client.get(path));
    await query('update api_tokens set revoked_at = null where id = $1', [user.token.id]);
    await hasStatus(user, path, 200);
  });
});

onOneServer('TRUNCATE is a change like any other (F8, F9, A3):', () => {
  it.each(['options', 'conditions', 'field_rules', 'fields cascade', 'steps cascade'])(
    'after that of %s, each affected form is served without the rows at once, as its next version',
    async (what) => {
      const built = await buildForm(use.database.dataSource, PLAN);
      const other = await buildForm(use.database.dataSource, { steps: [] });
      const schemaOf = async ({ form }: BuiltForm) =>
        (await use.service.anyone.get(`/api/v1/forms/${form.uuid}/schema`)).body.data;
      const [before, untouched] = [await schemaOf(built), await schemaOf(other)];

      await query(`truncate ${what}`);

      await eventually(
        'the next version',
        async () => (await schemaOf(built)).version > before.version,
        AT_ONCE,
      );
      const after = await schemaOf(built);
      expect(after.version).toBe(Number(before.version) + 1);
      expect(after).not.toEqual({ ...before, version: after.version });
      expect((await schemaOf(other)).version).toBe(untouched.version);
    },
  );

  it('after that of forms, the form is 404', async () => {
    const built = await buildForm(use.database.dataSource, PLAN);
    const path = `/api/v1/forms/${built.form.uuid}/schema`;
    expect((await use.service.anyone.get(path)).status).toBe(200);
    await query('truncate forms cascade');
    await eventually(
      'the form ends',
      async () => (await use.service.anyone.get(path)).status === 404,
      AT_ONCE,
    );
  });

  it.each(['api_tokens', 'users cascade'])('after that of %s, tokens are rejected', async (what) => {
    const { client } = await newUser(use);
    const path = '/api/v1/submissions/01890000-0000-7000-8000-000000000001';
    expect((await client.get(path)).status).toBe(404);
    await query(`truncate ${what}`);
    await eventually('the token ends', async () => (await client.get(path)).status === 401, AT_ONCE);
  });
});
