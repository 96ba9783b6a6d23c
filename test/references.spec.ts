import pg from 'pg';
import { eventually } from './support/eventually.js';
import { type BuiltForm, buildForm } from './support/forms.js';
import { itOnOneServer } from './support/it-on-one-server.js';
import { useDatabase } from './support/test-database.js';

/** The database ensures for all programs that comparisons between fields and formulas fit the fields of their form (C17, J9, J10, K1). */

const database = useDatabase();
let program: pg.Client;
let other: pg.Client;
beforeAll(async () => {
  [program, other] = [new pg.Client(database.connection), new pg.Client(database.connection)];
  await Promise.all([program.connect(), other.connect()]);
});
afterAll(() => Promise.all([program.end(), other.end()]));
afterEach(() => Promise.all([program.query('rollback'), other.query('rollback')]));

let built: BuiltForm;
beforeEach(async () => {
  built = await buildForm(database.dataSource, {
    steps: [
      {
        ...{ total: { type: 'number' }, net: { type: 'number' }, tax: { type: 'number' } },
        ...{ heading: { type: 'heading' }, ticked: { type: 'checkbox' }, upload: { type: 'file' } },
        ...{ start: { type: 'date' }, end: { type: 'date' }, note: {} },
      },
      {
        ...{ price: { type: 'number', isRepeatable: true }, count: { type: 'number', isRepeatable: true } },
        ...{ weight: { type: 'number', isRepeatable: true }, seen: { isRepeatable: true } },
      },
    ],
    entities: [
      { name: 'item', isRepeatable: true, of: ['price', 'count'] },
      { name: 'parcel', isRepeatable: true, of: ['weight'] },
    ],
  });
});

const idOf = (code: string) => built.fields[code]!.id;
/** Names of fields in braces become their ids. */
const filledIn = (sql: string) =>
  sql.replace(/\{(\w+)\}/g, (_, code: string) => String(code === 'form' ? built.form.id : idOf(code)));

const run = (...statements: string[]) => program.query(statements.map(filledIn).join('; '));
/** Executes the statements, and checks what is checked at the end of a transaction, but commits nothing. */
async function attempt(...statements: string[]): Promise<void> {
  try {
    await run('begin', ...statements, 'set constraints all immediate');
  } finally {
    await program.query('rollback');
  }
}
const commit = (...statements: string[]) => run('begin', ...statements, 'commit');

const compute = (code: string, formula: object) =>
  `update fields set computed = '${JSON.stringify(formula)}' where id = {${code}}`;
const sum = (...of: unknown[]) => ({ op: 'sum', of });
const rule = (field: string, kind: string, otherField: string) =>
  `insert into field_rules (field_id, kind, other_field_id) values ({${field}}, '${kind}', {${otherField}})`;
const compareWith = (id: string) =>
  `insert into conditions (field_id, depends_on_field_id, value_field_id, operator, action)
     values ({note}, {start}, ${id}, 'before', 'show')`;
const formulaOf = async (code: string) =>
  (await run(`select computed from fields where id = {${code}}`)).rows[0].computed;

const versionNow = async () =>
  (await run('select version from forms where id = {form}')).rows[0].version as number;

/** Nests sums. A formula of depth 1 has no formula among its operands. */
const nested = (depth: number): object => sum(depth === 1 ? 'net' : nested(depth - 1));

