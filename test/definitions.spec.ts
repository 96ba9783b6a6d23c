import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { hashToken } from '../src/auth/issue-token.js';
import { FieldType, Form } from '../src/entities.js';
import type { DefinitionError } from '../src/capabilities/definitions/definition-error.js';
import { FORM_DEFINITION } from '../src/capabilities/definitions/definition-schema.js';
import { exportForm } from '../src/capabilities/definitions/export-form.js';
import { importForms } from '../src/capabilities/definitions/import-forms.js';
import { seed } from '../src/capabilities/definitions/seed.js';
import { isTimeZone } from '../src/forms/field-rules/today.js';
import { FIRST_FIELD_TYPES } from '../src/forms/field-types.js';
import { fillNew, firstToken } from '../src/server/fill-new.js';
import { eventually } from './support/eventually.js';
import { buildForm } from './support/forms.js';
import { isOneServer, itOnOneServer } from './support/it-on-one-server.js';
import { asAnotherProgram } from './support/test-server.js';
import { testDatabase, useDatabase } from './support/test-database.js';

const ROOT = path.resolve(__dirname, '..');
const EXAMPLES = readdirSync(path.join(ROOT, 'examples/forms')).sort();
const example = (name: string) => readFileSync(path.join(ROOT, 'examples/forms', name), 'utf8');

const database = useDatabase();

const importText = async (...texts: string[]) => {
  const files = texts.map((text, index) => ({ name: `${index + 1}.json`, text }));
  return (await importForms(database.dataSource, files)).forms;
};
const importDefinition = async (...definitions: object[]) =>
  importText(...definitions.map((definition) => JSON.stringify(definition)));
const importNew = async () => (await importDefinition(definition()))[0]!;
const exported = async (slug: string): Promise<any> => (await exportForm(database.dataSource, slug))!;

/** Returns a line for each mistake of an import. */
const linesOf = (error: unknown): string[] =>
  (error as DefinitionError).mistakes.map(({ file, path, message }) => `${file}: ${path}: ${message}`);
const mistakesOf = (attempt: Promise<unknown>): Promise<string[]> => attempt.then(() => [], linesOf);

/** Returns all database rows of a form, including ids and timestamps. */
async function rowsOf(slug: string) {
  const [rows] = await database.dataSource.query<object[]>(
    `select to_json(forms) as form,
       (select json_agg(steps order by id) from steps where form_id = forms.id) as steps,
       (select json_agg(entities order by id) from entities where form_id = forms.id) as entities,
       (select json_agg(fields order by id) from fields where form_id = forms.id) as fields,
       (select json_agg(conditions order by id) from conditions where form_id = forms.id) as conditions,
       (select json_agg(options order by options.id) from options join fields on fields.id = field_id
         where fields.form_id = forms.id) as options,
       (select json_agg(field_rules order by field_rules.id) from field_rules join fields on fields.id = field_id
         where fields.form_id = forms.id) as rules
     from forms where slug = $1`,
    [slug],
  );
  return rows as any;
}

async function fieldIds(slug: string): Promise<Record<string, number>> {
  const { fields } = await rowsOf(slug);
  return Object.fromEntries((fields ?? []).map(({ code, id }: { code: string; id: number }) => [code, id]));
}

/** Sorts the arrays of a form. Their order in the file has no meaning, unlike `order` and `step_number`. */
function sorted(form: any) {
  const by = (key: string, rows: any[]) => rows.toSorted((a, b) => (a[key] < b[key] ? -1 : 1));
  const fields = (step: any) =>
    by('code', step.fields).map((field) => ({ ...field, options: by('value', field.options) }));
  return { ...form, steps: by('step_number', form.steps).map((step) => ({ ...step, fields: fields(step) })) };
}

let slugs = 0;
const newSlug = () => `form-${(slugs += 1)}`;

