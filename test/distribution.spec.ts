import { Client } from 'pg';
import { obstacle } from '../src/capabilities/citus/distribute.js';
import { creationOf, DISTRIBUTED_TABLES, MIRRORS, triggersOf } from '../src/capabilities/citus/tables.js';
import { coordinatorSql, shardSql } from '../src/capabilities/citus/texts.js';
import type { Statement } from '../src/database/statement.js';
import { STORE_VALUES } from '../src/submissions/values/value.statements.js';
import { DELETE_ABANDONED } from '../src/cli/purge-drafts.js';
import { submissionPageSql } from '../src/capabilities/exports/submission-pages.js';
import { lockSubmissions } from '../src/cli/deletions.js';
import { buildForm } from './support/forms.js';
import { isList, isSweep, plannedStatements, shardStatements } from './support/distributed-statements.js';
import { itOnOneServer, onOneServer } from './support/it-on-one-server.js';
import { useDatabase } from './support/test-database.js';

/** Checks the rules of the distribution by Citus (ADR 10) on plain PostgreSQL, without Citus. */

const COLUMN_OF = new Map<string, string>(DISTRIBUTED_TABLES.map(({ table, column }) => [table, column]));
const MIRRORED = new Map(MIRRORS.map((mirror) => [mirror.table, mirror]));
/** Tables that exist only on the coordinator. No distributed table refers to them. */
const LOCAL =
  'api_tokens audit_log backups conditions ended_identities erasures field_rules field_types file_deletions files form_counts ' +
  'form_uuids form_version_texts form_versions held_options held_submissions migrations option_counts options respondents resume_codes spent_proofs ' +
  'translations user_counts user_identities user_storage webhook_deliveries webhook_endpoints webhook_outbox';

const database = useDatabase();

it('finds all statements', () => {
  expect(plannedStatements.length).toBeGreaterThanOrEqual(6);
  expect(plannedStatements.filter(isSweep)).toHaveLength(1);
  expect(shardStatements.length).toBeGreaterThanOrEqual(20);
});