describe('the structure of a formula (K1)', () => {
  it.each([
    sum('net', 'tax', { value: '1.5' }),
    { op: 'quotient', of: ['net', { op: 'count', of: ['price'] }], scale: 20 },
    { op: 'round', of: ['net'], scale: 0 },
    { op: 'years_between', of: ['start', { value: 'today' }] },
    { op: 'join', of: ['note', 'note'], with: 'é'.repeat(100) },
    nested(4),
    sum(...Array.from({ length: 50 }, () => 'net')),
    ...['difference', 'days_between', 'months_between'].map((op) => ({ op, of: ['net', 'tax'] })),
    ...['product', 'min', 'max', 'average'].map((op) => ({ op, of: ['price'] })),
  ])('can be %j', async (formula) => {
    await commit(compute('total', formula));
    expect(await formulaOf('total')).toEqual(formula);
  });

  it.each<[unknown, string]>([
    [[], '[] is not the code of a field, a constant or a formula'],
    [{ value: '1' }, 'it has the unknown key value'],
    [{}, 'there is no op in it'],
    [{ op: 'modulo', of: ['net'] }, 'there is no op "modulo"'],
    [{ op: 'sum', of: ['net'], round: 2 }, 'it has the unknown key round'],
    [{ op: 'sum', of: 'net' }, 'the "of" of sum is not a list of operands'],
    [{ op: 'sum' }, 'the "of" of sum is not a list of operands'],
    [sum(), 'sum needs an operand'],
    [sum(1), '1 is not the code of a field, a constant or a formula'],
    [sum(null), 'null is not the code of a field, a constant or a formula'],
    [sum({ value: 1 }), '{"value": 1} is not a constant such as {"value": "12.5"}'],
    [
      sum({ value: '1', op: 'sum' }),
      '{"op": "sum", "value": "1"} is not a constant such as {"value": "12.5"}',
    ],
    [sum({ op: 'difference', of: ['net'] }), 'difference needs exactly 2 operands'],
    ...['quotient', 'days_between', 'months_between', 'years_between'].map((op): [object, string] => [
      { op, of: ['net', 'tax', 'total'] },
      `${op} needs exactly 2 operands`,
    ]),
    [{ op: 'round', of: ['net', 'tax'] }, 'round needs exactly 1 operand'],
    [{ op: 'sum', of: ['net'], scale: 2 }, 'sum has no "scale"'],
    ...[-1, 21, 1.5, '2', null].map((scale): [object, string] => [
      { op: 'average', of: ['net'], scale },
      'a "scale" is an integer from 0 to 20',
    ]),
    [{ op: 'sum', of: ['net'], with: ' ' }, 'sum has no "with"'],
    ...[1, 'x'.repeat(101)].map((text): [object, string] => [
      { op: 'join', of: ['note'], with: text },
      'a "with" is a text of at most 100 characters',
    ]),
    [nested(5), 'formulas are nested more than 4 deep'],
    [nested(40), 'formulas are nested more than 4 deep'],
    [sum('tax', sum(...Array.from({ length: 49 }, () => 'net'))), 'it has more than 50 operands'],
  ])('cannot be %j', async (formula, problem) => {
    await expect(run(compute('total', formula as object))).rejects.toMatchObject({
      ...{ code: '23514', table: 'fields', column: 'computed', constraint: 'fields_computed_check' },
      message: `The formula of the field "total" is not valid: ${problem}.`,
      hint: expect.stringContaining('{"op": "sum"'),
    });
  });
});