/** Returns a form definition with two steps, an entity, options, and conditions of fields, of a step and of the entity. */
function definition(changes: object = {}): any {
  const text = { name: 'text' };
  return {
    name: 'Form',
    slug: newSlug(),
    entities: [
      {
        ...{ name: 'trip', label: 'Trip', is_repeatable: true },
        conditions: [{ depends_on_field_code: 'kind', operator: 'equals', value: 'a', action: 'hide' }],
      },
    ],
    steps: [
      {
        step_number: 1,
        title: 'One',
        meta: { icon: 'user', nested: { b: [1, null], a: 'x' } },
        fields: [
          { code: 'name', label: 'Name', field_type: text, rules: [{ kind: 'max_length', value: '9' }] },
          {
            code: 'kind',
            label: 'Kind',
            field_type: { name: 'select' },
            options: [
              { label: 'A', value: 'a' },
              { label: 'B', value: 'b' },
            ],
          },
        ],
      },
      {
        step_number: 2,
        title: 'Two',
        conditions: [
          { depends_on_field_code: 'kind', operator: 'not_empty', action: 'show', group: 1 },
          { depends_on_field_code: 'name', operator: 'contains', value: 'x', action: 'show', group: 1 },
        ],
        fields: [
          { code: 'place', label: 'Place', field_type: text, is_repeatable: true, entity: 'trip' },
          {
            code: 'why',
            label: 'Why',
            field_type: text,
            conditions: [
              { depends_on_field_code: 'kind', operator: 'equals', value: 'b', action: 'show' },
              { depends_on_field_code: 'place', operator: 'not_empty', action: 'require' },
            ],
          },
        ],
      },
    ],
    ...changes,
  };
}

type Run = (text: string, values: unknown[]) => Promise<unknown>;

/** Creates a submission with a value for the field. */
async function storeValue(
  slug: string,
  code: string,
  run: Run = (text, values) => database.dataSource.query(text, values),
) {
  await run(
    `with someone as (insert into users (email) values ($3) returning id),
          submission as (insert into submissions (uuid, form_id, user_id)
            select gen_random_uuid(), forms.id, someone.id from forms, someone where slug = $1 returning uuid)
     insert into submission_values (submission_uuid, field_id, form_id, is_repeatable, value)
     select submission.uuid, fields.id, form_id, is_repeatable, 'x'
       from submission, fields join forms on forms.id = form_id where slug = $1 and code = $2`,
    [slug, code, `${randomBytes(4).toString('hex')}@example.org`],
  );
}

