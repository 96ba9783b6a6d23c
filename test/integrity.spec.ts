import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { migrate, migrationStatus } from '../src/migrations/migrate.js';
import { MIGRATIONS } from '../src/schema.js';
import * as shared from '../src/entities.js';
import {
  ApiToken,
  Condition,
  EntityDefinition,
  EntityRecord,
  Field,
  FieldType,
  Form,
  Option,
  Step,
  Submission,
  SubmissionValue,
  User,
} from '../src/entities.js';
import { catalog } from './support/catalog.js';
import { type BuiltForm, buildForm, buildRecords } from './support/forms.js';
import { isOneServer, itOnOneServer, onOneServer } from './support/it-on-one-server.js';
import { useDatabase } from './support/test-database.js';

const database = useDatabase();
/** A connection to the database as another program would have it. */
let program: pg.Client;
beforeAll(async () => {
  program = new pg.Client(database.connection);
  await program.connect();
});
afterAll(() => program.end());

async function newSubmission(dataSource: DataSource, formId: number): Promise<Submission> {
  const { manager } = dataSource;
  const user = await manager.save(manager.create(User, { email: `${randomUUID()}@example.org` }));
  return manager.save(
    manager.create(Submission, { uuid: randomUUID(), formId, userId: user.id, status: 'draft' }),
  );
}

// SQLSTATE codes from appendix A of the PostgreSQL documentation.
const NOT_NULL = '23502';
const NO_SUCH_WORD = '22P02';
const TOO_LONG = '22001';
const ACCEPTED = 'accepted';
/** Kinds of constraints by the codes of their errors. */
const KINDS: Readonly<Record<string, string>> = { '23503': 'fkey', '23505': 'key', '23514': 'check' };
/** No row has this id. */
const NONE = '2147483647';

const insert = (table: string, columns: Readonly<Record<string, string>>) =>
  `insert into ${table} (${Object.keys(columns).join()}) values (${Object.values(columns).join()})`;
const newForm = (columns: object) => insert('forms', { name: `'Form'`, slug: `'new'`, ...columns });
const setForm = (columns: string) => `update forms set ${columns} where id = {form}`;
const newStep = (columns: object) =>
  insert('steps', { form_id: '{form}', step_number: '9', title: `''`, ...columns });
const newField = (columns: object) =>
  insert('fields', {
    ...{ form_id: '{form}', step_id: '{step}', field_type_id: '1', code: `'new'`, label: `''` },
    ...columns,
  });
const setField = (code: string, columns: string) => `update fields set ${columns} where id = {${code}}`;
const newOption = (columns: object) =>
  insert('options', { field_id: '{a}', label: `''`, value: `'x'`, ...columns });
const newRule = (kind: string, value: string, columns: object = {}) =>
  insert('field_rules', { field_id: '{a}', kind: `'${kind}'`, value: `'${value}'`, ...columns });
/** A rule that compares with another field. */
const ruleWith = (other: string, columns: object = {}) =>
  insert('field_rules', { field_id: '{a}', kind: `'min'`, other_field_id: other, ...columns });
const newCondition = (columns: object) =>
  insert('conditions', {
    ...{ form_id: '{form}', depends_on_field_id: '{b}', operator: `'empty'`, action: `'hide'` },
    ...columns,
  });
const setSubmission = (columns: string) => `update submissions set ${columns} where uuid = '{uuid}'`;
const newRecord = (columns: object) =>
  insert('entity_records', {
    ...{ submission_uuid: `'{uuid}'`, form_id: '{form}', entity_id: '{entity}' },
    ...columns,
  });
const newValue = (field: string, isRepeatable: boolean, columns: object = {}) =>
  insert('submission_values', {
    ...{ submission_uuid: `'{uuid}'`, form_id: '{form}', field_id: `{${field}}`, value: `'x'` },
    ...{ is_repeatable: String(isRepeatable) },
    ...columns,
  });
const newToken = (columns: object) =>
  insert('api_tokens', { user_id: '{user}', token_hash: `sha256('new')`, ...columns });
const newRespondent = (columns: object) =>
  insert('respondents', { user_id: '{user}', form_id: '{form}', ...columns });
const newCode = (columns: object) =>
  insert('resume_codes', {
    ...{ user_id: '{user}', code_hash: `sha256('new')`, expires_at: `'2036-01-01'` },
    ...columns,
  });
const newProof = (columns: object) =>
  insert('spent_proofs', { challenge_hash: `sha256('new')`, expires_at: `'2036-01-01'`, ...columns });

/** A condition of each kind of owner. */
const OWNERS = { field_id: '{a}', step_id: '{step}', entity_id: '{entity}' };
const DEPENDS_ON = 'conditions_depends_on_field_id_form_id_fkey';

type Case = readonly [outcome: string, sql: string];