describe('the operands of a formula (K1)', () => {
  const missing = (code: string) => ({
    ...{ code: '23514', table: 'fields', column: 'computed', constraint: 'fields_computed_operands_check' },
    message: `The formula of the field "total" has the operand "${code}", but the form has no field with this code.`,
    hint: 'Change fields.computed of "total" first.',
  });

  it('are fields of the same form that hold values', async () => {
    await buildForm(database.dataSource, { steps: [{ elsewhere: {} }] });
    await expect(attempt(compute('total', sum('net', 'elsewhere')))).rejects.toMatchObject(
      missing('elsewhere'),
    );
    await expect(attempt(compute('total', sum('net', sum('heading'))))).rejects.toMatchObject({
      ...{ code: '23514', constraint: 'fields_computed_operands_check' },
      message: 'The formula of the field "total" has the operand "heading", but this field holds no value.',
    });
  });

  it('can be retired, and cannot be deleted or moved away', async () => {
    await commit(compute('total', sum('net', 'tax')));
    await attempt('update fields set retired_at = now() where id = {net}');
    await attempt('delete from steps where form_id = {form} and step_number = 1');
    await expect(attempt('delete from fields where id = {net}')).rejects.toMatchObject(missing('net'));
    const refusal = {
      ...{ constraint: 'fields_computed_operands_check' },
      message: 'The formula of the field "total" has the operand "net", but this field holds no value.',
    };
    for (const change of [
      `update fields set field_type_id = (select id from field_types where name = 'heading') where id = {net}`,
      `update field_types set component = 'heading-display' where name = 'number'`,
    ])
      await expect(attempt(change)).rejects.toMatchObject(refusal);
  });

  it('are judged at the end of the transaction, in any order of changes', async () => {
    await commit(
      compute('total', sum('net', 'new_one')),
      `insert into fields (step_id, field_type_id, code, label)
         select step_id, field_type_id, 'new_one', '' from fields where id = {net}`,
    );
    await commit('delete from fields where id = {net}', compute('total', sum('new_one')));
    await expect(
      commit(`delete from fields where code = 'new_one' and form_id = {form}`),
    ).rejects.toMatchObject(missing('new_one'));
    await program.query('rollback');
    await run('delete from forms where id = {form}');
  });

  it('are judged again after constraints were judged immediately, and after a savepoint', async () => {
    await run('begin', compute('total', sum('net')), 'set constraints all immediate');
    await expect(run('delete from fields where id = {net}')).rejects.toMatchObject(missing('net'));
    await program.query('rollback');

    await run('begin', compute('total', sum('net')), 'savepoint one', 'delete from fields where id = {net}');
    await run('rollback to one', 'commit');
    await run('begin', 'savepoint one', compute('total', sum('net', 'nothing')), 'rollback to one');
    await run(compute('tax', sum('nothing')));
    await expect(run('commit')).rejects.toMatchObject({ constraint: 'fields_computed_operands_check' });
  });

  it('keep the form of another transaction from losing them', async () => {
    await run('begin', compute('total', sum('net')));
    await other.query('begin');
    const deletion = other
      .query(filledIn('delete from fields where id = {net}'))
      .then(() => other.query('commit'))
      .catch((error: unknown) => error);
    await eventually('the other one waits', async () => {
      const [row] = await database.dataSource.query<[{ count: number }]>(
        `select count(*)::integer as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return row.count === 1;
    });
    await run('commit');
    expect(await deletion).toMatchObject(missing('net'));
  });
});

describe('renaming a field (K1)', () => {
  const rename = (from: string, to: string) => `update fields set code = '${to}' where id = {${from}}`;
  it('renames it in all formulas of its form, and in no other form', async () => {
    const elsewhere = await buildForm(database.dataSource, {
      steps: [{ net: {}, total: { computed: { op: 'sum', of: ['net'] } } }],
    });
    await commit(
      compute('total', sum('net', { op: 'round', of: [sum('net', { value: 'net' })], scale: 1 }, 'tax')),
      compute('tax', { op: 'product', of: ['net', 'net'] }),
    );
    const version = await versionNow();
    await run(rename('net', 'net_price'));
    expect(await formulaOf('total')).toEqual(
      sum('net_price', { op: 'round', of: [sum('net_price', { value: 'net' })], scale: 1 }, 'tax'),
    );
    expect(await formulaOf('tax')).toEqual({ op: 'product', of: ['net_price', 'net_price'] });
    expect(await versionNow()).toBe(version + 1);
    const { rows } = await program.query('select computed from fields where id = $1', [
      elsewhere.fields['total']!.id,
    ]);
    expect(rows[0].computed).toEqual(sum('net'));
  });

  it('works for several fields in a statement, which may exchange their codes', async () => {
    await commit(compute('total', { op: 'difference', of: ['net', 'tax'] }));
    await run(
      `update fields set code = case code when 'net' then 'tax' else 'net' end where id in ({net}, {tax})`,
    );
    expect(await formulaOf('total')).toEqual({ op: 'difference', of: ['tax', 'net'] });
    await run(`update fields set code = code || '_2' where form_id = {form}`);
    expect(await formulaOf('total')).toEqual({ op: 'difference', of: ['tax_2', 'net_2'] });
  });

  it('leaves a formula of the same statement as it is written', async () => {
    await commit(compute('total', sum('net')));
    await run(
      `update fields set code = case id when {net} then 'tax' when {tax} then 'net' else code end,
         computed = case id when {total} then '${JSON.stringify(sum('net', 'tax'))}'::jsonb end where form_id = {form}`,
    );
    expect(await formulaOf('total')).toEqual(sum('net', 'tax'));
  });

  it('is rejected while two fields have the same code, because the formulas could not tell them apart', async () => {
    await commit(compute('total', sum('net', 'tax')));
    await run('begin', 'set constraints all deferred');
    await expect(run(rename('net', 'tax'))).rejects.toMatchObject({
      ...{ code: '23505', constraint: 'fields_form_id_code_key' },
      message: 'Two fields of the form have the code "tax", and a formula names one of them.',
      hint: expect.stringContaining('in one statement'),
    });
    await program.query('rollback');
    await commit('set constraints all deferred', rename('start', 'end'), rename('end', 'start'));
    expect(await formulaOf('total')).toEqual(sum('net', 'tax'));
  });
});

describe('computed fields that depend on each other (K1)', () => {
  const cycle = (...codes: string[]) => ({
    ...{ code: '23514', table: 'fields', constraint: 'fields_computed_cycle_check' },
    message: `The formulas of the form are a cycle: ${codes.join(' -> ')}.`,
  });

  it('are rejected if they are a cycle, with its path', async () => {
    await expect(attempt(compute('total', sum('net', sum('total'))))).rejects.toMatchObject(
      cycle('total', 'total'),
    );
    await commit(compute('total', sum('net')), compute('note', { op: 'join', of: ['total', 'count'] }));
    await expect(
      attempt(compute('net', sum('tax')), compute('tax', sum('start', 'total'))),
    ).rejects.toMatchObject(cycle('total', 'net', 'tax', 'total'));
    await attempt(compute('net', sum('tax')), compute('tax', sum('start')));
  });

  const chain = (length: number, last: string) => `
    insert into fields (step_id, field_type_id, code, label, computed)
    select step_id, field_type_id, 'c' || n, '', jsonb_build_object('op', 'sum', 'of',
             case n when ${length} then '["${last}"]' else jsonb_build_array('c' || n + 1, 'c' || least(n + 2, ${length})) end)
      from fields, generate_series(1, ${length}) n where id = {total}`;

  it('can be 1,000 in a row, with many ways to each, and no more', async () => {
    const begun = performance.now();
    await attempt(chain(1_000, 'net'));
    expect(performance.now() - begun).toBeLessThan(5_000);
    await program.query('rollback');
    await expect(attempt(chain(1_001, 'net'))).rejects.toMatchObject({
      ...{ code: '23514', constraint: 'fields_computed_count_check' },
      message: 'A form has at most 1000 computed fields.',
    });
    await expect(attempt(chain(1_000, 'c1'))).rejects.toMatchObject({
      message: expect.stringMatching(/: c1 -> c2 -> .* -> c1000 -> c1\.$/),
    });
  });
});

describe('a rule with another field (J9)', () => {
  const refused = (table: string, constraint: string, message: string) => ({
    ...{ code: constraint.endsWith('fkey') ? '23503' : '23514', table, constraint, message },
    hint: expect.any(String),
  });
  const unfit = (message: string) => refused('field_rules', 'field_rules_other_field_fits_check', message);

  it.each([
    ['end', 'min_date', 'start'],
    ['end', 'min_date', 'ticked'],
    ['price', 'max', 'net'],
    ['price', 'max', 'count'],
    ['total', 'equal', 'net'],
    ['seen', 'not_equal', 'note'],
  ])('of %s can be %s %s', async (field, kind, otherField) => {
    await attempt(rule(field, kind, otherField));
  });

  const FILES = 'but checkboxes, files, headings and paragraphs cannot be compared';
  it.each([
    ['end', 'min_date', 'end', 'compares it with itself'],
    ['end', 'min_date', 'heading', 'compares it with "heading", which holds no value'],
    ['total', 'min', 'price', 'compares it with "price", which has several values there'],
    ['price', 'min', 'weight', 'compares it with "weight", which has several values there'],
    ['price', 'equal', 'seen', 'compares it with "seen", which has several values there'],
    ['note', 'equal', 'ticked', `compares it with "ticked", ${FILES}`],
    ['note', 'not_equal', 'upload', `compares it with "upload", ${FILES}`],
    ['ticked', 'equal', 'note', `compares it with "note", ${FILES}`],
    ['heading', 'not_equal', 'note', `compares it with "note", ${FILES}`],
  ])('of %s cannot be %s %s', async (field, kind, otherField, problem) => {
    await expect(attempt(rule(field, kind, otherField))).rejects.toMatchObject(
      unfit(`The rule ${kind} of the field "${field}" ${problem}.`),
    );
  });

  it('belongs to the form of the other field, which cannot be deleted', async () => {
    const elsewhere = await buildForm(database.dataSource, { steps: [{ far: {} }] });
    const { id } = elsewhere.fields['far']!;
    const fkey = 'field_rules_other_field_id_fkey';
    const sentence = (field: number) =>
      `The rule min of the field "total" compares it with the field ${field}, which its form does not have.`;
    for (const none of [id, 2_147_483_647])
      await expect(attempt(rule('total', 'min', 'net').replace('{net}', String(none)))).rejects.toMatchObject(
        refused('field_rules', fkey, sentence(none)),
      );
    await commit(rule('total', 'min', 'net'));
    await expect(run('delete from fields where id = {net}')).rejects.toMatchObject(
      refused('field_rules', fkey, sentence(idOf('net'))),
    );
    await commit('delete from fields where id = {net}', 'delete from field_rules where field_id = {total}');
    await commit(rule('total', 'min', 'tax'));
    await run('delete from steps where form_id = {form} and step_number = 1');
    await run('delete from forms where id = {form}');
  });

  it('keeps both fields from changes after which it no longer fits', async () => {
    await commit(rule('price', 'max', 'count'), rule('price', 'min', 'net'), rule('note', 'equal', 'start'));
    for (const change of [
      'update fields set is_repeatable = true where id = {net}',
      'update fields set is_repeatable = false where id = {price}',
      'update fields set entity_id = null where id = {price}',
      `update fields set entity_id = (select id from entities where form_id = {form} and name = 'parcel') where id = {count}`,
      `update fields set field_type_id = (select id from field_types where name = 'file') where id = {note}`,
      `update field_types set component = 'checkbox-input' where name = 'date'`,
    ])
      await expect(run(change)).rejects.toMatchObject({ constraint: 'field_rules_other_field_fits_check' });
    await run('update fields set is_repeatable = false where id = {count}');
  });

  it('raises the version of the form when it changes (F8)', async () => {
    const version = await versionNow();
    await commit(rule('end', 'min_date', 'start'));
    await run('update field_rules set offset_days = 2 where field_id = {end}');
    await run('update field_rules set other_field_id = {note} where field_id = {end}');
    expect(await versionNow()).toBe(version + 3);
  });
});

describe('a rule of a sum (J10)', () => {
  it.each(['min_sum', 'max_sum'])('%s belongs to a repeatable number', async (kind) => {
    const add = (field: string) =>
      `insert into field_rules (field_id, kind, value) values ({${field}}, '${kind}', '1')`;
    const refusal = { code: '23514', constraint: 'field_rules_other_field_fits_check' };
    for (const field of ['total', 'seen'])
      await expect(run(add(field))).rejects.toMatchObject({
        ...refusal,
        message: `The rule ${kind} of the field "${field}" adds up the values of records, so the field must be a repeatable number-input.`,
      });
    await run(add('price'));
    await expect(run('update fields set is_repeatable = false where id = {price}')).rejects.toMatchObject(
      refusal,
    );
  });
});

describe('a condition that compares two fields (C17)', () => {
  it('belongs to the form of the other field, which cannot be deleted', async () => {
    const elsewhere = await buildForm(database.dataSource, { steps: [{ far: {} }] });
    const refused = (id: number) => ({
      ...{ code: '23503', table: 'conditions', constraint: 'conditions_value_field_id_form_id_fkey' },
      message: `A condition compares the field "start" with the field ${id}, which its form does not have.`,
      hint: expect.any(String),
    });
    for (const id of [elsewhere.fields['far']!.id, 2_147_483_647])
      await expect(run(compareWith(String(id)))).rejects.toMatchObject(refused(id));
    await run(compareWith('{end}'));
    await expect(run('delete from fields where id = {end}')).rejects.toMatchObject(refused(idOf('end')));
    await run('delete from conditions where field_id = {note}');
    await run('delete from fields where id = {end}');
    await run(compareWith('{tax}'));
    await run('update conditions set value_field_id = {net} where field_id = {note}');
    await run('delete from fields where id = {tax}');
    await run('delete from steps where form_id = {form} and step_number = 1');
  });
});

describe('a large form', () => {
  /** How often the functions were called in this transaction. */
  const calls = async (name: string): Promise<number> => {
    const { rows } = await program.query(
      'select coalesce(sum(calls), 0)::integer as calls from pg_stat_xact_user_functions where funcname = $1',
      [name],
    );
    return rows[0].calls;
  };
  const MANY = `
    insert into fields (step_id, field_type_id, code, label)
    select step_id, field_type_id, 'f' || n, '' from fields, generate_series(1, 200) n where id = {total}`;
  const EACH = `do $$ begin for field in 1 .. 20 loop
      update fields set label = 'Changed' where form_id = {form} and code = 'f' || field; end loop; end $$`;

  const DELETION = `delete from fields where form_id = {form} and code like 'f%'`;

  itOnOneServer.each([
    [
      'is checked once in a transaction, however many rows and statements change',
      compute('total', sum('net')),
      DELETION,
      1,
    ],
    ['is not checked if only its texts change', compute('total', sum('net')), EACH, 0],
    ['without these references is not checked', 'select 1', DELETION, 0],
  ])('%s', async (_, first, last, checks) => {
    await run(first);
    await run('begin', `set local track_functions = 'all'`, MANY);
    await run(`update fields set label = 'Changed' where form_id = {form}`, EACH);
    await run(last);
    const before = await calls('formtrail_check_formulas');
    await run('set constraints all immediate');
    expect((await calls('formtrail_check_formulas')) - before).toBe(checks);
  });
});