describe('importing definitions', () => {
  it('creates forms whose exports equal the example files', async () => {
    const names = EXAMPLES.filter((name) => isOneServer || JSON.parse(example(name)).access !== 'public');
    const imported = await importText(...names.map(example));
    expect(imported.map(({ slug, version, change }) => ({ slug, version, change }))).toEqual(
      names.map((name) => ({ slug: path.parse(name).name, version: 1, change: 'created' })),
    );
    for (const [index, name] of names.entries()) {
      const { $schema, ...form } = await exported(imported[index]!.slug);
      expect($schema).toBe(FORM_DEFINITION.$id);
      const here = '../../schemas/form-definition.schema.json';
      expect(`${JSON.stringify({ $schema: here, ...form }, null, 2)}\n`).toBe(example(name));
    }
  });

  it('writes nothing if nothing has changed: version, times and ids stay the same (F8)', async () => {
    const slug = 'travel-expense-claim';
    await importText(example(`${slug}.json`));
    const before = await rowsOf(slug);
    expect(await importText(example(`${slug}.json`))).toEqual([
      { slug, uuid: before.form.uuid, version: before.form.version, change: 'unchanged' },
    ]);
    expect(await importDefinition(await exported(slug))).toMatchObject([{ change: 'unchanged' }]);
    expect(await rowsOf(slug)).toEqual(before);
  });

  type Change = [string, (form: any) => unknown];
  it.each<Change>([
    [
      'every column of a form changed, and the label of an entity (R4)',
      (form) =>
        Object.assign(form, {
          ...{ name: 'Another', description: 'D', is_active: false, completion: 'strict' },
          // Citus rejects what needs triggers on submissions.
          ...(isOneServer && { keep_completed_days: 36_500, keep_drafts_days: 1, keep_personal_days: 9 }),
          ...{ proof_of_work: 1000, time_zone: 'Europe/Berlin', access: isOneServer ? 'public' : 'token' },
          entities: [{ ...form.entities[0], label: 'Another' }],
        }),
    ],
    [
      'every column of a step changed',
      ({ steps: [step] }) =>
        Object.assign(step, {
          ...{ step_number: 9, title: 'Another', description: 'D', is_visible: false },
          meta: { icon: 'user', nested: { b: [1], a: 'x' } },
        }),
    ],
    ['a step whose meta is null', ({ steps: [step] }) => (step.meta = null)],
    [
      'every column of a field changed',
      ({ steps: [{ fields }] }) =>
        Object.assign(fields[0], {
          ...{ label: 'L', placeholder: 'P', description: 'D', is_required: true, is_repeatable: true },
          ...{ default_value: 'V', order: -7, entity: 'trip', is_personal: true },
          field_type: { name: 'number', component: 'number-input' },
        }),
    ],
    ['a field in another step', ({ steps: [one, two] }) => two.fields.push(one.fields.pop())],
    [
      'all fields in other steps',
      ({ steps: [one, two] }) => ([one.fields, two.fields] = [two.fields, one.fields]),
    ],
    ['another label of an option', ({ steps: [{ fields }] }) => (fields[1].options[0].label = 'Another')],
    [
      'another order of options',
      ({ steps: [{ fields }] }) => fields[1].options.forEach((option: any) => (option.order *= -1)),
    ],
    ['another value of an option', ({ steps: [{ fields }] }) => (fields[1].options[0].value = 'z')],
    ['another order of conditions', ({ steps: [, { fields }] }) => fields[1].conditions.reverse()],
    [
      'a duplicate condition',
      ({ steps: [, { fields }] }) => (fields[1].conditions[1] = fields[1].conditions[0]),
    ],
    ['no conditions', ({ steps: [, { fields }] }) => (fields[1].conditions = [])],
    ['another value of a condition of a step', ({ steps: [, two] }) => (two.conditions[1].value = 'y')],
    ['a condition of a step without its group', ({ steps: [, two] }) => delete two.conditions[0].group],
    [
      'one more condition of an entity, and another action',
      ({ entities: [{ conditions }] }) => {
        conditions.push({ ...conditions[0], value: 'b' });
        conditions[0].action = 'show';
      },
    ],
    [
      'no conditions of a step and of an entity',
      (form) => (form.steps[1].conditions = form.entities[0].conditions = []),
    ],
    [
      'the conditions of a step at an entity, and those of a field at a step',
      ({ entities: [entity], steps: [, two] }) => {
        entity.conditions = two.conditions;
        two.conditions = two.fields[1].conditions.splice(0, 1);
      },
    ],
    ['another number of a step with conditions', ({ steps: [, two] }) => (two.step_number = 7)],
    [
      'a step with conditions that a field replaces which it tests',
      ({ steps: [one, two] }) => (one.fields[0].code = two.conditions[1].depends_on_field_code = 'name_2'),
    ],
    [
      'an entity with conditions in place of another',
      ({ entities, steps: [, two] }) => (entities[0].name = two.fields[0].entity = 'journey'),
    ],
    [
      'another value and message of a rule',
      ({ steps: [{ fields }] }) => Object.assign(fields[0].rules[0], { value: '10', message: 'Too long.' }),
    ],
    [
      'another kind of rule, and one more',
      ({ steps: [{ fields }] }) => {
        fields[0].rules[0].kind = 'min_length';
        fields[0].rules.push({ kind: 'pattern', value: '[a-z]+', message: null });
      },
    ],
    ['no rules', ({ steps: [{ fields }] }) => (fields[0].rules = [])],
    ['one more field', ({ steps: [{ fields }] }) => fields.push({ ...fields[1], code: 'kind_2' })],
    ['one more step', ({ steps }) => steps.push({ ...steps[0], step_number: 3, fields: [] })],
    [
      'one field less and no entity',
      (form) => {
        form.entities = [];
        form.steps[1].fields.shift();
        form.steps[1].fields[0].conditions.pop();
      },
    ],
    ['one step less', (form) => form.steps.pop()],
    ['only a name and a slug', (form) => (form.entities = form.steps = [])],
    [
      'the name of an entity as the code of a field, and the other way round (R3)',
      ({ entities, steps: [one, two] }) => {
        entities[0].name = two.fields[0].entity = 'kind';
        one.fields[1].code = 'trip';
        for (const { conditions } of [...entities, two, two.fields[1]])
          for (const condition of conditions)
            if (condition.depends_on_field_code === 'kind') condition.depends_on_field_code = 'trip';
      },
    ],
  ])('gives the form %s, and increases its version by exactly one (F8)', async (_, change) => {
    const { slug } = await importNew();
    const ids = await fieldIds(slug);
    const wanted = await exported(slug);
    change(wanted);

    expect(await importDefinition(wanted)).toMatchObject([{ slug, version: 2, change: 'changed' }]);

    expect(sorted(await exported(slug))).toEqual(sorted(wanted));
    const after = await fieldIds(slug);
    for (const [code, id] of Object.entries(ids)) expect(after[code] ?? id).toBe(id);
    expect(await importDefinition(wanted)).toMatchObject([{ version: 2, change: 'unchanged' }]);
  });

  itOnOneServer(
    'removes times and marks that the file lacks, and exports only those that are set (T1, T4)',
    async () => {
      const times = { keep_completed_days: 365, keep_drafts_days: 30, keep_personal_days: 90 };
      const plain = definition();
      const marked = { ...structuredClone(plain), ...times };
      marked.steps[0].fields[0].is_personal = true;
      await importDefinition(marked);
      const first = await exported(plain.slug);
      expect(first).toMatchObject({ ...times, steps: [{ fields: [{ is_personal: true }, {}] }, {}] });
      expect(JSON.stringify(first).match(/is_personal/g)).toHaveLength(1);

      expect(await importDefinition(plain)).toMatchObject([{ change: 'changed' }]);
      const second = await exported(plain.slug);
      expect(JSON.stringify(second)).not.toMatch(/keep_|is_personal/);
      const { form, fields } = await rowsOf(plain.slug);
      const none = { keep_completed_days: null, keep_drafts_days: null, keep_personal_days: null };
      expect(form).toMatchObject(none);
      expect(fields.map(({ is_personal }: any) => is_personal)).toEqual([false, false, false, false]);
      Object.assign(plain, none);
      plain.steps[0].fields[0].is_personal = false;
      expect(await importDefinition(plain)).toMatchObject([{ change: 'unchanged' }]);
    },
  );

  it('stores each condition with one owner, and keeps those of other owners with their ids (C10)', async () => {
    const { slug } = await importNew();
    const { form, steps, entities, conditions: before } = await rowsOf(slug);
    const isOf = (owner: string) => (condition: any) => condition[owner] !== null;
    const ofForm = { form_id: form.id, field_id: null };
    const ofStep = { ...ofForm, step_id: steps[1].id, entity_id: null, group_number: 1 };
    expect(before.filter(isOf('step_id'))).toMatchObject([
      { ...ofStep, operator: 'not_empty' },
      { ...ofStep, value: 'x' },
    ]);
    expect(before.filter(isOf('entity_id'))).toMatchObject([
      { ...ofForm, entity_id: entities[0].id, step_id: null, action: 'hide' },
    ]);
    expect(before.filter(isOf('field_id'))).toHaveLength(2);

    const wanted = await exported(slug);
    wanted.steps[1].conditions[0].operator = 'empty';
    await importDefinition(wanted);

    const { conditions: after } = await rowsOf(slug);
    for (const owner of ['field_id', 'entity_id'])
      expect(after.filter(isOf(owner))).toEqual(before.filter(isOf(owner)));
    expect(after.filter(isOf('step_id'))).toMatchObject([{ operator: 'empty' }, { operator: 'contains' }]);
  });
});