/** The result of each statement: the constraint that it violates, an SQLSTATE, or `accepted`. */
const CASES: Readonly<Record<string, readonly Case[]>> = {
  'forms (F5, J2, P1, P7, S13)': [
    ...['', 'A', 'a b', 'a_b', '-a', 'a-', 'a--b', 'ä', 'a\n', ' a', 'a/b', '\u0430'].map((slug): Case => [
      'forms_slug_check',
      newForm({ slug: `'${slug}'` }),
    ]),
    ['forms_slug_key', newForm({ slug: `(select slug from forms where id = {form})` })],
    ['forms_slug_key', setForm('slug = (select slug from forms where id = {other_form})')],
    [TOO_LONG, newForm({ slug: `repeat('x', 256)` })],
    [TOO_LONG, newForm({ name: `repeat('x', 256)` })],
    ['forms_name_check', newForm({ name: `''` })],
    [ACCEPTED, newForm({ name: `repeat('é', 255)`, slug: `repeat('x', 255)` })],
    ['forms_uuid_key', newForm({ uuid: '(select uuid from forms where id = {form})' })],
    ['submissions_form_id_fkey', 'delete from forms where id = {form}'],
    ...['', 'Strict', 'none'].map((policy): Case => [
      'forms_completion_check',
      setForm(`completion = '${policy}'`),
    ]),
    ...[`'strict'`, `'lenient'`, 'null'].map((policy): Case => [ACCEPTED, setForm(`completion = ${policy}`)]),
    ...['', 'Public', 'private'].map((access): Case => [
      'forms_access_check',
      setForm(`access = '${access}'`),
    ]),
    [NOT_NULL, setForm('access = null')],
    ...[0, 999, 5_000_001, -1].map((highest): Case => [
      'forms_proof_of_work_check',
      setForm(`proof_of_work = ${highest}`),
    ]),
    ...[1_000, 5_000_000, null].map((highest): Case => [ACCEPTED, setForm(`proof_of_work = ${highest}`)]),
    ...[
      '',
      'Berlin',
      'Europe/Berlni',
      '+01:00',
      'UTC+1',
      'CEST',
      'posix/Europe/Berlin',
      'Factory',
      'localtime',
    ]
      .concat('Europe/Berlin\n')
      .flatMap((zone): Case[] => [
        ['forms_time_zone_check', setForm(`time_zone = '${zone}'`)],
        ['forms_time_zone_check', newForm({ time_zone: `'${zone}'` })],
      ]),
    ...['Europe/Berlin', 'europe/berlin', 'Pacific/Kiritimati', 'Etc/GMT+12', 'UTC'].map((zone): Case => [
      ACCEPTED,
      setForm(`time_zone = '${zone}'`),
    ]),
    [ACCEPTED, setForm('time_zone = null')],
    // An unknown time zone that is stored already, and does not change. Citus cannot switch triggers off.
    ...(isOneServer
      ? [
          [
            ACCEPTED,
            `set local session_replication_role = replica; ${setForm(`time_zone = 'Europe/Atlantis'`)};
       set local session_replication_role = origin; ${setForm(`name = 'Another', time_zone = time_zone`)}`,
          ] satisfies Case,
        ]
      : []),
  ],
  steps: [
    ['steps_form_id_step_number_key', newStep({ step_number: '1' })],
    ['steps_form_id_step_number_key', 'update steps set step_number = 2 where id = {step}'],
    ['steps_step_number_check', newStep({ step_number: '0' })],
    ['steps_step_number_check', newStep({ step_number: '-1' })],
    ['steps_form_id_fkey', newStep({ form_id: NONE })],
    ...['[]', '"text"', '1', 'null'].map((meta): Case => [
      'steps_meta_check',
      newStep({ meta: `'${meta}'` }),
    ]),
    [ACCEPTED, 'update steps set step_number = 3 - step_number where form_id = {form}'],
    ['submission_values_field_id_form_id_is_repeatable_fkey', 'delete from steps where id = {step}'],
  ],
  'fields (V5)': [
    ['fields_form_id_code_key', newField({ step_id: '{second_step}', code: `'a'` })],
    ['fields_form_id_code_key', setField('a', `code = 'b'`)],
    ['fields_code_check', newField({ code: `''` })],
    [ACCEPTED, newField({ form_id: '{other_form}', step_id: '{other_step}', code: `'c'` })],
    ['fields_step_id_form_id_fkey', newField({ step_id: '{other_step}' })],
    ['fields_step_id_form_id_fkey', newField({ form_id: '{other_form}' })],
    ['fields_step_id_form_id_fkey', setField('a', 'step_id = {other_step}')],
    ['fields_field_type_id_fkey', newField({ field_type_id: NONE })],
    ['fields_entity_id_form_id_fkey', setField('a', 'entity_id = {other_entity}')],
    ['fields_step_id_form_id_fkey', setField('b', 'form_id = {other_form}')],
    ['submission_values_field_id_form_id_is_repeatable_fkey', 'delete from fields where id = {a}'],
    [ACCEPTED, 'delete from fields where id = {b}'],
    ['submission_values_field_id_form_id_is_repeatable_fkey', setField('a', 'is_repeatable = true')],
    ['submission_values_field_id_form_id_is_repeatable_fkey', setField('many', 'is_repeatable = false')],
    [ACCEPTED, setField('b', 'is_repeatable = true')],
    [ACCEPTED, setField('a', `label = 'New', step_id = step_id`)],
    [NOT_NULL, newField({ form_id: 'default', step_id: NONE })],
    ['entity_records_entity_id_form_id_fkey', 'delete from entities where id = {entity}'],
  ],
  'options, and rules (J1)': [
    ['options_field_id_value_key', `${newOption({})}; ${newOption({ label: `'Another'` })}`],
    ['options_field_id_fkey', newOption({ field_id: NONE })],
    [ACCEPTED, `${newOption({})}; ${newOption({ field_id: '{b}' })}`],
    ['field_rules_field_id_kind_key', `${newRule('min', '1')}; ${newRule('min', '2')}`],
    [ACCEPTED, `${newRule('min', '1')}; ${newRule('min', '1', { field_id: '{b}' })}`],
    [NO_SUCH_WORD, newRule('Min', '2')],
    [NO_SUCH_WORD, newRule('minimum', '2')],
    ['field_rules_field_id_fkey', newRule('min', '2', { field_id: NONE })],
    [TOO_LONG, newRule('pattern', '', { value: `repeat('a', 501)` })],
    ['field_rules_message_check', newRule('min', '2', { message: `''` })],
    ['field_rules_other_field_check', newRule('min', '2', { value: 'null' })],
    ...(['min', 'max', 'min_date', 'max_date', 'equal', 'not_equal'] as const).flatMap((kind): Case[] => [
      [ACCEPTED, ruleWith('{b}', { kind: `'${kind}'` })],
      ['field_rules_other_field_check', ruleWith('{b}', { kind: `'${kind}'`, value: `'2026-01-01'` })],
    ]),
    ...(['min_length', 'max_length', 'pattern', 'min_sum', 'max_sum'] as const).map((kind): Case => [
      'field_rules_other_field_check',
      ruleWith('{b}', { kind: `'${kind}'` }),
    ]),
    [ACCEPTED, `${newRule('min', '1')}; ${ruleWith('{b}')}; ${ruleWith('{third}')}`],
    ['field_rules_field_id_kind_other_field_id_key', `${ruleWith('{b}')}; ${ruleWith('{b}')}`],
    ...[-99_999, 0, 99_999, 'null'].map((days): Case => [
      ACCEPTED,
      ruleWith('{b}', { kind: `'min_date'`, offset_days: String(days) }),
    ]),
    ...[-100_000, 100_000].map((days): Case => [
      'field_rules_offset_days_check',
      ruleWith('{b}', { kind: `'max_date'`, offset_days: String(days) }),
    ]),
    ['field_rules_offset_days_check', ruleWith('{b}', { offset_days: '1' })],
    ['field_rules_offset_days_check', newRule('min_date', 'today', { offset_days: '1' })],
  ],
  'conditions (C8, C10)': [
    ...[
      { field_id: '{a}', depends_on_field_id: '{other_a}' },
      { form_id: 'null', field_id: '{a}', depends_on_field_id: '{other_a}' },
      { field_id: '{a}', depends_on_field_id: NONE },
      { step_id: '{step}', depends_on_field_id: '{other_a}' },
      { entity_id: '{entity}', depends_on_field_id: '{other_a}' },
    ].map((columns): Case => [DEPENDS_ON, newCondition(columns)]),
    ...Object.entries(OWNERS).flatMap(([owner, own]): Case[] => {
      const foreign = own.replace('{', '{other_');
      const key = `conditions_${owner}_form_id_fkey`;
      return [
        [ACCEPTED, newCondition({ [owner]: own })],
        [key, newCondition({ [owner]: foreign })],
        [key, newCondition({ [owner]: NONE })],
        [key, newCondition({ [owner]: own, form_id: '{other_form}', depends_on_field_id: '{other_a}' })],
        // The deletion of a tested field.
        [DEPENDS_ON, `${newCondition({ [owner]: own })}; delete from fields where id = {b}`],
        [
          ACCEPTED,
          `${newCondition({ [owner]: own, depends_on_field_id: '{a}' })}; delete from fields where id = {b}`,
        ],
      ];
    }),
    [ACCEPTED, `${newCondition({ field_id: '{b}' })}; delete from fields where id = {b}`],
    ...['', 'Equals', 'like', 'equals ', 'matches', '=', 'before '].map((operator): Case => [
      NO_SUCH_WORD,
      newCondition({ ...{ field_id: '{a}' }, operator: `'${operator}'` }),
    ]),
    ...['', 'Show', 'disable', 'required'].map((action): Case => [
      NO_SUCH_WORD,
      newCondition({ field_id: '{a}', action: `'${action}'` }),
    ]),
    ...shared.OPERATORS.flatMap((operator): Case[] => {
      const isOther = ['empty', 'not_empty', 'in', 'not_in'].includes(operator);
      const compared = { field_id: '{a}', operator: `'${operator}'`, value_field_id: '{third}' };
      return [
        [isOther ? 'conditions_value_field_id_check' : ACCEPTED, newCondition(compared)],
        ['conditions_value_field_id_check', newCondition({ ...compared, value: `'x'` })],
      ];
    }),
    ...shared.OPERATORS.flatMap((operator) =>
      shared.ACTIONS.map((action): Case => [
        ACCEPTED,
        newCondition({ field_id: '{a}', operator: `'${operator}'`, action: `'${action}'` }),
      ]),
    ),
    ...['operator', 'action'].flatMap((column): Case[] => {
      const one = newCondition({ field_id: '{a}' });
      return [
        [NO_SUCH_WORD, `${one}; update conditions set ${column} = 'unknown' where form_id = {form}`],
        [NOT_NULL, `${one}; update conditions set ${column} = null where form_id = {form}`],
      ];
    }),
    ...[
      { field_id: '{a}', step_id: '{step}' },
      { field_id: '{a}', entity_id: '{entity}' },
      { step_id: '{step}', entity_id: '{entity}' },
      OWNERS,
      {},
    ].map((owners): Case => ['conditions_owner_check', newCondition(owners)]),
    ...['step_id = null', 'entity_id = {entity}', 'field_id = {a}'].map((columns): Case => [
      'conditions_owner_check',
      `${newCondition({ step_id: '{step}' })}; update conditions set ${columns} where form_id = {form}`,
    ]),
    ...['entity_id = {entity}', 'field_id = {a}'].map((columns): Case => [
      ACCEPTED,
      `${newCondition({ step_id: '{step}' })}; update conditions set step_id = null, ${columns} where form_id = {form}`,
    ]),
    ...[{ step_id: '{step}' }, { entity_id: '{entity}' }].flatMap((owner): Case[] => [
      ['conditions_require_check', newCondition({ ...owner, action: `'require'` })],
      [
        'conditions_require_check',
        `${newCondition(owner)}; update conditions set action = 'require' where form_id = {form}`,
      ],
    ]),
  ],
  'submissions (V2, V5, V7, V9)': [
    ['submissions_status_check', setSubmission(`status = 'archived'`)],
    ['submissions_current_step_check', setSubmission('current_step = 0')],
    ...['[]', '1', '"x"', 'null'].map((meta): Case => [
      'submissions_meta_check',
      setSubmission(`meta = '${meta}'`),
    ]),
    ['submissions_user_id_fkey', setSubmission(`user_id = ${NONE}`)],
    ['submission_values_field_id_form_id_is_repeatable_fkey', newValue('other_a', false)],
    ['submission_values_form_id_submission_uuid_fkey', newValue('b', false, { form_id: '{other_form}' })],
    [
      'submission_values_form_id_submission_uuid_fkey',
      newValue('other_a', false, { form_id: '{other_form}' }),
    ],
    [
      'submission_values_form_id_submission_uuid_fkey',
      newValue('b', false, { submission_uuid: 'gen_random_uuid()' }),
    ],
    ...['{sibling_record}', String(Number.MAX_SAFE_INTEGER)].flatMap((record): Case[] => [
      [
        'submission_values_submission_uuid_entity_record_id_fkey',
        newValue('b', false, { entity_record_id: record }),
      ],
      [
        'submission_values_submission_uuid_entity_record_id_fkey',
        newValue('many', true, { entity_record_id: record }),
      ],
    ]),
    [ACCEPTED, newValue('b', false, { entity_record_id: '{record}' })],
    ...['a', 'many'].flatMap((field) =>
      ['null', '{record}'].map((record): Case => [
        'submission_values_pkey',
        newValue(field, field === 'many', { entity_record_id: record }),
      ]),
    ),
    ['submission_values_field_id_form_id_is_repeatable_fkey', newValue('b', true)],
    ['submission_values_field_id_form_id_is_repeatable_fkey', newValue('more', false)],
    ['submission_values_value_check', newValue('b', false, { value: `repeat('💩', 65536)` })],
    [ACCEPTED, newValue('b', false, { value: `repeat('💩', 65535)` })],
    ['entity_records_entity_id_form_id_fkey', newRecord({ entity_id: '{other_entity}' })],
    [
      'entity_records_form_id_submission_uuid_fkey',
      newRecord({ form_id: '{other_form}', entity_id: '{other_entity}' }),
    ],
  ],
  'users, tokens and proofs of work': [
    ['users_email_key', insert('users', { email: `(select upper(email) from users where id = {user})` })],
    ['users_email_check', insert('users', { email: `''` })],
    ['api_tokens_token_hash_key', `${newToken({})}; ${newToken({})}`],
    ['api_tokens_token_hash_check', newToken({ token_hash: `'a plain token'` })],
    ['api_tokens_user_id_fkey', newToken({ user_id: NONE })],
    ['spent_proofs_pkey', `${newProof({})}; ${newProof({})}`],
    ['spent_proofs_challenge_hash_check', newProof({ challenge_hash: `'31 bytes, and not one byte more'` })],
    ['spent_proofs_expires_at_check', newProof({ expires_at: `'infinity'` })],
    [NOT_NULL, newProof({ expires_at: 'null' })],
  ],
  ...(isOneServer && {
    respondents: [
      ['respondents_pkey', `${newRespondent({})}; ${newRespondent({ form_id: '{other_form}' })}`],
      ['respondents_form_id_fkey', newRespondent({ form_id: NONE })],
      ['respondents_user_id_fkey', newRespondent({ user_id: NONE })],
      [NOT_NULL, newRespondent({ form_id: 'null' })],
      [NOT_NULL, newRespondent({ is_preview: 'null' })],
      ['respondents_created_at_check', newRespondent({ created_at: `'infinity'` })],
      ['resume_codes_code_hash_key', `${newRespondent({})}; ${newCode({})}; ${newCode({})}`],
      ['resume_codes_code_hash_check', `${newRespondent({})}; ${newCode({ code_hash: `'a plain code'` })}`],
      ['resume_codes_expires_at_check', `${newRespondent({})}; ${newCode({ expires_at: `'infinity'` })}`],
      [NOT_NULL, `${newRespondent({})}; ${newCode({ expires_at: 'null' })}`],
      ['resume_codes_user_id_fkey', newCode({})],
      ['submissions_user_id_fkey', `${newRespondent({})}; delete from respondents where user_id = {user}`],
    ] satisfies Case[],
  }),
};

