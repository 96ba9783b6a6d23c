import { createHash, randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { migrate, migrationStatus } from '../src/migrations/migrate.js';
import { MIGRATIONS } from '../src/migrations/index.js';
import * as shared from '../src/entities.js';
import {
  ApiToken,
  Condition,
  EntityDefinition,
  EntityRecord,
  Field,
  FieldRule,
  FieldType,
  Form,
  IdempotencyKey,
  issueToken,
  Option,
  Step,
  Submission,
  SubmissionValue,
  User,
} from '../src/entities.js';
import { catalog } from './support/catalog.js';
import { isOneServer, itOnOneServer, onOneServer } from './support/it-on-one-server.js';
import { type BuiltForm, buildConditions, buildEntity, buildForm, buildRecords } from './support/forms.js';
import { type TestDatabase, testDatabase } from './support/test-database.js';
import { wholeDatabase } from './support/whole-database.js';

// SQLSTATE codes from appendix A of the PostgreSQL documentation.
const FOREIGN_KEY = '23503';
const NOT_NULL = '23502';
const UNIQUE = '23505';
const CHECK = '23514';
const NO_SUCH_WORD = '22P02';
const TOO_LONG = '22001';

/** Provides a database, and a connection to the database as another program would have it. */
function useDatabase() {
  const use = {} as { database: TestDatabase; program: pg.Client };
  beforeAll(async () => {
    use.database = await testDatabase();
    use.program = new pg.Client(use.database.connection);
    await use.program.connect();
  });
  afterAll(async () => {
    await use.program.end();
    await use.database.drop();
  });
  return use;
}

async function newSubmission(dataSource: DataSource, formId: number): Promise<Submission> {
  const { manager } = dataSource;
  const user = await manager.save(manager.create(User, { email: `${randomUUID()}@example.org` }));
  return manager.save(
    manager.create(Submission, { uuid: randomUUID(), formId, userId: user.id, status: 'draft' }),
  );
}

describe('the database itself rejects, from any program,', () => {
  const use = useDatabase();
  const run = async (sql: string, ...values: unknown[]) => (await use.program.query(sql, values)).rows;
  const expectRefused = (code: string, sql: string, ...values: unknown[]) =>
    expect(run(sql, ...values)).rejects.toMatchObject({ code });

  const build = async () => {
    const { dataSource } = use.database;
    const built = await buildForm(dataSource, {
      steps: [{ a: {}, b: {}, many: { isRepeatable: true } }, {}],
    });
    const id = (code: string) => built.fields[code]!.id;
    return { ...built, id, formId: built.form.id, stepId: built.steps[0]!.id };
  };
  const buildWithSubmission = async () => {
    const built = await build();
    const submission = await newSubmission(use.database.dataSource, built.form.id);
    const [record] = await buildRecords(use.database.dataSource, built.formId, submission.uuid, 1);
    return { ...built, uuid: submission.uuid, userId: submission.userId, record: record! };
  };

  describe('in forms (F5):', () => {
    it.each(['', 'A', 'a b', 'a_b', '-a', 'a-', 'a--b', 'ä', 'a\n', ' a', 'a/b', '\u0430'])(
      'the slug %j',
      async (slug) => {
        await expectRefused(CHECK, `insert into forms (name, slug) values ('Form', $1)`, slug);
      },
    );

    it('a duplicate slug', async () => {
      const { form, formId } = await build();
      const other = await build();

      await expectRefused(UNIQUE, `insert into forms (name, slug) values ('Form', $1)`, form.slug);
      await expectRefused(UNIQUE, 'update forms set slug = $1 where id = $2', other.form.slug, formId);
    });

    it('a slug or a name of more than 255 characters, and an empty name', async () => {
      await expectRefused(TOO_LONG, `insert into forms (name, slug) values ('Form', $1)`, 'x'.repeat(256));
      await expectRefused(TOO_LONG, `insert into forms (name, slug) values ($1, 'long')`, 'x'.repeat(256));
      await expectRefused(CHECK, `insert into forms (name, slug) values ('', 'empty')`);
      await run(`insert into forms (name, slug) values ($1, $2)`, 'é'.repeat(255), 'x'.repeat(255));
    });

    it('a duplicate UUID', async () => {
      const { form } = await build();

      await expectRefused(UNIQUE, `insert into forms (name, slug, uuid) values ('F', 'f', $1)`, form.uuid);
    });

    it('the deletion of a form with submissions', async () => {
      const { formId } = await buildWithSubmission();

      await expectRefused(FOREIGN_KEY, 'delete from forms where id = $1', formId);
    });
  });

  describe('in steps:', () => {
    it('a step number that is duplicate in the form or below 1, and an unknown form', async () => {
      const { formId, stepId } = await build();
      const insert = 'insert into steps (form_id, step_number, title) values ($1, $2, $3)';

      await expectRefused(UNIQUE, insert, formId, 1, 'Again');
      await expectRefused(UNIQUE, 'update steps set step_number = 2 where id = $1', stepId);
      await expectRefused(CHECK, insert, formId, 0, 'None');
      await expectRefused(CHECK, insert, formId, -1, 'Less');
      await expectRefused(FOREIGN_KEY, insert, 2_147_483_647, 1, 'Nowhere');
    });

    it.each(['[]', '"text"', '1', 'null'])('meta that is the JSON %s instead of an object', async (meta) => {
      const { stepId } = await build();

      await expectRefused(CHECK, 'update steps set meta = $1 where id = $2', meta, stepId);
    });

    it('no renumbering of steps in one transaction, in any order', async () => {
      const { formId } = await build();

      await run('update steps set step_number = 3 - step_number where form_id = $1', formId);

      const rows = await run('select step_number from steps where form_id = $1 order by id', formId);
      expect(rows).toEqual([{ step_number: 2 }, { step_number: 1 }]);
    });
  });

  describe('in fields:', () => {
    const insert =
      'insert into fields (form_id, step_id, field_type_id, code, label) values ($1, $2, $3, $4, $5)';

    it('a duplicate code in a form, and an empty code', async () => {
      const { formId, steps, id } = await build();
      const other = await build();

      await expectRefused(UNIQUE, insert, formId, steps[1]?.id, 1, 'a', 'Again, in another step');
      await expectRefused(UNIQUE, `update fields set code = 'b' where id = $1`, id('a'));
      await expectRefused(CHECK, insert, formId, steps[1]?.id, 1, '', 'Empty');
      await run(insert, other.formId, other.stepId, 1, 'c', 'The same code in another form');
      await run(insert, formId, steps[1]?.id, 1, 'c', 'The same code in another form');
    });

    it('a step or an entity of another form, and an unknown type', async () => {
      const { formId, stepId, id } = await build();
      const other = await build();
      const [entity] = await run(
        `insert into entities (form_id, name, label) values ($1, 'thing', 'Thing') returning id`,
        other.formId,
      );

      await expectRefused(FOREIGN_KEY, insert, formId, other.stepId, 1, 'new', 'New');
      await expectRefused(FOREIGN_KEY, insert, other.formId, stepId, 1, 'new', 'New');
      await expectRefused(FOREIGN_KEY, insert, formId, stepId, 2_147_483_647, 'new', 'New');
      await expectRefused(FOREIGN_KEY, 'update fields set step_id = $1 where id = $2', other.stepId, id('a'));
      await expectRefused(FOREIGN_KEY, 'update fields set entity_id = $1 where id = $2', entity.id, id('a'));
      await expectRefused(FOREIGN_KEY, 'update fields set form_id = $1 where id = $2', other.formId, id('a'));
    });

    it('the deletion of a field with values', async () => {
      const { uuid, id, formId } = await buildWithSubmission();
      await storeValue(uuid, formId, id('a'), false, null);

      await expectRefused(FOREIGN_KEY, 'delete from fields where id = $1', id('a'));
      await run('delete from fields where id = $1', id('b'));
    });

    it('the deletion of a step with a field with values', async () => {
      const { uuid, id, formId, stepId } = await buildWithSubmission();
      await storeValue(uuid, formId, id('a'), false, null);

      await expectRefused(FOREIGN_KEY, 'delete from steps where id = $1', stepId);
    });

    it('a change of is_repeatable of a field with values (V5)', async () => {
      const { uuid, id, formId } = await buildWithSubmission();
      await storeValue(uuid, formId, id('a'), false, null);
      await storeValue(uuid, formId, id('many'), true, null);

      await expectRefused(FOREIGN_KEY, 'update fields set is_repeatable = true where id = $1', id('a'));
      await expectRefused(FOREIGN_KEY, 'update fields set is_repeatable = false where id = $1', id('many'));
      await run('update fields set is_repeatable = true where id = $1', id('b'));
      await run(`update fields set label = 'New', step_id = step_id where id = $1`, id('a'));
    });

    it('the deletion of a field that a condition of another field depends on', async () => {
      const { id } = await build();
      await run(
        `insert into conditions (field_id, depends_on_field_id, operator, action) values ($1, $2, 'empty', 'hide')`,
        id('a'),
        id('b'),
      );

      await expectRefused(FOREIGN_KEY, 'delete from fields where id = $1', id('b'));
      await run('delete from fields where id = $1', id('a'));
      await run('delete from fields where id = $1', id('b'));
    });

    it('no omitted form_id, which it fills in', async () => {
      const { formId, stepId } = await build();

      const [field] = await run(
        `insert into fields (step_id, field_type_id, code, label) values ($1, 1, 'new', 'New') returning form_id`,
        stepId,
      );

      expect(field).toEqual({ form_id: formId });
      await expectRefused(
        NOT_NULL,
        `insert into fields (step_id, field_type_id, code, label) values (2147483647, 1, 'new', 'New')`,
      );
    });
  });

  describe('in options:', () => {
    it('a duplicate value in a field, and an unknown field', async () => {
      const { id } = await build();
      const insert = 'insert into options (field_id, label, value) values ($1, $2, $3)';
      await run(insert, id('a'), 'X', 'x');

      await expectRefused(UNIQUE, insert, id('a'), 'Another X', 'x');
      await expectRefused(FOREIGN_KEY, insert, 2_147_483_647, 'X', 'x');
      await run(insert, id('b'), 'X', 'x');
    });
  });

  describe('in rules of fields (J1, J2, J5):', () => {
    const insert = 'insert into field_rules (field_id, kind, value) values ($1, $2, $3)';
    const GOOD = {
      min: ['0', '-1', '+1.5', '.5', '5.', '1e400', '-1E-9'],
      max: ['7'],
      min_length: ['1', '10', '9999', '59999', '65535'],
      max_length: ['65535'],
      pattern: ['a', '(', ' ', 'é'.repeat(500)],
      min_date: [
        '2026-01-31',
        '2024-02-29',
        '2000-02-29',
        '0001-01-01',
        'today',
        'today+30d',
        'today-99999d',
      ],
      max_date: ['9999-12-31'],
    } as const satisfies Record<shared.RuleKind, readonly string[]>;
    const BAD = {
      min: ['', ' ', 'ten', '1,5', '0x1', '1e', '.', '--1', ' 1', '1\n', '٣', 'NaN', 'Infinity'],
      max: ['1 '],
      min_length: ['', '0', '-1', '1.0', '01', '65536', '70000', '99999', '100000', '1e3'],
      max_length: ['65600'],
      pattern: [''],
      min_date: ['2026-02-29', '1900-02-29', '2026-04-31', '2026-13-01', '2026-00-01', '2026-1-1', 'Today'],
      max_date: ['today+1', 'today+100000d', 'today +1d', 'tomorrow', '2026-01-01T00:00:00Z', 'today\n', ''],
    } as const satisfies Record<shared.RuleKind, readonly string[]>;

    it.each(shared.RULE_KINDS)('invalid values of %s, but no valid ones', async (kind) => {
      const { id } = await build();
      for (const value of BAD[kind]) await expectRefused(CHECK, insert, id('a'), kind, value);
      for (const value of GOOD[kind]) {
        await run(insert, id('a'), kind, value);
        await run('delete from field_rules where field_id = $1', id('a'));
      }
    });

    it('a duplicate kind in a field, an unknown kind, an unknown field, and an empty message', async () => {
      const { id } = await build();
      await run(insert, id('a'), 'min', '1');

      await expectRefused(UNIQUE, insert, id('a'), 'min', '2');
      await expectRefused(NO_SUCH_WORD, insert, id('a'), 'Min', '2');
      await expectRefused(NO_SUCH_WORD, insert, id('a'), 'minimum', '2');
      await expectRefused(FOREIGN_KEY, insert, 2_147_483_647, 'min', '2');
      await expectRefused(TOO_LONG, insert, id('a'), 'pattern', 'a'.repeat(501));
      await expectRefused(CHECK, `update field_rules set message = '' where field_id = $1`, id('a'));
      await run(insert, id('b'), 'min', '1');
    });

    it('an unknown completion policy (S13)', async () => {
      const { formId } = await build();
      for (const completion of ['', 'Strict', 'none'])
        await expectRefused(CHECK, 'update forms set completion = $2 where id = $1', formId, completion);
      for (const completion of ['strict', 'lenient', null])
        await run('update forms set completion = $2 where id = $1', formId, completion);
    });

    it('an unknown time zone (J2)', async () => {
      const { formId } = await build();
      const set = 'update forms set time_zone = $2 where id = $1';
      const insert = `insert into forms (name, slug, time_zone) values ('Form', 'zone', $1)`;
      const refusal = {
        code: CHECK,
        constraint: 'forms_time_zone_check',
        table: 'forms',
        column: 'time_zone',
      };
      for (const name of ['', 'Berlin', 'Europe/Berlni', '+01:00', 'UTC+1', 'CEST', 'posix/Europe/Berlin']) {
        await expect(run(set, formId, name)).rejects.toMatchObject(refusal);
        await expect(run(insert, name)).rejects.toMatchObject(refusal);
      }
      for (const name of ['Factory', 'localtime', 'Europe/Berlin\n'])
        await expect(run(set, formId, name)).rejects.toMatchObject(refusal);
      for (const name of ['Europe/Berlin', 'europe/berlin', 'Pacific/Kiritimati', 'Etc/GMT+12', 'UTC', null])
        await run(set, formId, name);
    });

    it('no unknown time zone that is stored already and does not change', async () => {
      const { formId } = await build();
      await run('begin');
      await run('set local session_replication_role = replica');
      await run(`update forms set time_zone = 'Europe/Atlantis' where id = $1`, formId);
      await run('commit');
      await run('update forms set name = name || $2, time_zone = time_zone where id = $1', formId, 'x');
      await run('update forms set time_zone = null where id = $1', formId);
    });
  });

  describe('in conditions:', () => {
    const insert =
      'insert into conditions (form_id, field_id, depends_on_field_id, operator, action) values ($1, $2, $3, $4, $5)';

    it('a condition on or of a field of another form, or of no field', async () => {
      const { formId, id } = await build();
      const other = await build();

      for (const [form, field, on] of [
        [formId, id('a'), other.id('a')],
        [formId, other.id('a'), id('a')],
        [other.formId, id('a'), id('b')],
        [null, id('a'), other.id('a')],
        [formId, id('a'), 2_147_483_647],
        [formId, 2_147_483_647, id('a')],
      ]) {
        await expectRefused(FOREIGN_KEY, insert, form, field, on, 'empty', 'hide');
      }
    });

    it.each(['', 'Equals', 'like', 'equals ', 'matches', '=', 'not_contains'])(
      'the unknown operator %j (C8)',
      async (operator) => {
        const { formId, id } = await build();

        await expectRefused(NO_SUCH_WORD, insert, formId, id('a'), id('b'), operator, 'hide');
      },
    );

    it.each(['', 'Show', 'disable', 'required'])('the unknown action %j (C8)', async (action) => {
      const { formId, id } = await build();

      await expectRefused(NO_SUCH_WORD, insert, formId, id('a'), id('b'), 'empty', action);
    });

    it('a change to an unknown operator or action, but no known ones (C8)', async () => {
      const { formId, id } = await build();
      for (const operator of shared.OPERATORS) {
        for (const action of shared.ACTIONS) await run(insert, formId, id('a'), id('b'), operator, action);
      }

      for (const column of ['operator', 'action']) {
        await expectRefused(
          NO_SUCH_WORD,
          `update conditions set ${column} = 'unknown' where form_id = $1`,
          formId,
        );
        await expectRefused(NOT_NULL, `update conditions set ${column} = null where form_id = $1`, formId);
      }
    });

    it('no omitted form_id, which it fills in', async () => {
      const { formId, id } = await build();

      const rows = await run(
        `insert into conditions (field_id, depends_on_field_id, operator, action)
           values ($1, $2, 'empty', 'hide') returning form_id`,
        id('a'),
        id('b'),
      );

      expect(rows).toEqual([{ form_id: formId }]);
    });

    const insertFor = (owner: 'step_id' | 'entity_id') =>
      `insert into conditions (form_id, ${owner}, depends_on_field_id, operator, action) values ($1, $2, $3, 'empty', $4)`;
    const buildOwners = async () => {
      const built = await build();
      const { id: entityId } = await buildEntity(use.database.dataSource, built, { name: 'thing' }, ['a']);
      return { ...built, step_id: built.stepId, entity_id: entityId };
    };

    it.each(['step_id', 'entity_id'] as const)(
      'a condition of a %s of another form, or of none, by a named constraint (C10)',
      async (owner) => {
        const one = await buildOwners();
        const other = await buildOwners();

        await run(insertFor(owner), one.formId, one[owner], one.id('a'), 'hide');
        for (const [form, id, on, constraint] of [
          [one.formId, other[owner], one.id('a'), `conditions_${owner}_form_id_fkey`],
          [one.formId, 2_147_483_647, one.id('a'), `conditions_${owner}_form_id_fkey`],
          [other.formId, one[owner], other.id('a'), `conditions_${owner}_form_id_fkey`],
          [one.formId, one[owner], other.id('a'), 'conditions_depends_on_field_id_form_id_fkey'],
          [null, one[owner], other.id('a'), 'conditions_depends_on_field_id_form_id_fkey'],
        ] as const) {
          await expect(run(insertFor(owner), form, id, on, 'show')).rejects.toMatchObject({
            code: FOREIGN_KEY,
            constraint,
          });
        }
      },
    );

    it('a condition of two owners or of none (C10)', async () => {
      const { formId, id, step_id, entity_id } = await buildOwners();
      const insertOwners = `insert into conditions (form_id, field_id, step_id, entity_id, depends_on_field_id, operator, action)
        values ($1, $2, $3, $4, $5, 'empty', 'hide')`;
      for (const owners of [
        [id('a'), step_id, null],
        [id('a'), null, entity_id],
        [null, step_id, entity_id],
        [id('a'), step_id, entity_id],
        [null, null, null],
      ])
        await expect(run(insertOwners, formId, ...owners, id('b'))).rejects.toMatchObject({
          code: CHECK,
          constraint: 'conditions_owner_check',
        });
      const [condition] = await run(`${insertOwners} returning id`, formId, null, step_id, null, id('b'));
      const update = (set: string, ...values: unknown[]) =>
        run(`update conditions set ${set} where id = $1`, condition.id, ...values);
      for (const [set, ...values] of [
        ['step_id = null'],
        ['entity_id = $2', entity_id],
        ['field_id = $2', id('a')],
      ] as const)
        await expect(update(set, ...values)).rejects.toMatchObject({
          code: CHECK,
          constraint: 'conditions_owner_check',
        });
      await update('step_id = null, entity_id = $2', entity_id);
      await update('entity_id = null, field_id = $2', id('a'));
    });

    it.each(['step_id', 'entity_id'] as const)('the action "require" of a %s (C10)', async (owner) => {
      const built = await buildOwners();
      const values = [built.formId, built[owner], built.id('a')];
      const refused = { code: CHECK, constraint: 'conditions_require_check' };

      await expect(run(insertFor(owner), ...values, 'require')).rejects.toMatchObject(refused);
      await run(insertFor(owner), ...values, 'show');
      await expect(
        run(`update conditions set action = 'require' where ${owner} = $1`, built[owner]),
      ).rejects.toMatchObject(refused);
    });

    it.each(['step_id', 'entity_id'] as const)(
      'no omitted form_id of a condition of a %s, which it fills in',
      async (owner) => {
        const built = await buildOwners();
        for (const formId of [undefined, null, 0]) {
          const columns = formId === undefined ? '' : 'form_id, ';
          const rows = await run(
            `insert into conditions (${columns}${owner}, depends_on_field_id, operator, action)
               values (${formId === undefined ? '' : `${formId}, `}$1, $2, 'empty', 'hide') returning form_id`,
            built[owner],
            built.id('b'),
          );
          expect(rows).toEqual([{ form_id: built.formId }]);
        }
      },
    );

    it('the deletion of a field that a condition of a step or an entity tests', async () => {
      for (const owner of ['step_id', 'entity_id'] as const) {
        const built = await buildOwners();
        await run(insertFor(owner), built.formId, built[owner], built.id('b'), 'hide');

        await expectRefused(FOREIGN_KEY, 'delete from fields where id = $1', built.id('b'));
        await run(`delete from conditions where ${owner} = $1`, built[owner]);
        await run('delete from fields where id = $1', built.id('b'));
      }
    });
  });

  describe('in submissions and their values:', () => {
    it('an unknown status, a step below 1, and meta that is not an object', async () => {
      const { uuid } = await buildWithSubmission();
      const update = (column: string) => `update submissions set ${column} = $1 where uuid = $2`;

      await expectRefused(CHECK, update('status'), 'archived', uuid);
      await expectRefused(CHECK, update('current_step'), 0, uuid);
      for (const meta of ['[]', '1', '"x"', 'null']) await expectRefused(CHECK, update('meta'), meta, uuid);
      await expectRefused(FOREIGN_KEY, update('user_id'), 2_147_483_647, uuid);
    });

    it('a value for a field of another form, or with another form than the submission’s (V2)', async () => {
      const { uuid, formId, id } = await buildWithSubmission();
      const other = await build();

      await expect(storeValue(uuid, formId, other.id('a'), false, null)).rejects.toMatchObject({
        code: FOREIGN_KEY,
      });
      await expect(storeValue(uuid, other.formId, other.id('a'), false, null)).rejects.toMatchObject({
        code: FOREIGN_KEY,
      });
      await expect(storeValue(uuid, other.formId, id('a'), false, null)).rejects.toMatchObject({
        code: FOREIGN_KEY,
      });
      await expect(storeValue(randomUUID(), formId, id('a'), false, null)).rejects.toMatchObject({
        code: FOREIGN_KEY,
      });
    });

    it('a value in another submission’s record, or in an unknown record (V7)', async () => {
      const { uuid, formId, id, record } = await buildWithSubmission();
      const sibling = await newSubmission(use.database.dataSource, formId);
      const [ofSibling] = await buildRecords(use.database.dataSource, formId, sibling.uuid, 1);

      for (const [field, isRepeatable] of [
        [id('a'), false],
        [id('many'), true],
      ] as const) {
        for (const foreign of [ofSibling!, Number.MAX_SAFE_INTEGER]) {
          await expect(storeValue(uuid, formId, field, isRepeatable, foreign)).rejects.toMatchObject({
            code: FOREIGN_KEY,
          });
        }
        await storeValue(uuid, formId, field, isRepeatable, record);
      }
    });

    it('a second value of a field, or of a repeatable field in the same record (V5)', async () => {
      const { uuid, formId, id, record } = await buildWithSubmission();
      await storeValue(uuid, formId, id('a'), false, null);
      await storeValue(uuid, formId, id('many'), true, null);
      await storeValue(uuid, formId, id('many'), true, record);

      for (const [field, isRepeatable, of] of [
        [id('a'), false, null],
        [id('a'), false, record],
        [id('many'), true, null],
        [id('many'), true, record],
      ] as const) {
        await expect(storeValue(uuid, formId, field, isRepeatable, of)).rejects.toMatchObject({
          code: UNIQUE,
        });
      }
    });

    it('a value whose is_repeatable differs from that of its field (V5)', async () => {
      const { uuid, formId, id } = await buildWithSubmission();

      await expect(storeValue(uuid, formId, id('a'), true, null)).rejects.toMatchObject({
        code: FOREIGN_KEY,
      });
      await expect(storeValue(uuid, formId, id('many'), false, null)).rejects.toMatchObject({
        code: FOREIGN_KEY,
      });
    });

    it('a value of more than 65,535 characters (V9)', async () => {
      const { uuid, formId, id } = await buildWithSubmission();

      await expect(storeValue(uuid, formId, id('a'), false, null, '💩'.repeat(65_536))).rejects.toMatchObject(
        {
          code: CHECK,
        },
      );
      await storeValue(uuid, formId, id('a'), false, null, '💩'.repeat(65_535));
    });

    it('a record of another form’s entity', async () => {
      const { uuid, formId } = await buildWithSubmission();
      const other = await build();
      const [entity] = await run(
        `insert into entities (form_id, name, label) values ($1, 'thing', 'Thing') returning id`,
        other.formId,
      );
      const insertRecord =
        'insert into entity_records (submission_uuid, form_id, entity_id) values ($1, $2, $3)';

      await expectRefused(FOREIGN_KEY, insertRecord, uuid, formId, entity.id);
      await expectRefused(FOREIGN_KEY, insertRecord, uuid, other.formId, entity.id);
    });

    it('no deletion of a submission, which deletes its values and records', async () => {
      const { uuid, formId, id, record } = await buildWithSubmission();
      await storeValue(uuid, formId, id('many'), true, record);

      await run('delete from submissions where uuid = $1', uuid);

      expect(await run('select from submission_values where submission_uuid = $1', uuid)).toEqual([]);
      expect(await run('select from entity_records where submission_uuid = $1', uuid)).toEqual([]);
    });
  });

  describe('in users and tokens:', () => {
    it('a duplicate e-mail address, ignoring letter case, and a duplicate or malformed token hash', async () => {
      const { manager } = use.database.dataSource;
      const user = await manager.save(manager.create(User, { email: 'Ada@example.org' }));
      const { token } = await issueToken(manager, { userId: user.id });
      const insert = 'insert into api_tokens (user_id, token_hash) values ($1, $2)';

      await expectRefused(UNIQUE, `insert into users (email) values ('ada@EXAMPLE.org')`);
      await expectRefused(CHECK, `insert into users (email) values ('')`);
      await expectRefused(UNIQUE, insert, user.id, token.tokenHash);
      await expectRefused(CHECK, insert, user.id, Buffer.from('a plain token'));
      await expectRefused(FOREIGN_KEY, insert, 2_147_483_647, randomBytes(32));
    });
  });

  describe('in respondents:', () => {
    const newRespondent = async () => {
      const { formId } = await build();
      const [user] = await run('insert into users default values returning id');
      await run('insert into respondents (user_id, form_id) values ($1, $2)', user.id, formId);
      return { userId: user.id as number, formId };
    };

    it('an unknown access or proof of work of a form', async () => {
      const { formId } = await build();
      for (const access of ['', 'Public', 'private'])
        await expectRefused(CHECK, 'update forms set access = $2 where id = $1', formId, access);
      await expectRefused(NOT_NULL, 'update forms set access = null where id = $1', formId);
      for (const highest of [0, 999, 5_000_001, -1])
        await expectRefused(CHECK, 'update forms set proof_of_work = $2 where id = $1', formId, highest);
      for (const highest of [1_000, 5_000_000, null])
        await run('update forms set proof_of_work = $2 where id = $1', formId, highest);
    });

    itOnOneServer(
      'a second form of a respondent, an unknown user or form, and a respondent without a form',
      async () => {
        const { userId, formId } = await newRespondent();
        const insert = 'insert into respondents (user_id, form_id) values ($1, $2)';
        await expectRefused(UNIQUE, insert, userId, formId);
        const [user] = await run('insert into users default values returning id');
        await expectRefused(FOREIGN_KEY, insert, user.id, 2_147_483_647);
        await expectRefused(FOREIGN_KEY, insert, 2_147_483_647, formId);
        await expectRefused(NOT_NULL, insert, user.id, null);
        await expectRefused(NOT_NULL, 'update respondents set is_preview = null where user_id = $1', userId);
        await expectRefused(
          CHECK,
          `update respondents set created_at = 'infinity' where user_id = $1`,
          userId,
        );
      },
    );

    itOnOneServer(
      'a resume code with a malformed or duplicate hash, without an end, or of a user who is no respondent',
      async () => {
        const { userId } = await newRespondent();
        const [user] = await run('insert into users default values returning id');
        const insert = `insert into resume_codes (user_id, code_hash, expires_at) values ($1, $2, $3)`;
        const hash = randomBytes(32);
        await run(insert, userId, hash, '2036-01-01');
        await expectRefused(UNIQUE, insert, userId, hash, '2036-01-01');
        await expectRefused(CHECK, insert, userId, Buffer.from('a plain code'), '2036-01-01');
        await expectRefused(CHECK, insert, userId, randomBytes(32), 'infinity');
        await expectRefused(NOT_NULL, insert, userId, randomBytes(32), null);
        await expectRefused(FOREIGN_KEY, insert, user.id, randomBytes(32), '2036-01-01');
      },
    );

    it('a malformed, duplicate or endless spent proof', async () => {
      const insert = 'insert into spent_proofs (challenge_hash, expires_at) values ($1, $2)';
      const hash = randomBytes(32);
      await run(insert, hash, '2036-01-01');
      await expectRefused(UNIQUE, insert, hash, '2036-01-01');
      await expectRefused(CHECK, insert, randomBytes(31), '2036-01-01');
      await expectRefused(CHECK, insert, randomBytes(32), 'infinity');
      await expectRefused(NOT_NULL, insert, randomBytes(32), null);
    });

    itOnOneServer.each([
      ['its row in respondents', 'delete from respondents where user_id = $1'],
      ['its user', 'delete from users where id = $1'],
      ['its form', 'delete from forms where id = (select form_id from respondents where user_id = $1)'],
    ])('no deletion of %s, which deletes the respondent with tokens and codes', async (_, deletion) => {
      const { userId } = await newRespondent();
      await run(
        `insert into resume_codes (user_id, code_hash, expires_at) values ($1, $2, '2036-01-01')`,
        userId,
        randomBytes(32),
      );
      await run('insert into api_tokens (user_id, token_hash) values ($1, $2)', userId, randomBytes(32));
      await run(deletion, userId);
      for (const rows of [
        'users where id',
        'respondents where user_id',
        'resume_codes where user_id',
        'api_tokens where user_id',
      ])
        expect(await run(`select from ${rows} = $1`, userId)).toEqual([]);
    });

    itOnOneServer('the deletion of a row in respondents while the respondent has submissions', async () => {
      const { userId, formId } = await newRespondent();
      await run(
        `insert into submissions (uuid, form_id, user_id) values ($1, $2, $3)`,
        randomUUID(),
        formId,
        userId,
      );
      await expectRefused(FOREIGN_KEY, 'delete from respondents where user_id = $1', userId);
      expect(await run('select from respondents where user_id = $1', userId)).toHaveLength(1);
    });
  });

  const storeValue = (
    uuid: string,
    formId: number,
    fieldId: number,
    isRepeatable: boolean,
    recordId: number | null,
    value = 'x',
  ) =>
    run(
      `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, entity_record_id, value)
         values ($1, $2, $3, $4, $5, $6)`,
      uuid,
      formId,
      fieldId,
      isRepeatable,
      recordId,
      value,
    );
});

describe('deleting forms, steps and fields', () => {
  const use = useDatabase();

  /** Builds rows of every kind that refer to each other. */
  const buildEverything = async (dataSource = use.database.dataSource) => {
    const built = await buildForm(dataSource, {
      steps: [
        {
          a: { type: 'select', options: ['x', 'y'], conditions: [['b', 'empty', '', 'hide']] },
          b: { conditions: [['a', 'equals', 'x', 'show']] },
        },
        { c: { conditions: [['c', 'empty', '', 'require']] } },
      ],
    });
    const { manager } = dataSource;
    const entity = await manager.save(
      manager.create(EntityDefinition, { formId: built.form.id, name: 'thing', label: 'Thing' }),
    );
    await manager.update(Field, { formId: built.form.id }, { entityId: entity.id });
    // The first step is hidden by its own field, and the entity by a field on the second step.
    await buildConditions(manager, built, { stepId: built.steps[0]!.id }, [['a', 'equals', 'y', 'hide']]);
    await buildConditions(manager, built, { entityId: entity.id }, [['c', 'equals', 'x', 'show']]);
    return { ...built, entity };
  };
  const countRows = async ({ form }: BuiltForm, { dataSource } = use.database) => {
    const rows = await dataSource.query(
      `select (select count(*)::int from forms where id = $1) as forms,
              (select count(*)::int from steps where form_id = $1) as steps,
              (select count(*)::int from entities where form_id = $1) as entities,
              (select count(*)::int from fields where form_id = $1) as fields,
              (select count(*)::int from options join fields on fields.id = field_id where form_id = $1) as options,
              (select count(*)::int from conditions where form_id = $1) as conditions`,
      [form.id],
    );
    return rows[0];
  };
  const NONE = { forms: 0, steps: 0, entities: 0, fields: 0, options: 0, conditions: 0 };

  it('deletes a form with all its rows, although they refer to each other', async () => {
    const built = await buildEverything();
    const other = await buildEverything();
    expect(await countRows(built)).toEqual({
      forms: 1,
      steps: 2,
      entities: 1,
      fields: 3,
      options: 2,
      conditions: 5,
    });

    await use.database.dataSource.query('delete from forms where id = $1', [built.form.id]);

    expect(await countRows(built)).toEqual(NONE);
    expect(await countRows(other)).toMatchObject({ forms: 1, fields: 3, conditions: 5 });
  });

  it('deletes a form that the panel removes with TypeORM', async () => {
    const built = await buildEverything();

    await use.database.dataSource.manager.remove(built.form);

    expect(await countRows(built)).toEqual(NONE);
  });

  it('deletes a form in a restored database too, where the constraints were created in another order', async () => {
    const restored = await testDatabase();
    try {
      const { dataSource } = restored;
      const built = await buildEverything(dataSource);
      // pg_dump orders foreign keys by table name, so foreign keys of entities come before foreign keys of steps.
      const constraints = await dataSource.query(
        `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
           from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
          order by conrelid::regclass::text, conname`,
      );
      for (const { table, name } of constraints)
        await dataSource.query(`alter table ${table} drop constraint ${name}`);
      for (const { table, name, definition } of constraints)
        await dataSource.query(`alter table ${table} add constraint ${name} ${definition}`);

      await dataSource.query('delete from forms where id = $1', [built.form.id]);

      expect(await countRows(built, restored)).toEqual(NONE);
    } finally {
      await restored.drop();
    }
  });

  it('deletes a step whose fields depend on each other', async () => {
    const built = await buildEverything();

    await use.database.dataSource.query('delete from steps where id = $1', [built.steps[0]?.id]);

    expect(await countRows(built)).toEqual({
      forms: 1,
      steps: 1,
      entities: 1,
      fields: 1,
      options: 0,
      conditions: 2,
    });
  });

  it('deletes the conditions of a step or an entity together with it, and no others', async () => {
    const built = await buildEverything();
    const { dataSource } = use.database;
    const owners = async () =>
      (
        await dataSource.query<{ owner: string }[]>(
          `select case when step_id is not null then 'step' when entity_id is not null then 'entity' else 'field' end as owner
             from conditions where form_id = $1 order by id`,
          [built.form.id],
        )
      ).map(({ owner }) => owner);
    expect(await owners()).toEqual(['field', 'field', 'field', 'step', 'entity']);

    await dataSource.query('update fields set entity_id = null where form_id = $1', [built.form.id]);
    await dataSource.query('delete from entities where id = $1', [built.entity.id]);
    expect(await owners()).toEqual(['field', 'field', 'field', 'step']);

    await dataSource.query(
      'update fields set step_id = $2 where step_id = $1',
      built.steps.map(({ id }) => id),
    );
    await dataSource.query('delete from steps where id = $1', [built.steps[0]!.id]);
    expect(await owners()).toEqual(['field', 'field', 'field']);
  });

  it('deletes fields that depend on each other or on themselves in one statement', async () => {
    const built = await buildEverything();

    const { dataSource } = use.database;
    await dataSource.query('delete from conditions where form_id = $1 and field_id is null', [built.form.id]);

    await dataSource.query('delete from fields where form_id = $1', [built.form.id]);

    expect(await countRows(built)).toMatchObject({ steps: 2, fields: 0, options: 0, conditions: 0 });
  });
});

describe('the entities that the administration panel shares', () => {
  const use = useDatabase();

  it('can each be saved and loaded, with their relations', async () => {
    const { manager } = use.database.dataSource;

    // Set relations instead of id columns, in the order in which a panel creates the rows.
    const user = await manager.save(manager.create(User, { email: 'panel@example.org' }));
    const tokenHash = createHash('sha256').update('token').digest();
    const expiresAt = new Date('2030-01-01T00:00:00.000Z');
    const token = await manager.save(
      manager.create(ApiToken, { user, name: 'Panel', tokenHash, expiresAt, revokedAt: null }),
    );
    const form = await manager.save(manager.create(Form, { name: 'Panel', slug: 'panel' }));
    const entity = await manager.save(
      manager.create(EntityDefinition, { form, name: 'expense', label: 'Expense', isRepeatable: true }),
    );
    const step = await manager.save(
      manager.create(Step, { form, stepNumber: 1, title: 'First', meta: { icon: 'user' }, isVisible: false }),
    );
    const fieldType = await manager.save(
      manager.create(FieldType, { name: 'signature', component: 'signature-input' }),
    );
    const field = await manager.save(
      manager.create(Field, {
        step,
        fieldType,
        entity,
        code: 'amount',
        label: 'Amount',
        placeholder: '0.00',
        description: 'In euros',
        isRequired: true,
        isRepeatable: true,
        defaultValue: '0',
        order: 3,
      }),
    );
    const source = await manager.save(
      manager.create(Field, { step, fieldType, code: 'source', label: 'Source' }),
    );
    const option = await manager.save(
      manager.create(Option, { field: source, label: 'Cash', value: 'cash', order: 1 }),
    );
    const condition = await manager.save(
      manager.create(Condition, {
        field,
        dependsOnField: source,
        operator: 'in',
        value: 'cash,card',
        action: 'require',
      }),
    );
    const others = { dependsOnField: source, operator: 'empty', action: 'hide' } as const;
    const [ofStep, ofEntity] = [
      await manager.save(manager.create(Condition, { ...others, step })),
      await manager.save(manager.create(Condition, { ...others, entity, action: 'show' })),
    ];
    const submission = await manager.save(
      manager.create(Submission, { uuid: randomUUID(), form, user, meta: { from: 'panel' } }),
    );
    const record = await manager.save(
      manager.create(EntityRecord, { submissionUuid: submission.uuid, formId: form.id, entityId: entity.id }),
    );
    await manager.save(
      manager.create(SubmissionValue, {
        submissionUuid: submission.uuid,
        formId: form.id,
        fieldId: field.id,
        isRepeatable: true,
        entityRecordId: record.id,
        value: '9.99',
      }),
    );
    await manager.save(
      manager.create(IdempotencyKey, {
        userId: user.id,
        key: 'key',
        requestHash: tokenHash,
        answer: { ok: true },
        expiresAt,
      }),
    );

    expect(
      await manager.findOneOrFail(Form, {
        where: { id: form.id },
        relations: {
          entities: { fields: true, conditions: { dependsOnField: true } },
          steps: {
            conditions: { entity: true, step: true, field: true },
            fields: {
              fieldType: true,
              entity: true,
              options: true,
              conditions: { dependsOnField: true },
              rules: true,
            },
          },
        },
        order: { steps: { fields: { id: 'asc' } } },
      }),
    ).toMatchObject({
      id: form.id,
      uuid: form.uuid,
      name: 'Panel',
      slug: 'panel',
      description: '',
      isActive: true,
      version: expect.any(Number),
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
      entities: [
        {
          ...{ id: entity.id, name: 'expense', label: 'Expense', isRepeatable: true },
          fields: [{ id: field.id }],
          conditions: [
            { id: ofEntity.id, formId: form.id, action: 'show', dependsOnField: { id: source.id } },
          ],
        },
      ],
      steps: [
        {
          id: step.id,
          formId: form.id,
          stepNumber: 1,
          title: 'First',
          description: '',
          isVisible: false,
          meta: { icon: 'user' },
          conditions: [
            {
              ...{ id: ofStep.id, formId: form.id, stepId: step.id, fieldId: null, entityId: null },
              ...{ action: 'hide', step: { id: step.id }, field: null, entity: null },
            },
          ],
          fields: [
            {
              id: field.id,
              formId: form.id,
              stepId: step.id,
              fieldTypeId: fieldType.id,
              entityId: entity.id,
              code: 'amount',
              label: 'Amount',
              placeholder: '0.00',
              description: 'In euros',
              isRequired: true,
              isRepeatable: true,
              defaultValue: '0',
              order: 3,
              fieldType: { name: 'signature', component: 'signature-input' },
              entity: { id: entity.id },
              options: [],
              conditions: [
                {
                  id: condition.id,
                  formId: form.id,
                  operator: 'in',
                  value: 'cash,card',
                  action: 'require',
                  dependsOnField: { id: source.id },
                },
              ],
            },
            {
              id: source.id,
              formId: form.id,
              entityId: null,
              placeholder: null,
              options: [{ id: option.id, label: 'Cash', value: 'cash', order: 1 }],
              conditions: [],
            },
          ],
        },
      ],
    });
    expect(
      await manager.findOneOrFail(User, { where: { id: user.id }, relations: { tokens: true } }),
    ).toMatchObject({
      email: 'panel@example.org',
      createdAt: expect.any(Date),
      tokens: [{ id: token.id, userId: user.id, name: 'Panel', tokenHash, expiresAt, revokedAt: null }],
    });
    expect(
      await manager.findOneOrFail(Submission, {
        where: { uuid: submission.uuid },
        relations: { form: true, user: true, values: { field: true }, entityRecords: { entity: true } },
      }),
    ).toMatchObject({
      uuid: submission.uuid,
      formId: form.id,
      userId: user.id,
      status: 'draft',
      currentStep: 1,
      meta: { from: 'panel' },
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
      form: { slug: 'panel' },
      user: { email: 'panel@example.org' },
      values: [
        {
          fieldId: field.id,
          recordKey: record.id,
          isRepeatable: true,
          entityRecordId: record.id,
          value: '9.99',
          field: { code: 'amount' },
        },
      ],
      entityRecords: [{ id: record.id, formId: form.id, entity: { name: 'expense' } }],
    });
    expect(await manager.findOneByOrFail(IdempotencyKey, { userId: user.id, key: 'key' })).toMatchObject({
      requestHash: tokenHash,
      answer: { ok: true },
      expiresAt,
    });
  });

  it('can each be changed and removed', async () => {
    const { manager } = use.database.dataSource;
    const built = await buildForm(use.database.dataSource, {
      steps: [{ a: { type: 'select', options: ['x'] }, b: { conditions: [['a', 'equals', 'x', 'show']] } }],
    });
    const submission = await newSubmission(use.database.dataSource, built.form.id);
    const [recordId] = await buildRecords(use.database.dataSource, built.form.id, submission.uuid, 1);
    await manager.save(
      manager.create(SubmissionValue, {
        submissionUuid: submission.uuid,
        formId: built.form.id,
        fieldId: built.fields['a']!.id,
        isRepeatable: false,
        entityRecordId: null,
        value: 'x',
      }),
    );
    const { token } = await issueToken(manager, { userId: submission.userId });

    const ofForm = { formId: built.form.id };
    const ofSubmission = { submissionUuid: submission.uuid };
    const change = async <T extends object>(loaded: T | null, changes: Partial<T>) => {
      expect(loaded).not.toBeNull();
      expect(await manager.save(Object.assign(loaded!, changes))).toMatchObject(changes);
    };
    await change(await manager.findOneBy(Form, { id: built.form.id }), { name: 'New' });
    await change(await manager.findOneBy(Step, ofForm), { title: 'New' });
    await change(await manager.findOneBy(EntityDefinition, ofForm), { label: 'New' });
    await change(await manager.findOneBy(Field, { id: built.fields['a']!.id }), { label: 'New' });
    await change(await manager.findOneBy(Option, { fieldId: built.fields['a']!.id }), { label: 'New' });
    const rule = manager.create(FieldRule, { fieldId: built.fields['b']!.id, kind: 'pattern', value: 'a' });
    await manager.save(rule);
    await change(rule, { value: 'b', message: 'Write b.' });
    await change(await manager.findOneBy(Condition, ofForm), { operator: 'not_equals' });
    await change(await manager.findOneBy(Submission, { uuid: submission.uuid }), { meta: { a: 1 } });
    await change(await manager.findOneBy(SubmissionValue, ofSubmission), { value: 'y' });
    await change(await manager.findOneBy(ApiToken, { id: token.id }), { revokedAt: new Date(0) });
    await change(await manager.findOneBy(User, { id: submission.userId }), { email: 'new@example.org' });
    expect(await manager.findOneByOrFail(SubmissionValue, ofSubmission)).toMatchObject({ value: 'y' });

    await manager.remove(await manager.findOneByOrFail(SubmissionValue, ofSubmission));
    await manager.remove(await manager.findOneByOrFail(EntityRecord, { ...ofSubmission, id: recordId! }));
    await manager.remove(await manager.findOneByOrFail(Submission, { uuid: submission.uuid }));
    await manager.remove(await manager.findOneByOrFail(Condition, ofForm));
    await manager.remove(await manager.findOneByOrFail(FieldRule, { fieldId: built.fields['b']!.id }));
    await manager.remove(await manager.findOneByOrFail(Option, { fieldId: built.fields['a']!.id }));
    await manager.remove(await manager.findBy(Field, ofForm));
    await manager.remove(await manager.findOneByOrFail(Step, ofForm));
    await manager.remove(await manager.findOneByOrFail(EntityDefinition, ofForm));
    await manager.remove(await manager.findOneByOrFail(Form, { id: built.form.id }));
    await manager.remove(await manager.findOneByOrFail(ApiToken, { id: token.id }));
    await manager.remove(await manager.findOneByOrFail(User, { id: submission.userId }));
    expect(await manager.countBy(Form, { id: built.form.id })).toBe(0);
  });

  it('include all entities, and have the columns of the tables', async () => {
    const { dataSource } = use.database;
    const exported = Object.values(shared).filter((member) => dataSource.hasMetadata(member as never));
    expect(dataSource.entityMetadatas.map(({ target }) => target)).toEqual(expect.arrayContaining(exported));
    expect(exported).toHaveLength(dataSource.entityMetadatas.length);

    for (const { tableName, columns } of dataSource.entityMetadatas) {
      const rows: { column_name: string; is_nullable: string }[] = await dataSource.query(
        `select column_name, is_nullable from information_schema.columns
          where table_schema = 'public' and table_name = $1 and ($2 or column_name <> 'replica_id')`,
        // Citus moves shards by this column, which nobody else uses.
        [tableName, isOneServer],
      );
      const described = columns.map(({ databaseName, isNullable }) => [databaseName, isNullable]).sort();
      const actual = rows.map(({ column_name, is_nullable }) => [column_name, is_nullable === 'YES']).sort();
      expect([tableName, described]).toEqual([tableName, actual]);
    }
  });
});

// The migrations of a Citus cluster are not reverted.
onOneServer('migrations', () => {
  const use = useDatabase();

  async function undoAll(dataSource: DataSource): Promise<void> {
    for (const _migration of MIGRATIONS) await dataSource.undoLastMigration();
  }

  const names = MIGRATIONS.map(({ name }) => name);

  it('can all be reverted, one by one, and applied again with the same schema', async () => {
    const { dataSource } = use.database;
    const before = await catalog(dataSource);
    expect(before['columns']).not.toEqual([]);
    expect(before['triggers']).not.toEqual([]);

    await undoAll(dataSource);

    const nothing = Object.fromEntries(Object.keys(before).map((name) => [name, []]));
    expect(await catalog(dataSource)).toEqual(nothing);
    expect((await migrationStatus(dataSource)).some(({ isApplied }) => isApplied)).toBe(false);

    expect(await migrate(dataSource)).toEqual(names);
    expect(await catalog(dataSource)).toEqual(before);
    expect((await migrationStatus(dataSource)).every(({ isApplied }) => isApplied)).toBe(true);
    expect(await migrate(dataSource)).toEqual([]);
  });

  it('restore the schema before them when they are reverted', async () => {
    const { dataSource } = use.database;
    /** Returns the schema before each migration, newest first. */
    const revert = async () => {
      const schemas: unknown[] = [];
      for (const _migration of MIGRATIONS) {
        await dataSource.undoLastMigration();
        schemas.push(await catalog(dataSource));
      }
      return schemas;
    };
    const whole = await catalog(dataSource);

    const schemas = await revert();
    await migrate(dataSource);
    expect(await catalog(dataSource)).toEqual(whole);
    // The functions that older migrations restore have other white space than at first.
    expect(await revert()).toEqual(schemas);
    await migrate(dataSource);
    expect(await catalog(dataSource)).toEqual(whole);
  });

  /** Stores rows in the tables of forms and submissions. */
  async function fill(dataSource: DataSource): Promise<void> {
    const built = await buildForm(dataSource, {
      form: { completion: 'strict' },
      steps: [
        {
          a: { type: 'select', options: ['x'] },
          b: { conditions: [['a', 'equals', 'x', 'show']], rules: { max_length: '9' } },
        },
      ],
    });
    const submission = await newSubmission(dataSource, built.form.id);
    await buildRecords(dataSource, built.form.id, submission.uuid, 2);
  }

  it('leave all rows unchanged when the newest is reverted and applied again', async () => {
    const { dataSource } = use.database;
    await fill(dataSource);
    // Since the migration StoredSize, old rows have null here, because the service counts their values later.
    await dataSource.query('update submissions set value_count = null, value_bytes = null');
    const rows = async () => {
      const { migrations: _, ...tables } = await wholeDatabase(dataSource);
      return tables;
    };
    const before = await rows();

    await dataSource.undoLastMigration();
    await migrate(dataSource);

    expect(await rows()).toEqual(before);
  });

  it('keep the conditions of fields when those of steps and entities are reverted, and delete the others', async () => {
    const { dataSource } = use.database;
    const built = await buildForm(dataSource, {
      steps: [{ a: {}, b: { conditions: [['a', 'equals', 'x', 'show']] } }, {}],
      stepConditions: { 2: [['a', 'equals', 'x', 'show']] },
      entities: [{ name: 'thing', conditions: [['a', 'equals', 'x', 'hide']] }],
    });
    const later = names.slice(names.indexOf('ConditionsOfSteps1796500000000'));
    const ofFields = () =>
      dataSource.query<object[]>(
        `select id, form_id, field_id, depends_on_field_id, operator, value, action, group_number
           from conditions where form_id = $1 order by id`,
        [built.form.id],
      );
    const before = await ofFields();
    expect(before).toHaveLength(3);

    for (const _migration of later) await dataSource.undoLastMigration();
    expect(await ofFields()).toEqual(before.slice(0, 1));
    // The schema before has no owners but fields, and fills in their form.
    const [row] = await dataSource.query<{ form_id: number }[]>(
      `insert into conditions (field_id, depends_on_field_id, operator, action)
         values ($1, $1, 'empty', 'require') returning form_id`,
      [built.fields['a']!.id],
    );
    expect(row).toEqual({ form_id: built.form.id });

    expect(await migrate(dataSource)).toEqual(later);
    expect((await ofFields()).slice(0, 1)).toEqual(before.slice(0, 1));
    await dataSource.query('delete from forms where id = $1', [built.form.id]);
  });

  it('can be reverted while the tables have rows', async () => {
    const { dataSource } = use.database;
    await fill(dataSource);
    const before = await catalog(dataSource);

    await undoAll(dataSource);
    await migrate(dataSource);

    expect(await catalog(dataSource)).toEqual(before);
    expect(await dataSource.manager.count(Form)).toBe(0);
  });
});