describe('importing a form that is in use', () => {
  it.each<[string, string[], (form: any) => unknown, string[]]>([
    [
      'the removal of fields with stored values',
      ['why', 'name'],
      (form) => {
        form.steps = [{ ...form.steps[0], fields: [] }];
        form.entities[0].conditions = [];
      },
      ['name', 'why'].map(
        (code) =>
          `fields.${code}: is not in the file, but the field cannot be deleted, because it holds stored values: keep it with "retired": true`,
      ),
    ],
    [
      'a change of is_repeatable of fields with stored values, because it is part of their key (V5)',
      ['kind', 'place'],
      ({ steps }) => {
        for (const { fields } of steps)
          for (const field of fields) field.is_repeatable = !field.is_repeatable;
      },
      [
        'steps[0].fields[1].is_repeatable: must stay false, because the field "kind" holds stored values',
        'steps[1].fields[0].is_repeatable: must stay true, because the field "place" holds stored values',
      ],
    ],
    [
      'the removal of an entity with records',
      ['name'],
      (form) => {
        form.entities = [];
        delete form.steps[1].fields[0].entity;
      },
      [
        'entities.trip: is not in the file, but the entity cannot be deleted, because submissions have records of it',
      ],
    ],
  ])('rejects %s, and changes nothing', async (_, codes, change, mistakes) => {
    const { slug } = await importNew();
    for (const code of codes) await storeValue(slug, code);
    await database.dataSource.query(
      `insert into entity_records (submission_uuid, form_id, entity_id)
       select submissions.uuid, forms.id, entities.id
         from forms join submissions on submissions.form_id = forms.id join entities on entities.form_id = forms.id
        where slug = $1`,
      [slug],
    );
    const before = await rowsOf(slug);
    const wanted = { ...(await exported(slug)), name: 'Another' };
    change(wanted);
    expect(await mistakesOf(importDefinition(wanted))).toEqual(
      mistakes.map((mistake) => `1.json: ${mistake}`),
    );
    expect(await rowsOf(slug)).toEqual(before);
  });

  /** Another program holds a lock and then ends its transaction. Meanwhile, the form is imported with this change. */
  async function importMeanwhile(
    change: object,
    begin: (slug: string, run: Run) => Promise<unknown>,
    goOn: (slug: string, run: Run) => Promise<unknown> = () => Promise.resolve(),
  ) {
    const { slug } = await importNew();
    const wanted = { ...(await exported(slug)), ...change };
    const outcome = await asAnotherProgram(database.connection, async (client) => {
      const run: Run = (text, values) => client.query(text, values);
      await client.query('begin');
      await begin(slug, run);
      const attempt = importDefinition(wanted).then((forms): unknown[] => [...forms], linesOf);
      await importWaits();
      await goOn(slug, run);
      await client.query('commit');
      return attempt;
    });
    return { outcome, slug, wanted };
  }
  const storing = (slug: string, run: Run) => storeValue(slug, 'name', run);

  itOnOneServer(
    'rejects the removal of a field if another transaction is storing a value for it',
    async () => {
      const { outcome } = await importMeanwhile({ steps: [], entities: [] }, storing);
      expect(outcome).toEqual([
        expect.stringContaining('fields.name: is not in the file, but the field cannot be deleted'),
      ]);
    },
  );

  itOnOneServer(
    'gives up its locks and retries if another program needs them, so that there is no deadlock',
    async () => {
      const { outcome, slug } = await importMeanwhile(
        { steps: [], entities: [] },
        storing,
        async (slug, run) => {
          const first = await importWaits();
          await eventually('the import begins anew', async () => (await importWaits()) !== first);
          await run(`update forms set name = 'Theirs' where slug = $1`, [slug]);
        },
      );
      expect(outcome).toEqual([expect.stringContaining('fields.name: is not in the file')]);
      expect(await exported(slug)).toMatchObject({ name: 'Theirs' });
    },
  );

  it('waits for another program that is changing the form, and then sees its changes', async () => {
    const { outcome, slug, wanted } = await importMeanwhile({}, (slug, run) =>
      run(
        `insert into steps (form_id, step_number, title) select id, 7, 'Seven' from forms where slug = $1`,
        [slug],
      ),
    );
    expect(outcome).toMatchObject([{ version: 3, change: 'changed' }]);
    expect(await exported(slug)).toEqual(wanted);
  });

  it('retires a field with stored values, exports it as retired, and lets it come back with its values (N6)', async () => {
    const { slug } = await importNew();
    const retiredAt = async (): Promise<Record<string, string | null>> =>
      Object.fromEntries((await rowsOf(slug)).fields.map(({ code, retired_at }: any) => [code, retired_at]));
    await storeValue(slug, 'name');
    const ids = await fieldIds(slug);
    const before = await exported(slug);

    const wanted = await exported(slug);
    wanted.steps[0].fields[0].retired = true;
    expect(await importDefinition(wanted)).toMatchObject([{ version: 2, change: 'changed' }]);
    const { name: since, ...others } = await retiredAt();
    expect(since).toEqual(expect.any(String));
    expect(new Set(Object.values(others))).toEqual(new Set([null]));
    expect(await exported(slug)).toEqual(wanted);
    expect(await importDefinition(await exported(slug))).toMatchObject([{ version: 2, change: 'unchanged' }]);

    wanted.steps[0].fields[0].label = 'Former name';
    expect(await importDefinition(wanted)).toMatchObject([{ change: 'changed' }]);
    expect((await retiredAt())['name']).toBe(since);

    expect(await importDefinition(before)).toMatchObject([{ change: 'changed' }]);
    expect((await retiredAt())['name']).toBeNull();
    expect(await exported(slug)).toEqual(before);
    expect(await fieldIds(slug)).toEqual(ids);
    const sql = 'select count(*)::integer from submission_values where field_id = $1';
    expect(await database.dataSource.query(sql, [ids['name']])).toEqual([{ count: 1 }]);
  });
});