describe('the database itself checks, for any program,', () => {
  /** The ids of rows that exist, by the names in the statements. */
  const ids: Record<string, number | string> = {};

  beforeAll(async () => {
    const { dataSource } = database;
    for (const prefix of ['', 'other_']) {
      const { form, steps, fields } = await buildForm(dataSource, {
        steps: [
          {
            ...{ a: {}, b: {}, third: {}, many: { isRepeatable: true }, more: { isRepeatable: true } },
            sums: { type: 'number', isRepeatable: true },
          },
          {},
        ],
      });
      const [{ uuid, userId }, sibling] = [
        await newSubmission(dataSource, form.id),
        await newSubmission(dataSource, form.id),
      ];
      const [record] = await buildRecords(dataSource, form.id, uuid, 1);
      const [siblingRecord] = await buildRecords(dataSource, form.id, sibling.uuid, 1);
      const entity = await dataSource.manager.findOneByOrFail(EntityDefinition, { formId: form.id });
      const all = {
        ...{ form: form.id, step: steps[0]!.id, second_step: steps[1]!.id, entity: entity.id },
        ...{ uuid, user: userId, record: record!, sibling_record: siblingRecord! },
        ...Object.fromEntries(Object.entries(fields).map(([code, { id }]) => [code, id])),
      };
      for (const [name, id] of Object.entries(all)) ids[prefix + name] = id;
    }
    for (const [field, record] of [['a'], ['many'], ['many', '{record}']] as const) {
      const columns = record === undefined ? {} : { entity_record_id: record };
      await program.query(filledIn(newValue(field, field === 'many', columns)));
    }
  });

  const filledIn = (sql: string) => sql.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));

  /** Executes statements and checks deferred constraints, but commits nothing. Returns the rows of the last statement. */
  async function execute(sql: string): Promise<unknown[]> {
    try {
      const results = await program.query(`begin; ${filledIn(sql)}; set constraints all immediate`);
      return (results as unknown as pg.QueryResult[]).at(-2)!.rows;
    } finally {
      await program.query('rollback');
    }
  }

  const outcomeOf = (sql: string) =>
    execute(sql).then(
      () => ACCEPTED,
      (error: unknown) => {
        const { code, constraint = code } = error as pg.DatabaseError;
        return constraint;
      },
    );
  /** On Citus, the constraints of shards and mirrors have other names, which end in the same way, or errors do not name them. */
  const compared = (outcome = '') =>
    isOneServer
      ? outcome
      : (KINDS[outcome] ??
        outcome.replace(/^.*_(check|fkey)(_\d+)?$|^.*_p?key(_\d+)?$/, (_, kind = 'key') => kind));

  describe.each(Object.entries(CASES))('in %s,', (_, cases) => {
    it.each(cases)('%s: %s', async (expected, sql) => {
      expect(compared(await outcomeOf(sql))).toBe(compared(expected));
    });
  });

  describe('in values of rules (J1, J2, J5),', () => {
    const VALUES = {
      min: {
        good: ['0', '-1', '+1.5', '.5', '5.', '1e400', '-1E-9'],
        bad: ['', ' ', 'ten', '1,5', '0x1', '1e', '.', '--1', ' 1', '1\n', '٣', 'NaN', 'Infinity'],
      },
      max: { good: ['7'], bad: ['1 '] },
      min_length: {
        good: ['1', '10', '9999', '59999', '65535'],
        bad: ['', '0', '-1', '1.0', '01', '65536', '70000', '99999', '100000', '1e3'],
      },
      max_length: { good: ['65535'], bad: ['65600'] },
      pattern: { good: ['a', '(', ' ', 'é'.repeat(500)], bad: [''] },
      min_date: {
        good: ['2026-01-31', '2024-02-29', '2000-02-29', '0001-01-01', 'today', 'today+30d', 'today-99999y'],
        bad: ['2026-02-29', '1900-02-29', '2026-04-31', '2026-13-01', '2026-00-01', '2026-1-1', 'Today'],
      },
      max_date: {
        good: ['9999-12-31', 'today-6m'],
        bad: [
          'today+1',
          'today+1w',
          'today+1m1d',
          'today+100000d',
          'today +1d',
          'tomorrow',
          '2026-01-01T00:00:00Z',
          'today\n',
          '',
        ],
      },
      min_sum: { good: ['-1.5'], bad: ['ten', ''] },
      max_sum: { good: ['1e9'], bad: ['1,5'] },
    } as const satisfies Partial<
      Record<shared.RuleKind, { good: readonly string[]; bad: readonly string[] }>
    >;

    it.each(shared.RULE_KINDS)('%s', async (kind) => {
      // Rules of these kinds have no value.
      if (kind === 'equal' || kind === 'not_equal') {
        expect(await outcomeOf(newRule(kind, 'x'))).toBe('field_rules_other_field_check');
        return;
      }
      const field = { field_id: kind.endsWith('_sum') ? '{sums}' : '{a}' };
      const outcomeWith = (value: string) => outcomeOf(newRule(kind, value, field));
      for (const value of VALUES[kind].bad)
        expect([value, await outcomeWith(value)]).toEqual([value, 'field_rules_value_check']);
      for (const value of VALUES[kind].good)
        expect([value, await outcomeWith(value)]).toEqual([value, ACCEPTED]);
    });
  });

  it('names the table and the column of an unknown time zone (J2)', async () => {
    const refusal = { code: '23514', table: 'forms', column: 'time_zone' };
    await expect(execute(setForm(`time_zone = 'Berlin'`))).rejects.toMatchObject(refusal);
  });

  it('and fills in an omitted form_id', async () => {
    const { form } = ids;
    for (const formId of ['default', 'null', '0'])
      for (const sql of [
        newField({ form_id: formId }),
        ...Object.entries(OWNERS).map(([owner, id]) => newCondition({ form_id: formId, [owner]: id })),
      ])
        expect([sql, await execute(`${sql} returning form_id`)]).toEqual([sql, [{ form_id: form }]]);
  });

  it('and deletes the values and records of a submission together with it', async () => {
    const rows = await execute(`delete from submissions where uuid = '{uuid}';
      select submission_uuid from submission_values where submission_uuid = '{uuid}'
       union all select submission_uuid from entity_records where submission_uuid = '{uuid}'`);
    expect(rows).toEqual([]);
  });

  itOnOneServer.each([
    ['its row in respondents', 'delete from respondents where user_id = (select id from alone)'],
    ['its user', 'delete from users where id = (select id from alone)'],
    ['its form', 'delete from forms where id = (select form_id from respondents, alone where user_id = id)'],
  ])('and deletes a respondent with tokens and codes together with %s', async (_, deletion) => {
    const user = { user_id: '(select id from alone)' };
    const tables = ['respondents', 'resume_codes', 'api_tokens'].map(
      (table) => `union all select user_id from ${table} where user_id = (select id from alone)`,
    );
    const left = `select id from users where id = (select id from alone) ${tables.join(' ')}`;
    const built = `create temp table alone (id integer) on commit drop;
      with added as (insert into users default values returning id) insert into alone select id from added;
      ${newForm({})};
      ${newRespondent({ ...user, form_id: `(select id from forms where slug = 'new')` })};
      ${newCode(user)}; ${newToken(user)}`;
    expect(await execute(`${built}; ${left}`)).toHaveLength(4);
    expect(await execute(`${built}; ${deletion}; ${left}`)).toEqual([]);
  });
});

