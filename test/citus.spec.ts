import { arrayLiteral } from '../src/database/array-literal.js';
import { valuesOfRow } from '../src/capabilities/citus/on-shard.js';
import { findShards, hashUuid } from '../src/capabilities/citus/shards.js';
import { distributionStatus } from '../src/capabilities/citus/status.js';
import { coordinatorSql, shardSql } from '../src/capabilities/citus/texts.js';
import type { Statement } from '../src/database/statement.js';
import { exportSubmissions } from '../src/capabilities/exports/export-submissions.js';
import { migrate } from '../src/migrations/migrate.js';
import { MIGRATIONS } from '../src/schema.js';
import { ADVANCE_SUBMISSION } from '../src/submissions/drafts/move.statements.js';
import { isList, plannedStatements } from './support/distributed-statements.js';
import { createDraft, type Draft, newDraft } from './support/drafts.js';
import { eventually } from './support/eventually.js';
import { buildRecords } from './support/forms.js';
import { useService } from './support/service.js';
import { testDatabase } from './support/test-database.js';
import { asAnotherProgram, testServer } from './support/test-server.js';

/** Runs if `DATABASE_URL` names a database of a Citus coordinator with workers (deploy/citus/README.md). */
const onCitus = testServer().workers.length === 0 ? describe.skip : describe;