/** Resolves when an import waits for a lock of another program. Returns the start of the import's transaction. */
function importWaits(): Promise<string> {
  return eventually('the import waits', async () => {
    const [waiting] = await database.dataSource.query<{ began: string }[]>(
      `select xact_start::text as began from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' limit 1`,
    );
    return waiting?.began;
  });
}

describe('files with mistakes', () => {
  it('are rejected if the uuid is not that of the form, or is that of another form', async () => {
    const [one, two] = [definition(), definition()];
    const [{ uuid: first }, { uuid: second }] = (await importDefinition(one, two)) as [any, any];
    const unused = 'b1e7f6f0-0000-4000-8000-000000000002';

    expect(await mistakesOf(importDefinition({ ...one, uuid: unused }))).toEqual([
      `1.json: uuid: is "${unused}", but the form "${one.slug}" has the UUID ${first}: use that UUID, or omit the key`,
    ]);
    expect(await mistakesOf(importDefinition(definition({ uuid: second })))).toEqual([
      `1.json: uuid: is the UUID of another form, "${two.slug}"`,
    ]);
    expect(await importDefinition(definition({ uuid: unused.toUpperCase() }))).toMatchObject([
      { uuid: unused },
    ]);
  });

  it('are rejected if Node.js knows the time zone but the database does not', async () => {
    // ICU knows the name IST, but the IANA database does not. Other versions of Node.js may not know the name.
    const known = isTimeZone('IST') ? 'a time zone that the database server knows' : 'a name of the IANA.*';
    expect(await mistakesOf(importDefinition(definition({ time_zone: 'IST' })))).toEqual([
      expect.stringMatching(`^1\\.json: time_zone: must be ${known}, but is "IST"$`),
    ]);
  });

  it('are accepted if the form already has what a new form may not have (J5, R3)', async () => {
    const { slug } = await importNew();
    const wanted = await exported(slug);
    wanted.steps[0].fields[0].rules = [{ kind: 'pattern', value: '(a', message: null }];
    wanted.steps[0].fields[1].options[0].value = 'long'.repeat(1_000);
    wanted.entities.push({ ...wanted.entities[0], name: 'name', conditions: [] });
    expect(await mistakesOf(importDefinition(wanted))).toEqual([
      expect.stringMatching(/entities\[1\][.]name: must differ from all field codes/),
      expect.stringMatching(/rules\[0\][.]value: must be an RE2 regular expression, but "[(]a" is not: /),
      expect.stringMatching(/options\[0\][.]value: must have at most 2600 bytes/),
    ]);

    await asAnotherProgram(database.connection, async (program) => {
      await program.query('set session_replication_role = replica');
      for (const sql of [
        `update field_rules set kind = 'pattern', value = '(a' from fields join forms on forms.id = form_id
          where fields.id = field_id and slug = $1`,
        `update options set value = repeat('long', 1000) from fields join forms on forms.id = form_id
          where fields.id = field_id and slug = $1 and value = 'a'`,
        `insert into entities (form_id, name, label, is_repeatable)
           select id, 'name', 'Trip', true from forms where slug = $1`,
      ])
        await program.query(sql, [slug]);
    });
    expect(await importDefinition(wanted)).toMatchObject([{ change: 'unchanged' }]);
    expect(await importDefinition({ ...wanted, name: 'Another' })).toMatchObject([{ change: 'changed' }]);
  });
});