describe('deleting forms, steps and fields', () => {
  /** Builds rows of every kind that refer to each other. */
  const buildEverything = () =>
    buildForm(database.dataSource, {
      steps: [
        {
          a: { type: 'select', options: ['x', 'y'], conditions: [['b', 'empty', '', 'hide']] },
          b: { conditions: [['a', 'equals', 'x', 'show']] },
        },
        { c: { conditions: [['c', 'empty', '', 'require']] } },
      ],
      // The first step is hidden by its own field, and the entity by a field on the second step.
      stepConditions: { 1: [['a', 'equals', 'y', 'hide']] },
      entities: [{ name: 'thing', of: ['a', 'b', 'c'], conditions: [['c', 'equals', 'x', 'show']] }],
    });
  const countRows = async ({ form }: BuiltForm) => {
    const { rows } = await program.query<object>(
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
  const ALL = { forms: 1, steps: 2, entities: 1, fields: 3, options: 2, conditions: 5 };
  const NOTHING = { forms: 0, steps: 0, entities: 0, fields: 0, options: 0, conditions: 0 };

  it('deletes a form with all its rows, although they refer to each other', async () => {
    const [built, removed, other] = [
      await buildEverything(),
      await buildEverything(),
      await buildEverything(),
    ];
    expect(await countRows(built)).toEqual(ALL);

    await program.query('delete from forms where id = $1', [built.form.id]);
    // The panel does the same.
    await database.dataSource.manager.remove(removed.form);

    expect([await countRows(built), await countRows(removed)]).toEqual([NOTHING, NOTHING]);
    expect(await countRows(other)).toEqual(ALL);
  });

  itOnOneServer(
    'deletes a form in a restored database too, where the constraints were created in another order',
    async () => {
      const built = await buildEverything();
      await program.query('begin');
      // pg_dump orders foreign keys by table name, so foreign keys of entities come before foreign keys of steps.
      const { rows: keys } = await program.query(
        `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
           from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
          order by conrelid::regclass::text, conname`,
      );
      for (const { table, name } of keys) await program.query(`alter table ${table} drop constraint ${name}`);
      for (const { table, name, definition } of keys)
        await program.query(`alter table ${table} add constraint ${name} ${definition}`);
      await program.query('delete from forms where id = $1', [built.form.id]);
      await program.query('set constraints all immediate');
      expect(await countRows(built)).toEqual(NOTHING);
      await program.query('rollback');
    },
  );

  it('deletes a step or fields that depend on each other in one statement', async () => {
    const [one, other] = [await buildEverything(), await buildEverything()];

    await program.query('delete from steps where id = $1', [one.steps[0]!.id]);
    expect(await countRows(one)).toEqual({ ...ALL, steps: 1, fields: 1, options: 0, conditions: 2 });

    await program.query('delete from conditions where form_id = $1 and field_id is null', [other.form.id]);
    await program.query('delete from fields where form_id = $1', [other.form.id]);
    expect(await countRows(other)).toEqual({ ...ALL, fields: 0, options: 0, conditions: 0 });
  });

  it('deletes the conditions of a step or an entity together with it, and no others', async () => {
    const { form, steps } = await buildEverything();
    const owners = async () => {
      const { rows } = await program.query<{ owner: string }>(
        `select case when step_id is not null then 'step' when entity_id is not null then 'entity' else 'field' end as owner
           from conditions where form_id = $1 order by id`,
        [form.id],
      );
      return rows.map(({ owner }) => owner);
    };
    expect(await owners()).toEqual(['field', 'field', 'field', 'step', 'entity']);

    await program.query('update fields set entity_id = null where form_id = $1', [form.id]);
    await program.query('delete from entities where form_id = $1', [form.id]);
    expect(await owners()).toEqual(['field', 'field', 'field', 'step']);

    const stepIds = steps.map(({ id }) => id);
    await program.query('update fields set step_id = $2 where step_id = $1', stepIds);
    await program.query('delete from steps where id = $1', [stepIds[0]]);
    expect(await owners()).toEqual(['field', 'field', 'field']);
  });
});

describe('the entities that the administration panel shares', () => {
  it('can each be saved and loaded, with their relations', async () => {
    const { manager } = database.dataSource;
    const save = <T extends object>(entity: new () => T, columns: Partial<T>): Promise<T> =>
      manager.save(manager.create(entity, columns as never));

    // Set relations instead of id columns, in the order in which a panel creates the rows.
    const user = await save(User, { email: 'panel@example.org' });
    const tokenHash = createHash('sha256').update('token').digest();
    const expiresAt = new Date('2030-01-01T00:00:00.000Z');
    const ofToken = { name: 'Panel', tokenHash, expiresAt, revokedAt: null };
    await save(ApiToken, { user, ...ofToken });
    const form = await save(Form, { name: 'Panel', slug: 'panel' });
    const ofEntity = { name: 'expense', label: 'Expense', isRepeatable: true };
    const entity = await save(EntityDefinition, { form, ...ofEntity });
    const ofStep = { stepNumber: 1, title: 'First', meta: { icon: 'user' }, isVisible: false };
    const step = await save(Step, { form, ...ofStep });
    const ofType = { name: 'signature', component: 'signature-input' };
    const fieldType = await save(FieldType, ofType);
    const ofField = {
      ...{ code: 'amount', label: 'Amount', placeholder: '0.00', description: 'In euros', order: 3 },
      ...{ isRequired: true, isRepeatable: true, defaultValue: '0' },
    };
    const field = await save(Field, { step, fieldType, entity, ...ofField });
    const source = await save(Field, { step, fieldType, code: 'source', label: 'Source' });
    const ofOption = { label: 'Cash', value: 'cash', order: 1 };
    await save(Option, { field: source, ...ofOption });
    const ofCondition = { operator: 'in', value: 'cash,card', action: 'require' } as const;
    await save(Condition, { field, dependsOnField: source, ...ofCondition });
    const others = { dependsOnField: source, operator: 'empty', action: 'hide' } as const;
    await save(Condition, { ...others, step });
    await save(Condition, { ...others, entity, action: 'show' });
    const submission = await save(Submission, { uuid: randomUUID(), form, user, meta: { from: 'panel' } });
    const ofSubmission = { submissionUuid: submission.uuid, formId: form.id };
    const record = await save(EntityRecord, { ...ofSubmission, entityId: entity.id });
    const ofValue = { fieldId: field.id, isRepeatable: true, entityRecordId: record.id, value: '9.99' };
    await save(SubmissionValue, { ...ofSubmission, ...ofValue });

    const dependsOnField = { id: source.id };
    expect(
      await manager.findOneOrFail(Form, {
        where: { id: form.id },
        relations: {
          entities: { fields: true, conditions: { dependsOnField: true } },
          steps: {
            conditions: { entity: true, step: true, field: true },
            fields: {
              ...{ fieldType: true, entity: true, options: true, rules: true },
              conditions: { dependsOnField: true },
            },
          },
        },
        order: { steps: { fields: { id: 'asc' } } },
      }),
    ).toMatchObject({
      ...{ uuid: form.uuid, name: 'Panel', slug: 'panel', description: '', isActive: true },
      ...{ version: expect.any(Number), createdAt: expect.any(Date), updatedAt: expect.any(Date) },
      entities: [
        { ...ofEntity, fields: [{ id: field.id }], conditions: [{ action: 'show', dependsOnField }] },
      ],
      steps: [
        {
          ...{ id: step.id, formId: form.id, description: '', ...ofStep },
          conditions: [
            {
              stepId: step.id,
              fieldId: null,
              entityId: null,
              step: { id: step.id },
              field: null,
              entity: null,
            },
          ],
          fields: [
            {
              ...{ id: field.id, formId: form.id, stepId: step.id, ...ofField, options: [] },
              ...{ fieldType: ofType, entity: { id: entity.id } },
              conditions: [{ formId: form.id, ...ofCondition, dependsOnField }],
            },
            { id: source.id, entityId: null, placeholder: null, options: [ofOption], conditions: [] },
          ],
        },
      ],
    });
    expect(
      await manager.findOneOrFail(User, { where: { id: user.id }, relations: { tokens: true } }),
    ).toMatchObject({ email: 'panel@example.org', createdAt: expect.any(Date), tokens: [ofToken] });
    expect(
      await manager.findOneOrFail(Submission, {
        where: { uuid: submission.uuid },
        relations: { form: true, user: true, values: { field: true }, entityRecords: { entity: true } },
      }),
    ).toMatchObject({
      ...{ status: 'draft', currentStep: 1, meta: { from: 'panel' } },
      ...{ createdAt: expect.any(Date), updatedAt: expect.any(Date) },
      ...{ form: { slug: 'panel' }, user: { email: 'panel@example.org' } },
      values: [{ ...ofValue, recordKey: record.id, field: { code: 'amount' } }],
      entityRecords: [{ id: record.id, formId: form.id, entity: { name: 'expense' } }],
    });
  });

  it('include all entities', () => {
    const { dataSource } = database;
    const exported = Object.values(shared).filter((member) => dataSource.hasMetadata(member as never));
    const mapped = dataSource.entityMetadatas.map(({ target }) => target);
    expect(new Set(mapped)).toEqual(new Set(exported));
  });
});

describe('a program that knows only what information_schema says', () => {
  it('inserts only columns that people can fill in; the database fills in the others', async () => {
    const { manager } = database.dataSource;
    const columns = await manager.query<{ table: string; names: string[] }[]>(`
      select table_name as table, array_agg(column_name::text order by ordinal_position) as names
        from information_schema.columns
       where table_schema = 'public' and is_nullable = 'NO' and column_default is null
         and is_identity = 'NO' and is_generated = 'NEVER' group by 1`);
    const required = new Map(columns.map(({ table, names }) => [table, names]));
    /** `owner` has the columns of which a check constraint requires one. */
    const insert = async (table: string, always: Record<string, unknown>, owner = {}) => {
      expect([table, required.get(table) ?? []]).toEqual([table, Object.keys(always)]);
      const row = { ...always, ...owner };
      const names = Object.keys(row);
      const places = names.map((_, index) => `$${index + 1}`);
      const sql = `insert into ${table} (${names.join()}) values (${places.join()}) returning *`;
      return (await manager.query<any[]>(sql, Object.values(row)))[0];
    };

    await insert('users', {}, { email: 'plain@example.org' });
    const form = await insert('forms', { name: 'Plain', slug: 'plain' });
    const step = await insert('steps', { form_id: form.id, step_number: 1, title: 'One' });
    const type = await insert('field_types', { name: 'stars', component: 'star-input' });
    const words = { step_id: step.id, field_type_id: type.id, code: 'a', label: 'A' };
    const field = await insert('fields', words);
    const entity = await insert('entities', { form_id: form.id, name: 'expense', label: 'Expense' });
    await insert('options', { field_id: field.id, label: 'One', value: '1' });
    await insert('field_rules', { field_id: field.id, kind: 'min' }, { value: '1' });
    const test = { depends_on_field_id: field.id, operator: 'empty', action: 'hide' };
    const conditions: { form_id: number }[] = [];
    for (const owner of [{ field_id: field.id }, { step_id: step.id }, { entity_id: entity.id }])
      conditions.push(await insert('conditions', test, owner));

    expect([field, ...conditions].map(({ form_id }) => form_id)).toEqual(Array(4).fill(form.id));
    const saved = manager.create(Field, { stepId: step.id, fieldTypeId: type.id, code: 'b', label: 'B' });
    expect(await manager.save(saved)).toMatchObject({ formId: form.id, order: 0, isRequired: false });
  });
});

// Last in the file, because this reverts all migrations. The migrations of a Citus cluster are not reverted.
onOneServer('migrations', () => {
  it('can all be reverted while the tables have rows, and applied again with the same schema', async () => {
    const { dataSource } = database;
    expect(await dataSource.manager.count(Submission)).toBeGreaterThan(0);
    await dataSource.query(
      `update fields set field_type_id = 1; delete from field_types where name in ('signature', 'stars')`,
    );
    // Values and columns that the migrations before them do not know.
    await buildForm(dataSource, {
      steps: [
        {
          start: { type: 'date', rules: { min_date: 'today-18y' } },
          end: {
            ...{ type: 'date', rules: { not_equal: { field: 'start' } } },
            conditions: [
              ['start', 'before', { field: 'end' }, 'show'],
              ['start', 'not_contains', 'x', 'hide'],
            ],
          },
          amount: { type: 'number', isRepeatable: true, rules: { max_sum: '5' } },
          days: { computed: { op: 'days_between', of: ['start', 'end'] } },
          list: { type: 'checkbox', options: ['none'], exclusive: ['none'] },
        },
      ],
    });
    const before = await catalog(dataSource);
    expect(before['columns']).not.toEqual([]);
    expect(before['triggers']).not.toEqual([]);

    for (const _migration of MIGRATIONS) await dataSource.undoLastMigration();
    expect(await catalog(dataSource)).toEqual(
      Object.fromEntries(Object.keys(before).map((name) => [name, []])),
    );
    expect((await migrationStatus(dataSource)).some(({ isApplied }) => isApplied)).toBe(false);

    expect(await migrate(dataSource)).toEqual(MIGRATIONS.map(({ name }) => name));
    expect(await catalog(dataSource)).toEqual(before);
    expect((await migrationStatus(dataSource)).every(({ isApplied }) => isApplied)).toBe(true);
    expect(await migrate(dataSource)).toEqual([]);
  });
});