describe('every table', () => {
  it('is known to be distributed, mirrored or local', async () => {
    const tables = await database.dataSource.query<{ name: string }[]>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like '%\\_keys'
           or relname = 'idempotency_keys' and relkind = 'r'`,
    );
    const known = [...COLUMN_OF.keys(), ...MIRRORED.keys(), ...LOCAL.split(' ')];
    expect(tables.map(({ name }) => name).toSorted()).toEqual(known.toSorted());
  });

  it('that is distributed has its distribution column in each unique index', async () => {
    const indexes = await database.dataSource.query<{ table: string; name: string; columns: string[] }[]>(
      `select indrelid::regclass::text as table, indexrelid::regclass::text as name,
              array(select attname::text from pg_attribute where attrelid = indrelid and attnum = any (indkey)) as columns
         from pg_index where indisunique and indrelid = any ($1::regclass[])`,
      [[...COLUMN_OF.keys()]],
    );
    expect(indexes.length).toBeGreaterThanOrEqual(COLUMN_OF.size);
    for (const { table, name, columns } of indexes)
      expect([name, columns]).toEqual([name, expect.arrayContaining([COLUMN_OF.get(table)])]);
  });

  it('that is distributed has foreign keys only with the distribution column, or to columns of a mirror', async () => {
    const keys = await database.dataSource.query<
      { from: string; to: string; columns: string[]; targets: string[] }[]
    >(
      `select conrelid::regclass::text as from, confrelid::regclass::text as to,
              array(select attname::text from unnest(conkey) with ordinality k (num, at)
                      join pg_attribute on attrelid = conrelid and attnum = num order by at) as columns,
              array(select attname::text from unnest(confkey) with ordinality k (num, at)
                      join pg_attribute on attrelid = confrelid and attnum = num order by at) as targets
         from pg_constraint where contype = 'f' and conrelid = any ($1::regclass[])`,
      [[...COLUMN_OF.keys()]],
    );
    expect(keys.length).toBeGreaterThanOrEqual(8);
    const mirrorNames = new Map(MIRRORS.map((mirror) => [mirror.name, mirror]));
    for (const { from, to, columns, targets } of keys) {
      const mirror = MIRRORED.get(to) ?? mirrorNames.get(to);
      if (mirror !== undefined) {
        expect(mirror.columns).toEqual(expect.arrayContaining(targets));
        continue;
      }
      const at = columns.indexOf(COLUMN_OF.get(from) ?? '');
      expect([from, to, targets[at]]).toEqual([from, to, COLUMN_OF.get(to)]);
    }
  });
});

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
  readonly [property: string]: unknown;
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const parameterCount = ({ text }: Pick<Statement<unknown>, 'text'>) =>
  Math.max(...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));

it('storing values reads no total of the user on Citus, where nothing counts it (V9)', () => {
  const text = shardSql(STORE_VALUES, { id: 1, minimum: 0, worker: 1, tables: {} });
  expect(text).toContain('from (select 0 as user_id, 0 as text_bytes limit 0) as user_storage');
});

it('no statement has the short form of CASE, which Citus sends to workers with another meaning, or ctid', () => {
  const bad = plannedStatements.filter(({ text }) => /\bcase (?!when\b)|\bctid\b/i.test(text));
  expect(bad.map(({ name }) => name)).toEqual([]);
});

/** Returns the type and content of every node of a query tree in PostgreSQL's text format. */
function treeNodes(tree: string): { type: string; text: string }[] {
  const open: number[] = [];
  const nodes: { type: string; text: string }[] = [];
  for (let at = 0; at < tree.length; at += 1) {
    if (tree[at] === '\\') at += 1;
    else if (tree[at] === '{') open.push(at);
    else if (tree[at] === '}') {
      const text = tree.slice(open.pop(), at + 1);
      nodes.push({ type: /^\{(\w+)/.exec(text)?.[1] ?? '', text });
    }
  }
  return nodes;
}

const FUNCTION_OF: Record<string, RegExp> = {
  FUNCEXPR: /:funcid (\d+)/,
  OPEXPR: /:opfuncid (\d+)/,
  DISTINCTEXPR: /:opfuncid (\d+)/,
  SCALARARRAYOPEXPR: /:opfuncid (\d+)/,
};

interface Call {
  readonly name: string;
  readonly provolatile: string;
  /** The call with its arguments, as a tree in PostgreSQL's text format. */
  readonly text: string;
}

/** Returns the calls of functions that are not immutable. A conversion from text calls the type's input function. */
async function unsteadyCalls(client: Client, tree: string): Promise<Call[]> {
  const calls: Call[] = [];
  for (const { type, text } of treeNodes(tree)) {
    const isConversion = type === 'COERCEVIAIO';
    const id = isConversion
      ? / :resulttype (\d+)/.exec(text.slice(text.lastIndexOf(' :resulttype')))?.[1]
      : FUNCTION_OF[type]?.exec(text)?.[1];
    if (id === undefined) continue;
    const { rows } = await client.query<Omit<Call, 'text'>>(
      isConversion
        ? `select typinput::text as name, provolatile from pg_type join pg_proc on pg_proc.oid = typinput
            where pg_type.oid = $1`
        : 'select oid::regprocedure::text as name, provolatile from pg_proc where oid = $1',
      [id],
    );
    expect(rows).toHaveLength(1);
    if (rows[0]!.provolatile !== 'i') calls.push({ ...rows[0]!, text });
  }
  return calls;
}

const writing = plannedStatements.filter((one) => /\b(update|insert|delete)\b/.test(coordinatorSql(one)));

async function treeOf(client: Client, statement: Statement<unknown>): Promise<string> {
  await client.query(`prepare typed as ${coordinatorSql(statement)}`);
  const { rows: typed } = await client.query<{ types: string[] }>(
    `select parameter_types::text[] as types from pg_prepared_statements where name = 'typed'`,
  );
  await client.query('deallocate typed');
  await client.query(
    `create function its_tree(${typed[0]!.types.join()}) returns void language sql
       begin atomic ${coordinatorSql(statement)}; select; end`,
  );
  const { rows } = await client.query<{ tree: string }>(
    `select prosqlbody::text as tree from pg_proc where proname = 'its_tree'`,
  );
  return rows[0]!.tree;
}

/** Returns the position after the bracket that closes the bracket at `start`. */
function endOf(tree: string, start: number): number {
  let depth = 0;
  for (let at = start; at < tree.length; at += 1) {
    if (tree[at] === '\\') at += 1;
    else if ('({'.includes(tree[at]!)) depth += 1;
    else if (')}'.includes(tree[at]!)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return tree.length;
}

describe('db distribute gives a reason to reject a database, if there is one:', () => {
  itOnOneServer.each([
    ['no reason', 'select', /^undefined$/],
    [
      'a webhook endpoint',
      `insert into webhook_endpoints (url, secret) values ('https://receiver.example', '')`,
      /^Webhooks .*\. Remove their endpoints first\.$/,
    ],
    [
      'a public form',
      `insert into forms (name, slug, access) values ('Public', 'public', 'public')`,
      /^A form is public, .* Set its access to token first\.$/,
    ],
    [
      'a preview',
      `with person as (insert into users default values returning id)
       insert into respondents (user_id, form_id, is_preview) select person.id, {form}, true from person`,
      /^There are respondents\. Delete the rows of the table respondents first\.$/,
    ],
    [
      'a file',
      `with person as (insert into users default values returning id),
            submission as (insert into submissions (uuid, form_id, user_id)
              select gen_random_uuid(), {form}, person.id from person returning uuid)
       insert into files (uuid, submission_uuid, form_id, field_id, name, size, media_type, sha256)
         select gen_random_uuid(), submission.uuid, {form}, {field}, 'cv.pdf', 1, 'application/pdf', sha256('') from submission`,
      /^Submissions have files\. Delete these .* first\.$/,
    ],
  ])('%s', async (_, sql, sentence) => {
    const { form, fields } = await buildForm(database.dataSource);
    const runner = database.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(
      sql.replaceAll('{form}', String(form.id)).replaceAll('{field}', String(fields['name']!.id)),
    );
    const found = await obstacle(runner, { citus: '13.2', nodes: ['worker:5432'], shards: 0 });
    await runner.rollbackTransaction();
    await runner.release();
    expect(String(found)).toMatch(sentence);
  });
});

it('the first parameter of each batched statement is the UUID of the submission', () => {
  for (const one of shardStatements)
    if ('types' in one) expect([one.name, (one.types as string[])[0]]).toEqual([one.name, 'uuid']);
});

onOneServer('with mirrors,', () => {
  let client: Client;
  /** Creates the mirrors as plain tables, because only Citus can create reference tables. */
  beforeAll(async () => {
    client = new Client(database.connection);
    await client.connect();
    await client.query('begin');
    for (const sql of MIRRORS.flatMap(creationOf))
      if (!sql.includes('create_reference_table')) await client.query(sql);
    await client.query('savepoint mirrored');
  });
  afterEach(() => client.query('rollback to mirrored; deallocate all'));
  afterAll(async () => {
    await client.query('rollback');
    await client.end();
  });

  describe('each statement, with a generic plan,', () => {
    it.each(plannedStatements.filter((one) => !isSweep(one)).map((one) => [one.name, one]))(
      '(%s) reads one shard of each distributed table, and no tables of the coordinator',
      async (_, statement) => {
        await client.query('set local plan_cache_mode = force_generic_plan');
        await client.query(`prepare planned as ${coordinatorSql(statement)}`);
        const nulls = Array(parameterCount(statement)).fill('null').join();
        const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          `explain (format json) execute planned (${nulls})`,
        );
        await client.query('deallocate planned');
        const scans = nodesOf(rows[0]!['QUERY PLAN'][0].Plan).filter(
          (node) => node['Relation Name'] !== undefined && node['Node Type'] !== 'ModifyTable',
        );
        const isSpread = (node: Plan) => COLUMN_OF.has(node['Relation Name'] ?? '');
        for (const scan of scans) {
          const table = scan['Relation Name'] ?? '';
          if (isList(statement) && isSpread(scan)) continue;
          if (!isSpread(scan)) {
            expect(MIRRORS.map(({ name }) => name)).toContain(table);
            continue;
          }
          const conditions = ['Index Cond', 'Recheck Cond', 'Filter'].map((one) => String(scan[one])).join();
          const column = COLUMN_OF.get(table);
          expect([table, conditions]).toEqual([
            table,
            // Statements on `idempotency_keys` have the key in `$2`.
            expect.stringMatching(new RegExp(`\\(${column}(\\)::text)? = (ANY \\(\\$1\\)|\\$1|\\(?\\$2)`)),
          ]);
        }
      },
    );
  });

  describe('each statement of the command line that has a text for Citus', () => {
    it.each([
      ['purging drafts', DELETE_ABANDONED],
      ['deleting by form', lockSubmissions('form_id')],
      ['exporting', submissionPageSql({ withTests: false, withRecords: true, withPersonal: true })],
      ['exporting less', submissionPageSql({ withTests: false, withRecords: true, withPersonal: false })],
    ])('(%s) is valid, and avoids the syntax that Citus rejects', async (_, statement) => {
      const text = coordinatorSql(statement);
      expect(text).not.toBe(statement.text);
      expect(text).not.toMatch(
        /\bctid\b|\bfor update\b|\blateral\b|\b(from|join) (users|forms|steps|entities|fields)\b/,
      );
      await client.query(`prepare planned as ${text}`);
    });
  });

  describe('each statement that writes calls only functions that Citus can send to a shard', () => {
    it.each(writing.map((one) => [one.name, one]))('%s', async (_, statement) => {
      const tree = await treeOf(client, statement);
      // This function may be volatile, because the coordinator calls it to select the rows to insert.
      const isExempt = (name: string) => name.startsWith('pg_try_advisory_xact_lock(');
      const calls = (await unsteadyCalls(client, tree)).filter(({ name }) => !isExempt(name));
      const refused = calls.filter(({ provolatile, text }) => provolatile === 'v' || text.includes('{VAR '));
      const names = isSweep(statement) ? refused.filter(({ provolatile }) => provolatile === 'v') : refused;
      expect(names.map(({ name }) => name)).toEqual([]);
      for (const part of [/:onConflict \{/, /:returningList \(/]) {
        const at = tree.search(part);
        if (at === -1) continue;
        const text = tree.slice(at, endOf(tree, tree.indexOf(part.source.at(-1) === '{' ? '{' : '(', at)));
        expect((await unsteadyCalls(client, text)).map(({ name }) => name)).toEqual([]);
      }
    });
  });

  describe('statement triggers keep the mirrors equal to their tables', () => {
    it('when many rows are inserted, updated, deleted or truncated at once', async () => {
      for (const sql of MIRRORS.flatMap(triggersOf)) await client.query(sql);
      const expectEqual = async () => {
        for (const { table, name, columns } of MIRRORS) {
          const names = columns.join();
          const { rows } = await client.query(
            `(select '${name}', ${names} from ${table} except select '${name}', ${names} from ${name})
              union all (select '${name}', ${names} from ${name} except select '${name}', ${names} from ${table})`,
          );
          expect(rows).toEqual([]);
        }
      };
      const { rows: counted } = await client.query<{ count: number }>(
        'select count(*)::integer as count from form_keys',
      );
      await client.query(`
        insert into users (email) select n || '@example.org' from generate_series(1, 3) n;
        insert into forms (name, slug) select 'Mirrored', 'mirrored-' || n from generate_series(1, 3) n;
        insert into steps (form_id, step_number, title)
          select id, n, '' from forms, generate_series(1, 3) n where slug like 'mirrored-%';
        insert into entities (form_id, name, label) select id, 'expense', '' from forms where slug like 'mirrored-%';
        insert into fields (form_id, step_id, field_type_id, code, label)
          select form_id, id, (select min(id) from field_types), 'field', '' from steps where step_number = 1`);
      const { rows: grown } = await client.query<{ count: number }>(
        'select count(*)::integer as count from form_keys',
      );
      expect(grown[0]!.count).toBe(counted[0]!.count + 3);
      await expectEqual();
      await client.query(`
        update fields set is_repeatable = true, label = 'changed';
        update users set email = 'new-' || email;
        update forms set id = id + 1000 where slug = 'mirrored-1' and not exists (select from steps where form_id = forms.id)`);
      await expectEqual();
      await client.query(`update users set id = id + 1000 where email like 'new-%'`);
      await expectEqual();
      await client.query(`delete from forms where slug = 'mirrored-2'`);
      await expectEqual();
      await client.query('set constraints all immediate');
      await client.query('truncate fields cascade');
      await expectEqual();
    });
  });

  describe('each statement that is executed on a shard', () => {
    let shards = 0;
    it.each(shardStatements.map((one) => [one.name, one]))(
      '(%s) finds rows by index, and only in tables of that shard',
      async (_, statement) => {
        // Imitates a Citus worker, which has a table for each shard.
        const tables: Record<string, string> = {};
        for (const [at, table] of [...COLUMN_OF.keys(), ...MIRRORS.map(({ name }) => name)].entries()) {
          tables[table] = `${table}_10${at}`;
          await client.query(`create table ${table}_10${at} (like ${table} including all)`);
        }
        const text = shardSql(statement, { id: 100 + (shards += 1), minimum: 0, worker: 1, tables });
        await client.query('set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off');
        await client.query(`prepare planned as ${text}`);
        const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          `explain (format json) execute planned (${Array(parameterCount({ text })).fill('null').join()})`,
        );
        await client.query('deallocate planned');
        const nodes = nodesOf(rows[0]!['QUERY PLAN'][0].Plan);
        const named = nodes.map((node) => node['Relation Name']).filter((name) => name !== undefined);
        expect(named.length).toBeGreaterThan(0);
        for (const name of named) expect(name).toMatch(/_10\d$/);
        expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      },
    );
  });
});