describe('a form', () => {
  it('may have an option of 2600 bytes, the most that fits into its index', async () => {
    const wanted = definition();
    // The text is random, because PostgreSQL would compress a repetitive text in the index.
    wanted.steps[0].fields[1].options[1].value = randomBytes(9_000).toString('base64').slice(0, 2_600);
    expect(await importDefinition(wanted)).toMatchObject([{ change: 'created' }]);
  });

  it('may define a field type of its own, which then has this component in all forms', async () => {
    const wanted = definition();
    const type = { name: 'signature', component: 'signature-pad' };
    wanted.steps[0].fields[0].field_type = type;
    await importDefinition(wanted);
    expect((await exported(wanted.slug)).steps[0].fields[0].field_type).toEqual(type);
    type.component = 'another-pad';
    expect(await mistakesOf(importDefinition({ ...wanted, slug: newSlug() }))).toEqual([
      '1.json: steps[0].fields[0].field_type.component: must be "signature-pad" for the field type "signature", but is "another-pad"',
    ]);
  });

  it('with unusual values in every column is exported and imported again without a change', async () => {
    const { dataSource } = database;
    await dataSource.query(`insert into field_types (name, component) values ('Odd type', ' ')`);
    const odd = {
      type: 'Odd type',
      label: '',
      order: -1,
      placeholder: '',
      description: null,
      defaultValue: '',
    };
    const ofContainer = [['1', 'not_in', '\u0001\n', 'show', -2_147_483_648]] as const;
    const { form, steps } = await buildForm(dataSource, {
      form: { name: ' ', slug: newSlug(), description: '\u0001\n"\\é😀' },
      steps: [
        {
          'First Name': {
            ...odd,
            options: ['', ' ', '0', 'é'],
            // The database accepts this pattern, although it is no valid regular expression (J5).
            rules: { pattern: '(?=', max: '-.5E+9' },
            conditions: ['First Name', 'proto', 'First Name'].map((code) => [code, 'in', ' , ', 'hide']),
          },
          '1': odd,
        },
        {
          proto: { ...odd, rules: { max_date: 'today-99999d' } },
          ...{ "it's": odd, ÄÖ: odd, ['x'.repeat(255)]: odd },
        },
      ],
      stepConditions: { 2: [...ofContainer, ...ofContainer] },
      entities: [{ name: '"', label: '', of: ['First Name', "it's"], conditions: ofContainer }],
    });
    const meta = JSON.stringify({ toJSON: 1, constructor: {}, '': [1e-7, '12345678901234567890', null] });
    const [first, last] = steps.map(({ id }) => id);
    for (const [sql, ...values] of [
      [`update fields set code = '__proto__' where code = 'proto' and step_id = $1`, last],
      [
        `update steps set title = '', step_number = 2147483647, is_visible = false, meta = $2 where id = $1`,
        ...[last, meta],
      ],
      [
        `update steps set meta = '{"big": 1e400, "long": 12345678901234567890.5, "__proto__": {"a": 1}}' where id = $1`,
        first,
      ],
    ] as const)
      await dataSource.query(sql, values);
    const before = await rowsOf(form.slug);

    expect(await importText(JSON.stringify(await exported(form.slug)))).toMatchObject([
      { change: 'unchanged' },
    ]);
    expect(await rowsOf(form.slug)).toEqual(before);
  });

  it('that several imports create at once is created by one of them and changed by the others', async () => {
    const slug = newSlug();
    const imported = await Promise.all(
      [1, 2, 3, 4].map((number) => importDefinition({ ...definition(), slug, name: `Form ${number}` })),
    );
    expect(imported.map(([form]) => form!.version).sort()).toEqual([1, 2, 3, 4]);
    expect(imported.filter(([form]) => form!.change === 'created')).toHaveLength(1);
  });

  it('can be imported with others concurrently, in any order', async () => {
    const forms = [definition(), definition(), definition()];
    await importDefinition(...forms);
    await Promise.all(
      [1, 2, 3, 4].map((number) => {
        const changed = forms.map((form) => ({ ...form, name: `Form ${number}` }));
        return importDefinition(...(number % 2 ? changed : changed.reverse()));
      }),
    );
    for (const { slug } of forms) expect((await rowsOf(slug)).form.version).toBe(5);
  });
});