onCitus('on tables that Citus distributes,', () => {
  const use = useService();

  const create = ({ client, form }: Draft, key?: string) =>
    client.post(
      '/api/v1/submissions',
      { form_uuid: form.uuid },
      key === undefined ? {} : { 'Idempotency-Key': key },
    );

  /** During `work`, the coordinator cannot reach the worker, because it connects to a port on which nothing listens. */
  async function withWorkerOutOfReach<T>(worker: number, work: () => Promise<T>): Promise<T> {
    const { dataSource } = use.database;
    const [{ port }] = await dataSource.query<[{ port: number }]>(
      'select nodeport as port from pg_dist_node where groupid = $1',
      [worker],
    );
    const moveTo = (port: number) =>
      dataSource.query('update pg_dist_node set nodeport = $2 where groupid = $1', [worker, port]);
    await moveTo(1);
    try {
      return await work();
    } finally {
      await moveTo(port);
    }
  }

  /** Returns the keys whose shards are on the worker. */
  async function keysAt(worker: number, keys: readonly string[]): Promise<Set<string>> {
    const rows = await use.database.dataSource.query<{ key: string }[]>(
      `select key from unnest($2::text[]) key join pg_dist_placement
          on shardid = get_shard_id_for_distribution_column('idempotency_keys', key)
        where groupid = $1`,
      [worker, keys],
    );
    return new Set(rows.map(({ key }) => key));
  }

  it('the service computes the same shard as the coordinator', async () => {
    const shards = (await findShards(use.database.dataSource))!;
    const uuids = Array.from({ length: 200 }, () => crypto.randomUUID());
    const rows = await use.database.dataSource.query<{ uuid: string; id: string; hash: number }[]>(
      `select uuid, get_shard_id_for_distribution_column('submissions', uuid) as id, uuid_hash(uuid) as hash
         from unnest($1::uuid[]) uuid`,
      [uuids],
    );
    for (const { uuid, id, hash } of rows)
      expect([hashUuid(uuid), shards.holding(uuid).id]).toEqual([hash, Number(id)]);
    expect(new Set(rows.map(({ id }) => id)).size).toBeGreaterThan(1);
  });

  describe('Citus plans each statement as one task on one shard, and lists as one task on each shard:', () => {
    let shardCount: number;
    beforeAll(async () => {
      ({ shards: shardCount } = await distributionStatus(use.database.dataSource));
    });

    /** Values by type of a parameter. They need not exist, because the statements are only planned. */
    const SAMPLES: Readonly<Record<string, unknown>> = {
      ...{ integer: 1, bigint: 1, boolean: true, text: '1', 'character varying': 'key', bytea: '\\x00' },
      ...{ json: '{}', 'timestamp with time zone': 'now' },
    };
    const sampleOf = (type: string): string | number | boolean => {
      const [, element] = /^(.*)\[\]$/.exec(type) ?? [];
      if (element !== undefined) return arrayLiteral([SAMPLES[element] as string]);
      return type === 'uuid' ? crypto.randomUUID() : (SAMPLES[type] as string);
    };

    // The coordinator executes the other two: it claims keys under its own lock, and finds expired keys on all shards.
    const isExecutedThere = ({ name }: Statement<unknown>) =>
      ['idempotency.claim', 'idempotency.sweep'].includes(name);

    it.each(plannedStatements.filter((one) => !isExecutedThere(one)).map((one) => [one.name, one] as const))(
      '%s',
      async (_, statement) => {
        await asAnotherProgram(use.database.connection, async (client) => {
          await client.query(`prepare planned as ${coordinatorSql(statement)}`);
          const { rows: prepared } = await client.query<{ types: string[] }>(
            'select parameter_types::text[] as types from pg_prepared_statements',
          );
          const values = prepared[0]!.types.map((type) => client.escapeLiteral(String(sampleOf(type))));
          const { rows } = await client.query<{ 'QUERY PLAN': string }>(
            `explain execute planned (${values.join()})`,
          );
          const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
          const tasks = isList(statement) ? shardCount : 1;
          expect(plan.match(/Task Count: \d+|Distributed Subplan/g)).toEqual([`Task Count: ${tasks}`]);
        });
      },
    );
  });

  it('a statement on submissions is executed on the worker that has their shard, in a transaction too', async () => {
    const shards = (await findShards(use.database.dataSource))!;
    const nodes = await use.database.dataSource.query<{ groupid: number; nodeport: number }[]>(
      'select groupid, nodeport from pg_dist_node',
    );
    const ports = new Map(nodes.map(({ groupid, nodeport }) => [groupid, `(${nodeport})`]));
    await asAnotherProgram(use.database.connection, async (client) => {
      for (const begin of ['select', 'begin']) {
        await client.query(begin);
        for (let at = 0; at < 10; at += 1) {
          const uuid = crypto.randomUUID();
          const { id, worker } = shards.holding(uuid);
          const { rows } = await client.query<{ port: string }>(
            `select formtrail_on_shard($1, $2, 'select inet_server_port() where $1::text is null', array[null]) as port`,
            [uuid, id],
          );
          expect(rows[0]!.port).toBe(ports.get(worker));
        }
      }
      await client.query('commit');
    });
  });

  it('a batch is executed on the tables of its shard, and on no other worker', async () => {
    const { dataSource } = use.database;
    const shards = (await findShards(dataSource))!;
    const first = await newDraft(use, [{ name: {} }, {}]);
    const others = await Promise.all(Array.from({ length: 30 }, () => createDraft(first.client, first)));
    const uuids = [first.uuid, ...others.map(({ uuid }) => uuid)];
    const shard = shards.holding(first.uuid);
    const there = uuids.filter((uuid) => shards.holding(uuid) === shard);
    expect(there.length).toBeGreaterThan(1);
    expect(there.length).toBeLessThan(uuids.length);
    const advance = (id: number) =>
      dataSource.query<{ row: string }[]>('select formtrail_on_shard($1, $2, $3, $4) as row', [
        first.uuid,
        id,
        shardSql(ADVANCE_SUBMISSION, shard),
        [
          arrayLiteral(uuids),
          arrayLiteral(uuids.map(() => first.userId)),
          arrayLiteral(uuids.map(() => null)),
        ],
      ]);
    const elsewhere = uuids
      .map((uuid) => shards.holding(uuid))
      .find(({ worker }) => worker !== shard.worker)!;
    await expect(advance(elsewhere.id)).rejects.toMatchObject({ code: '40001' });
    const rows = await advance(shard.id);
    const found = rows
      .map(({ row }) => valuesOfRow(row))
      .map(([position, uuid]) => [uuids[Number(position) - 1], uuid]);
    expect(found.map(([, uuid]) => uuid).toSorted()).toEqual(there.toSorted());
    for (const [asked, uuid] of found) expect(uuid).toBe(asked);
    const { data } = (await first.client.get(first.path)).body;
    expect(data.current_step).toBe(2);
  });

  it('values with quotes, braces and line breaks are stored unchanged', async () => {
    const { client, path, fields } = await newDraft(use, [{ name: {} }]);
    const store = (value: string) =>
      client.post(`${path}/values`, { values: [{ field_id: fields['name']!.id, value }] });
    const odd = `a"b\\c'd,{}(e)\n$1%L`;
    expect((await store(odd)).status).toBe(200);
    expect((await client.get(path)).body.data.values).toMatchObject([{ value: odd }]);
  });

  it('a form with a field for files can be exported, without files', async () => {
    const { client, path, form } = await newDraft(use, [{ cv: { type: 'file' } }]);
    expect((await client.post(`${path}/values`, { values: [{ field_code: 'cv', value: 'x' }] })).status).toBe(
      200,
    );
    const lines: string[] = [];
    const exported = await exportSubmissions(
      use.database.dataSource,
      { slug: form.slug, status: undefined, since: undefined, format: 'ndjson' },
      (text) => Promise.resolve(void lines.push(text)),
    );
    expect(exported).toEqual({ count: 1, warnings: [] });
    expect(JSON.parse(lines.join(''))).toMatchObject({ values: [{ field_code: 'cv', value: 'x' }] });
  });

  it('the database rejects public forms, respondents, webhook endpoints, periods of forms and held submissions', async () => {
    const { form, userId } = await newDraft(use, [{}]);
    for (const [sql, id] of [
      [`update forms set access = 'public' where id = $1`, form.id],
      [
        'insert into respondents (user_id, form_id) select user_id, form_id from submissions where user_id = $1',
        userId,
      ],
      [
        `insert into webhook_endpoints (url, secret, form_id) values ('https://receiver.example', '', $1)`,
        form.id,
      ],
      ['update forms set keep_personal_days = 1 where id = $1', form.id],
      ['update submissions set held = true where user_id = $1', userId],
    ] as const)
      await expect(use.database.dataSource.query(sql, [id])).rejects.toMatchObject({ code: '23514' });
  });

  it('migrations add to distributed tables what "db distribute" leaves, and can be reverted', async () => {
    const own = await testDatabase();
    const { dataSource } = own;
    const schema = () =>
      dataSource.query<unknown[]>(`
        select 'table ' || conrelid::regclass as of, conname as name, pg_get_constraintdef(oid) as definition
          from pg_constraint where connamespace = 'public'::regnamespace
        union all select 'table ' || tgrelid::regclass, tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
        union all select 'table ' || attrelid::regclass, attname, format_type(atttypid, atttypmod) from pg_attribute
          join pg_class on pg_class.oid = attrelid
         where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
        union all select 'functions', proname, md5(prosrc) from pg_proc where starts_with(proname, 'formtrail_')
        order by 1, 2, 3`);
    const distributed = await schema();
    const added = MIGRATIONS.slice(MIGRATIONS.findIndex(({ name }) => name.startsWith('KeepingTimes')));
    for (const _migration of added) await dataSource.undoLastMigration();
    expect(await schema()).not.toContainEqual(expect.objectContaining({ name: 'held' }));
    expect(await migrate(dataSource)).toEqual(added.map(({ name }) => name));
    expect(await schema()).toEqual(distributed);
    await own.close();
  });

  it('TRUNCATE of users says that submissions must be truncated first', async () => {
    const { userId } = await newDraft(use, [{}]);
    const { dataSource } = use.database;
    await expect(dataSource.query('truncate users cascade')).rejects.toMatchObject({
      code: '23503',
      message: expect.stringContaining('submissions refer to the table "users"'),
      hint: 'Run "truncate submissions, idempotency_keys cascade" first.',
    });
    await dataSource.query('truncate submissions, idempotency_keys cascade; truncate users cascade');
    expect(await dataSource.query('select from user_keys where id = $1', [userId])).toEqual([]);
  });

  it.each(['block_writes', 'force_logical'])(
    'the service writes to a shard while it is moved to another worker: %s',
    async (mode) => {
      const { dataSource } = use.database;
      const { client, path, fields, uuid } = await newDraft(use, [{ name: {} }]);
      const moveToOtherWorker = () =>
        dataSource.query(
          `select citus_move_shard_placement(shardid, old.nodename, old.nodeport, new.nodename, new.nodeport, $2)
             from pg_dist_placement join pg_dist_node old using (groupid), pg_dist_node new
            where shardid = get_shard_id_for_distribution_column('submissions', $1::uuid)
              and new.shouldhaveshards and new.groupid <> old.groupid limit 1`,
          [uuid, mode],
        );
      const move = moveToOtherWorker();
      let isMoved = false as boolean;
      const moved = move.finally(() => (isMoved = true));
      let count = 0;
      let stored = 0;
      let isLast: boolean;
      do {
        isLast = isMoved;
        const values = [{ field_id: fields['name']!.id, value: String((count += 1)) }];
        const { status } = await client.post(`${path}/values`, { values });
        if (status === 200) stored = count;
        else expect(status).toBe(503);
      } while (!isLast || stored === 0);
      await moved;
      const { values } = (await client.get(path)).body.data;
      // A write that got 503 may have been executed.
      expect(Number(values[0].value)).toBeGreaterThanOrEqual(stored);
      // Back, so that each worker has shards in the next tests.
      await moveToOtherWorker();
    },
  );

  it('while a worker is unreachable, submissions are created on the others, and listing them is 503', async () => {
    const first = await newDraft(use, [{}]);
    const { client, path } = first;
    const shards = (await findShards(use.database.dataSource))!;
    const lost = shards.holding(first.uuid).worker;
    const answering = await withWorkerOutOfReach(lost, async () => {
      const reads = await client.get(path);
      expect(reads.status).toBe(503);
      const created = await Promise.all(Array.from({ length: 40 }, () => create(first)));
      expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
      for (const { body } of created) expect(shards.holding(body.data.uuid).worker).not.toBe(lost);
      expect((await client.get('/api/v1/submissions')).status).toBe(503);
      return created.map(({ body }) => body.data.uuid as string);
    });
    await eventually('the list is there again', async () => {
      return (await client.get('/api/v1/submissions')).status === 200;
    });
    for (const uuid of answering) expect((await client.get(`/api/v1/submissions/${uuid}`)).status).toBe(200);
    await eventually('submissions are created there again', async () => {
      const { status, body } = await create(first);
      expect(status).toBe(201);
      return shards.holding(body.data.uuid).worker === lost;
    });
  });

  it('while a worker is unreachable, creating with an Idempotency-Key is 503 only if that worker stores the key', async () => {
    const first = await newDraft(use, [{}]);
    const shards = (await findShards(use.database.dataSource))!;
    const lost = shards.holding(first.uuid).worker;
    const keys = Array.from({ length: 30 }, () => crypto.randomUUID());
    const there = await keysAt(lost, keys);
    expect(there.size).toBeGreaterThan(0);
    expect(there.size).toBeLessThan(keys.length);
    const send = async () => {
      const responses = [];
      for (const key of keys) responses.push(await create(first, key));
      return responses;
    };
    const before = await withWorkerOutOfReach(lost, send);
    for (const [at, key] of keys.entries())
      expect([key, before[at]!.status]).toEqual([key, there.has(key) ? 503 : 201]);
    const after = await send();
    for (const [at, { status, body }] of after.entries()) {
      expect(status).toBe(201);
      if (before[at]!.status === 201) expect(body).toEqual(before[at]!.body);
    }
    expect(new Set(after.map(({ body }) => body.data.uuid)).size).toBe(keys.length);
  });

  it('fields and entities in use can be neither deleted nor made repeatable, and forms with submissions not deleted', async () => {
    const { client, path, form, fields, uuid } = await newDraft(use, [{ name: {}, free: {} }]);
    const { dataSource } = use.database;
    await buildRecords(dataSource, form.id, uuid, 1);
    const entries = [{ field_code: 'name', value: 'Ada' }];
    expect((await client.post(`${path}/values`, { values: entries })).status).toBe(200);

    const held = fields['name']!.id;
    for (const [sql, id] of [
      ['delete from fields where id = $1', held],
      ['update fields set is_repeatable = true where id = $1', held],
      ['delete from entities where form_id = $1', form.id],
      ['delete from forms where id = $1', form.id],
      ['delete from users where id = (select max(user_id) from submissions where form_id = $1)', form.id],
    ] as const)
      await expect(dataSource.query(sql, [id])).rejects.toMatchObject({ code: '23503' });
    await dataSource.query('delete from fields where id = $1', [fields['free']!.id]);
    expect((await client.get(path)).body.data.values).toMatchObject([{ field_code: 'name', value: 'Ada' }]);
  });
});