describe('seeding', () => {
  const fresh = useDatabase();
  const userOf = async (plainToken: string) => {
    const [user] = await fresh.dataSource.query<object[]>(
      `select email, name from api_tokens join users on users.id = user_id where token_hash = $1`,
      [Buffer.from(hashToken(plainToken), 'hex')],
    );
    return user;
  };

  it('finds the field types of FIRST_FIELD_TYPES in a migrated database', async () => {
    const types = await fresh.dataSource.manager.find(FieldType, { order: { id: 'ASC' } });
    expect(types.map(({ name, component }) => [name, component])).toEqual([...FIRST_FIELD_TYPES]);
  });

  it('happens once, even if two servers start at once, and returns a development token (A6)', async () => {
    const start = async () => {
      await fillNew(fresh.dataSource, ROOT);
      return firstToken(fresh.dataSource);
    };
    const tokens = await Promise.all([start(), start()]);
    const [first, second] = tokens.toSorted();
    expect(second).toBeUndefined();
    expect(await userOf(first!)).toEqual({ email: 'dev@formtrail.local', name: 'development' });
    expect(await fresh.dataSource.manager.countBy(Form, { version: 1 })).toBe(EXAMPLES.length);
    expect(await start()).toBeUndefined();

    // By command, it restores the example forms, and returns another token.
    await fresh.dataSource.query(`update forms set name = 'Edited' where slug = 'job-application'`);
    const { forms, plainToken } = await seed(fresh.dataSource, ROOT);
    expect(plainToken).not.toBe(first);
    expect(await userOf(plainToken)).toEqual(await userOf(first!));
    expect(forms.filter(({ change }) => change === 'changed')).toMatchObject([
      { slug: 'job-application', version: 3 },
    ]);
  });

  it('leaves existing forms unchanged', async () => {
    const other = await testDatabase();
    const { dataSource } = other;
    const own = definition({ slug: 'job-application', name: 'Our own' });
    await importForms(dataSource, [{ name: 'own.json', text: JSON.stringify(own) }]);
    await fillNew(dataSource, ROOT);
    expect(await firstToken(dataSource)).toMatch(/^ftk_/);
    expect(await dataSource.manager.find(Form)).toMatchObject([{ name: 'Our own', version: 1 }]);
    await other.close();
  });
});
