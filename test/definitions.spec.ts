import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { hashToken } from '../src/auth/issue-token.js';
import {
  Condition,
  EntityDefinition,
  Field,
  FieldRule,
  FieldType,
  Form,
  Option,
  Step,
} from '../src/entities.js';
import { FORM_DEFINITION } from '../src/forms/definitions/definition-schema.js';
import { exportForm } from '../src/forms/definitions/export-form.js';
import { importForms } from '../src/forms/definitions/import-forms.js';
import { seed, seedOnce } from '../src/forms/definitions/seed.js';
import { isTimeZone } from '../src/forms/field-rules/today.js';
import { FIRST_FIELD_TYPES } from '../src/forms/field-types.js';
import { eventually } from './support/eventually.js';
import { isOneServer, itOnOneServer } from './support/it-on-one-server.js';
import { asAnotherProgram } from './support/test-server.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';

const ROOT = path.resolve(__dirname, '..');
const EXAMPLES = readdirSync(path.join(ROOT, 'examples/forms')).sort();
const example = (name: string) => readFileSync(path.join(ROOT, 'examples/forms', name), 'utf8');

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const importText = async (...texts: string[]) => {
  const files = texts.map((text, index) => ({ name: `${index + 1}.json`, text }));
  return (await importForms(database.dataSource, files)).forms;
};
const importDefinition = async (...definitions: object[]) =>
  importText(...definitions.map((definition) => JSON.stringify(definition)));
const exported = async (slug: string): Promise<any> => (await exportForm(database.dataSource, slug))!;

/** Returns a line for each mistake that the failed import reports. */
async function mistakesOf(attempt: Promise<unknown>): Promise<string[]> {
  const error = await attempt.then(
    () => ({ mistakes: [] }),
    (error: unknown) => error,
  );
  return (error as { mistakes: { file: string; path: string; message: string }[] }).mistakes.map(
    ({ file, path, message }) => `${file}: ${path}: ${message}`,
  );
}

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

/** Returns a form definition with two steps, an entity, options and conditions. */
function definition(changes: object = {}): any {
  const text = { name: 'text' };
  return {
    name: 'Form',
    slug: newSlug(),
    entities: [{ name: 'trip', label: 'Trip', is_repeatable: true }],
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

/** The same with conditions of the second step and of the entity. */
function definitionWithContainers(): any {
  const form = definition();
  form.entities[0].conditions = [
    { depends_on_field_code: 'kind', operator: 'equals', value: 'a', action: 'hide' },
  ];
  form.steps[1].conditions = [
    { depends_on_field_code: 'kind', operator: 'not_empty', action: 'show', group: 1 },
    { depends_on_field_code: 'name', operator: 'contains', value: 'x', action: 'show', group: 1 },
  ];
  return form;
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
      const here = '../../form-definition.schema.json';
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

  type Change = [string, (form: any) => void];
  it.each<Change>([
    ['another name', (form) => (form.name = 'Another')],
    ['another description', (form) => (form.description = 'Another')],
    ['another is_active', (form) => (form.is_active = false)],
    ['another title of a step', (form) => (form.steps[0].title = 'Another')],
    ['another meta of a step', (form) => (form.steps[0].meta.nested.b = [1])],
    ['a step whose meta is null', (form) => (form.steps[0].meta = null)],
    ['another label of a field', (form) => (form.steps[0].fields[0].label = 'Another')],
    [
      'a field with every column changed',
      (form) =>
        Object.assign(form.steps[0].fields[0], {
          label: 'L',
          placeholder: 'P',
          description: 'D',
          is_required: true,
          is_repeatable: true,
          default_value: 'V',
          order: -7,
          field_type: { name: 'number', component: 'number-input' },
          entity: 'trip',
        }),
    ],
    ['a field in another step', (form) => form.steps[1].fields.push(form.steps[0].fields.pop())],
    [
      'all fields in other steps',
      (form) => {
        [form.steps[0].fields, form.steps[1].fields] = [form.steps[1].fields, form.steps[0].fields];
      },
    ],
    ['another number of a step', (form) => (form.steps[0].step_number = 9)],
    ['another label of an option', (form) => (form.steps[0].fields[1].options[0].label = 'Another')],
    [
      'another order of options',
      (form) => form.steps[0].fields[1].options.forEach((option: any) => (option.order *= -1)),
    ],
    ['another value of an option', (form) => (form.steps[0].fields[1].options[0].value = 'z')],
    ['another order of conditions', (form) => form.steps[1].fields[1].conditions.reverse()],
    [
      'a duplicate condition',
      (form) => {
        form.steps[1].fields[1].conditions[1] = form.steps[1].fields[1].conditions[0];
      },
    ],
    ['no conditions', (form) => (form.steps[1].fields[1].conditions = [])],
    ['another value of a condition of a step', (form) => (form.steps[1].conditions[1].value = 'y')],
    ['another order of conditions of a step', (form) => form.steps[1].conditions.reverse()],
    ['a condition of a step without its group', (form) => delete form.steps[1].conditions[0].group],
    ['no conditions of a step', (form) => (form.steps[1].conditions = [])],
    [
      'one more condition of an entity',
      (form) => form.entities[0].conditions.push({ ...form.entities[0].conditions[0], value: 'b' }),
    ],
    [
      'another action of a condition of an entity',
      (form) => (form.entities[0].conditions[0].action = 'show'),
    ],
    ['no conditions of an entity', (form) => (form.entities[0].conditions = [])],
    [
      'the conditions of a step at the other step',
      (form) => {
        [form.steps[0].conditions, form.steps[1].conditions] = [
          form.steps[1].conditions,
          form.steps[0].conditions,
        ];
      },
    ],
    [
      'the conditions of a step at an entity, and those of a field at a step',
      (form) => {
        form.entities[0].conditions = form.steps[1].conditions;
        form.steps[1].conditions = form.steps[1].fields[1].conditions.splice(0, 1);
      },
    ],
    ['another number of a step with conditions', (form) => (form.steps[1].step_number = 7)],
    [
      'a step with conditions that a field replaces which it tests',
      (form) => {
        form.steps[0].fields[0].code = 'name_2';
        form.steps[1].conditions[1].depends_on_field_code = 'name_2';
      },
    ],
    [
      'an entity with conditions in place of another',
      (form) => {
        form.entities[0].name = 'journey';
        form.steps[1].fields[0].entity = 'journey';
      },
    ],
    ['another completion policy', (form) => (form.completion = 'strict')],
    ...(isOneServer ? [['access for everybody', (form) => (form.access = 'public')] as Change] : []),
    ['a proof of work', (form) => (form.proof_of_work = 1000)],
    ['another time zone', (form) => (form.time_zone = 'Europe/Berlin')],
    ['another value of a rule', (form) => (form.steps[0].fields[0].rules[0].value = '10')],
    ['another message of a rule', (form) => (form.steps[0].fields[0].rules[0].message = 'Too long.')],
    ['another kind of rule', (form) => (form.steps[0].fields[0].rules[0].kind = 'min_length')],
    [
      'one more rule',
      (form) => form.steps[0].fields[0].rules.push({ kind: 'pattern', value: '[a-z]+', message: null }),
    ],
    ['no rules', (form) => (form.steps[0].fields[0].rules = [])],
    ['one more field', (form) => form.steps[0].fields.push({ ...form.steps[0].fields[1], code: 'kind_2' })],
    ['one more step', (form) => form.steps.push({ ...form.steps[0], step_number: 3, fields: [] })],
    [
      'one field less and no entity',
      (form) => {
        form.entities = [];
        form.steps[1].fields.shift();
        form.steps[1].fields[0].conditions.pop();
      },
    ],
    ['one step less', (form) => form.steps.pop()],
    [
      'only a name and a slug',
      (form) => {
        form.entities = [];
        form.steps = [];
      },
    ],
  ])('gives the form %s, and increases its version by exactly one (F8)', async (_, change) => {
    const { slug } = (await importDefinition(definitionWithContainers()))[0]!;
    const ids = await fieldIds(slug);
    const wanted = await exported(slug);
    change(wanted);

    expect(await importDefinition(wanted)).toMatchObject([{ slug, version: 2, change: 'changed' }]);

    expect(sorted(await exported(slug))).toEqual(sorted(wanted));
    const after = await fieldIds(slug);
    for (const [code, id] of Object.entries(ids)) expect(after[code] ?? id).toBe(id);
    expect(await importDefinition(wanted)).toMatchObject([{ version: 2, change: 'unchanged' }]);
  });
});

it('importing a changed entity increases the version, because entities are published (F8, R4)', async () => {
  const { slug } = (await importDefinition(definition()))[0]!;
  const wanted = await exported(slug);
  wanted.entities[0].label = 'Another';

  expect(await importDefinition(wanted)).toMatchObject([{ slug, version: 2, change: 'changed' }]);
  expect(await exported(slug)).toEqual(wanted);
  expect(await importDefinition(wanted)).toMatchObject([{ version: 2, change: 'unchanged' }]);
});

describe('importing conditions of steps and entities (C10)', () => {
  const conditionsOf = async (slug: string): Promise<any[]> => (await rowsOf(slug)).conditions ?? [];
  const isOf = (owner: 'field_id' | 'step_id' | 'entity_id') => (condition: any) => condition[owner] !== null;

  it('stores each with exactly one owner, and with the form', async () => {
    const { slug } = (await importDefinition(definitionWithContainers()))[0]!;
    const { form, steps, entities, conditions } = await rowsOf(slug);
    const step = steps.find(({ step_number }: any) => step_number === 2);
    expect(conditions.filter(isOf('step_id'))).toMatchObject([
      {
        form_id: form.id,
        step_id: step.id,
        field_id: null,
        entity_id: null,
        group_number: 1,
        operator: 'not_empty',
      },
      { form_id: form.id, step_id: step.id, field_id: null, entity_id: null, group_number: 1, value: 'x' },
    ]);
    expect(conditions.filter(isOf('entity_id'))).toMatchObject([
      { form_id: form.id, entity_id: entities[0].id, field_id: null, step_id: null, action: 'hide' },
    ]);
    expect(conditions.filter(isOf('field_id'))).toHaveLength(2);
  });

  it('keeps the conditions of other owners, with their ids', async () => {
    const { slug } = (await importDefinition(definitionWithContainers()))[0]!;
    const before = await conditionsOf(slug);
    const wanted = await exported(slug);
    wanted.steps[1].conditions[0].operator = 'empty';

    await importDefinition(wanted);

    const after = await conditionsOf(slug);
    const others = (all: any[]) => all.filter((condition) => !isOf('step_id')(condition));
    expect(others(after)).toEqual(others(before));
    expect(after.filter(isOf('step_id'))).toMatchObject([{ operator: 'empty' }, { operator: 'contains' }]);
  });

  it('deletes those of a removed step and of a removed entity', async () => {
    const { slug } = (await importDefinition(definitionWithContainers()))[0]!;
    const wanted = await exported(slug);
    wanted.entities = [];
    wanted.steps.pop();
    wanted.steps.push({ step_number: 3, title: 'Three', fields: [], conditions: [] });

    expect(await importDefinition(wanted)).toMatchObject([{ change: 'changed', version: 2 }]);

    expect(await conditionsOf(slug)).toEqual([]);
    expect(await importDefinition(wanted)).toMatchObject([{ change: 'unchanged', version: 2 }]);
  });

  it('keeps those of a step and an entity of a removed field', async () => {
    const { slug } = (await importDefinition(definitionWithContainers()))[0]!;
    const before = (await conditionsOf(slug)).filter((condition) => !isOf('field_id')(condition));
    const wanted = await exported(slug);
    wanted.steps[1].fields.shift();
    wanted.steps[1].fields[0].conditions.pop();

    await importDefinition(wanted);

    expect(await exported(slug)).toEqual(wanted);
    const after = (await conditionsOf(slug)).filter((condition) => !isOf('field_id')(condition));
    expect(after).toEqual(before);
  });

  it('rejects the removal of a field that they test, unless the definition removes them too', async () => {
    const { slug } = (await importDefinition(definitionWithContainers()))[0]!;
    const wanted = await exported(slug);
    wanted.steps[0].fields.shift();
    expect(await mistakesOf(importDefinition(wanted))).toEqual([
      '1.json: steps[1].conditions[1].depends_on_field_code: must be the code of a field of this form, but is "name"',
    ]);
    wanted.steps[1].conditions.pop();
    expect(await importDefinition(wanted)).toMatchObject([{ change: 'changed', version: 2 }]);
    expect(await exported(slug)).toEqual(wanted);
  });

  it('rejects "require" and conditions with another owner, and changes nothing', async () => {
    const { slug } = (await importDefinition(definitionWithContainers()))[0]!;
    const before = await rowsOf(slug);
    const wanted = await exported(slug);
    wanted.steps[1].conditions[0].action = 'require';
    wanted.entities[0].conditions[0].action = 'require';
    wanted.entities[0].conditions[0].step_number = 1;
    expect(await mistakesOf(importDefinition(wanted))).toEqual(
      expect.arrayContaining([
        '1.json: steps[1].conditions[0].action: must be one of show, hide, but is "require"',
        '1.json: entities[0].conditions[0].action: must be one of show, hide, but is "require"',
        expect.stringMatching(/^1[.]json: entities\[0\][.]conditions\[0\][.]step_number: /),
      ]),
    );
    expect(await rowsOf(slug)).toEqual(before);
  });
});

describe('importing a form that is in use', () => {
  it('rejects the removal of a field with stored values, and changes nothing', async () => {
    const { slug } = (await importDefinition(definition()))[0]!;
    await storeValue(slug, 'why');
    await storeValue(slug, 'name');
    const before = await rowsOf(slug);
    const wanted = { ...(await exported(slug)), name: 'Another' };
    wanted.steps = [{ ...wanted.steps[0], fields: [] }];

    expect(await mistakesOf(importDefinition(wanted))).toEqual([
      '1.json: fields.name: is not in the file, but the field cannot be deleted, because it holds stored values: keep it with "retired": true',
      '1.json: fields.why: is not in the file, but the field cannot be deleted, because it holds stored values: keep it with "retired": true',
    ]);
    expect(await rowsOf(slug)).toEqual(before);
  });

  it('rejects a change of is_repeatable if the field has stored values, because it is part of their key (V5)', async () => {
    const { slug } = (await importDefinition(definition()))[0]!;
    await storeValue(slug, 'kind');
    await storeValue(slug, 'place');
    const wanted = await exported(slug);
    for (const { fields } of wanted.steps)
      for (const field of fields) field.is_repeatable = !field.is_repeatable;

    expect(await mistakesOf(importDefinition(wanted))).toEqual([
      '1.json: steps[0].fields[1].is_repeatable: must stay false, because the field "kind" holds stored values',
      '1.json: steps[1].fields[0].is_repeatable: must stay true, because the field "place" holds stored values',
    ]);
  });

  it('moves a field with stored values to another step, and keeps its id', async () => {
    const { slug } = (await importDefinition(definition()))[0]!;
    await storeValue(slug, 'name');
    const ids = await fieldIds(slug);
    const wanted = await exported(slug);
    wanted.steps[1].fields.push(...wanted.steps.shift().fields);

    expect(await importDefinition(wanted)).toMatchObject([{ version: 2 }]);
    expect(await fieldIds(slug)).toEqual(ids);
  });

  it('rejects the removal of an entity with records', async () => {
    const { slug } = (await importDefinition(definition()))[0]!;
    await storeValue(slug, 'name');
    await database.dataSource.query(
      `insert into entity_records (submission_uuid, form_id, entity_id)
       select submissions.uuid, forms.id, entities.id
         from forms join submissions on submissions.form_id = forms.id join entities on entities.form_id = forms.id
        where slug = $1`,
      [slug],
    );
    const wanted = await exported(slug);
    wanted.entities = [];
    delete wanted.steps[1].fields[0].entity;

    expect(await mistakesOf(importDefinition(wanted))).toEqual([
      '1.json: entities.trip: is not in the file, but the entity cannot be deleted, because submissions have records of it',
    ]);
  });

  itOnOneServer(
    'rejects the removal of a field if another transaction is storing a value for it',
    async () => {
      const { slug } = (await importDefinition(definition()))[0]!;
      const wanted = { ...(await exported(slug)), steps: [] };

      await asAnotherProgram(database.connection, async (client) => {
        await client.query('begin');
        await storeValue(slug, 'name', (text, values) => client.query(text, values));
        const attempt = mistakesOf(importDefinition(wanted));
        await importWaits();
        await client.query('commit');
        expect(await attempt).toEqual([
          expect.stringContaining('fields.name: is not in the file, but the field cannot be deleted'),
        ]);
      });
    },
  );

  itOnOneServer(
    'gives up its locks and retries if another program needs them, so that there is no deadlock',
    async () => {
      const { slug } = (await importDefinition(definition()))[0]!;
      const wanted = { ...(await exported(slug)), steps: [] };

      await asAnotherProgram(database.connection, async (client) => {
        await client.query('begin');
        await storeValue(slug, 'name', (text, values) => client.query(text, values));
        const attempt = mistakesOf(importDefinition(wanted));
        const first = await importWaits();
        await eventually('the import begins anew', async () => (await importWaits()) !== first);
        await client.query(`update forms set name = 'Theirs' where slug = $1`, [slug]);
        await client.query('commit');
        expect(await attempt).toEqual([expect.stringContaining('fields.name: is not in the file')]);
      });
      expect(await exported(slug)).toMatchObject({ name: 'Theirs' });
    },
  );

  it('waits for another program that is changing the form, and then sees its changes', async () => {
    const { slug } = (await importDefinition(definition()))[0]!;
    const wanted = await exported(slug);

    await asAnotherProgram(database.connection, async (client) => {
      await client.query('begin');
      await client.query(
        `insert into steps (form_id, step_number, title) select id, 7, 'Seven' from forms where slug = $1`,
        [slug],
      );
      const attempt = importDefinition(wanted);
      await importWaits();
      await client.query('commit');
      expect(await attempt).toMatchObject([{ version: 3, change: 'changed' }]);
    });
    expect(await exported(slug)).toEqual(wanted);
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

describe('importing retired fields (N6)', () => {
  const retiredAt = async (slug: string) =>
    Object.fromEntries(
      (await rowsOf(slug)).fields.map(({ code, retired_at }: any) => [code, retired_at]),
    ) as Record<string, string | null>;

  it('retires a field with stored values, exports it as retired, and lets it come back with its values', async () => {
    const form = definition();
    const { slug } = (await importDefinition(form))[0]!;
    await storeValue(slug, 'name');
    const ids = await fieldIds(slug);
    const before = await exported(slug);

    const wanted = await exported(slug);
    wanted.steps[0].fields[0].retired = true;
    expect(await importDefinition(wanted)).toMatchObject([{ version: 2, change: 'changed' }]);
    const { name: since, ...others } = await retiredAt(slug);
    expect(since).toEqual(expect.any(String));
    expect(new Set(Object.values(others))).toEqual(new Set([null]));
    expect(await exported(slug)).toEqual(wanted);
    expect(await importDefinition(await exported(slug))).toMatchObject([{ version: 2, change: 'unchanged' }]);

    wanted.steps[0].fields[0].label = 'Former name';
    expect(await importDefinition(wanted)).toMatchObject([{ change: 'changed' }]);
    expect((await retiredAt(slug))['name']).toBe(since);

    expect(await importDefinition(before)).toMatchObject([{ change: 'changed' }]);
    expect((await retiredAt(slug))['name']).toBeNull();
    expect(await exported(slug)).toEqual(before);
    expect(await fieldIds(slug)).toEqual(ids);
    const [{ count }] = await database.dataSource.query(
      'select count(*)::integer from submission_values where field_id = $1',
      [ids['name']],
    );
    expect(count).toBe(1);
  });

  it('creates a retired field, and warns of conditions that test it', async () => {
    const form = definition();
    form.steps[0].fields[0].retired = true;
    form.steps[0].fields[1].conditions = [
      { depends_on_field_code: 'name', operator: 'equals', value: 'x', action: 'show' },
    ];
    const files = [{ name: 'form.json', text: JSON.stringify(form) }];
    const { warnings } = await importForms(database.dataSource, files);
    expect(warnings.map(({ path, message }) => `${path}: ${message}`)).toContain(
      'steps[0].fields[1].conditions[0].depends_on_field_code: is never met, because "name" is retired; test another field, or remove the condition',
    );
    expect((await exported(form.slug)).steps[0].fields[0]).toMatchObject({ code: 'name', retired: true });
  });

  it('rejects another type of retired', async () => {
    const form = definition();
    form.steps[0].fields[0].retired = 'yes';
    expect(await mistakesOf(importDefinition(form))).toEqual([
      '1.json: steps[0].fields[0].retired: must be true or false, but is "yes"',
    ]);
  });
});

describe('files with mistakes', () => {
  it('are all listed, and no file changes anything', async () => {
    const { slug } = (await importDefinition(definition()))[0]!;
    const before = await rowsOf(slug);
    const good = definition({ name: 'Good' });
    const bad = { ...definition(), name: '', is_actve: true };
    bad.steps[1].fields[1].conditions[0].operator = 'equal';
    const attempt = importText(
      JSON.stringify({ ...(await exported(slug)), name: 'Another' }),
      JSON.stringify(good),
      '{"name": "X",\n "slug" "x"}',
      JSON.stringify(bad),
    );

    expect(await mistakesOf(attempt)).toEqual([
      '3.json: : ":" is expected here, but there is "x"',
      '4.json: name: must be a text of 1 to 255 characters, but has 0',
      '4.json: steps[1].fields[1].conditions[0].operator: must be one of equals, not_equals, contains, ' +
        'greater_than, less_than, in, not_in, empty, not_empty, but is "equal"',
      '4.json: is_actve: is not a known key; the keys here are $schema, uuid, name, slug, description, is_active, completion, access, proof_of_work, time_zone, entities, steps',
    ]);
    expect(await rowsOf(slug)).toEqual(before);
    expect(await exported(good.slug)).toBeUndefined();
  });

  it('are rejected if two of them have the same slug or uuid', async () => {
    const uuid = 'b1e7f6f0-0000-4000-8000-000000000001';
    const one = definition({ uuid });
    expect(
      await mistakesOf(importDefinition(one, { ...definition(), slug: one.slug }, definition({ uuid }))),
    ).toEqual([
      '2.json: slug: is the same as in 1.json, but a form must be in only one file',
      '3.json: uuid: is the same as in 1.json, but a form must be in only one file',
    ]);
  });

  it('are rejected if the uuid is not that of the form, or is that of another form', async () => {
    const [one, two] = [definition(), definition()];
    const [{ uuid: first }, { uuid: second }] = (await importDefinition(one, two)) as [any, any];
    const unused = 'b1e7f6f0-0000-4000-8000-000000000002';

    expect(await mistakesOf(importDefinition({ ...one, uuid: unused }))).toEqual([
      `1.json: uuid: must be ${first}, the UUID of the form "${one.slug}", or be omitted, but is "${unused}"`,
    ]);
    expect(await mistakesOf(importDefinition(definition({ uuid: second })))).toEqual([
      `1.json: uuid: is the UUID of another form, "${two.slug}"`,
    ]);
    expect(await importDefinition(definition({ uuid: unused.toUpperCase() }))).toMatchObject([
      { uuid: unused },
    ]);
  });

  it('are rejected if an entity would have the name of a field, unless the form already has both (R3)', async () => {
    const wanted: any = definition();
    const { slug } = (await importDefinition(wanted))[0]!;
    const { code } = wanted.steps[0].fields[0];
    wanted.entities.push({ name: code, label: 'Both', is_repeatable: false });
    const refused = [
      `1.json: entities[1].name: must differ from all field codes, but steps[0].fields[0].code is "${code}" too`,
    ];
    expect(await mistakesOf(importDefinition(wanted))).toEqual(refused);

    await asAnotherProgram(database.connection, async (program) => {
      await program.query('set session_replication_role = replica');
      await program.query(
        `insert into entities (form_id, name, label) select id, $2, 'Both' from forms where slug = $1`,
        [slug, code],
      );
    });
    expect(await importDefinition(await exported(slug))).toMatchObject([{ change: 'unchanged' }]);
    expect(await importDefinition({ ...wanted, name: 'Another' })).toMatchObject([{ change: 'changed' }]);
  });

  it('are accepted if a field takes the name of a removed entity, or an entity the code of a removed field', async () => {
    const wanted: any = definition();
    const { slug } = (await importDefinition(wanted))[0]!;
    wanted.entities[0].name = 'kind';
    wanted.steps[1].fields[0].entity = 'kind';
    wanted.steps[0].fields[1].code = 'trip';
    wanted.steps[1].fields[1].conditions[0].depends_on_field_code = 'trip';
    expect(await importDefinition(wanted)).toMatchObject([{ change: 'changed' }]);
    const { entities, steps } = await exported(slug);
    expect([entities[0].name, steps[0].fields[1].code]).toEqual(['kind', 'trip']);
  });

  it('are rejected if Node.js knows the time zone but the database does not', async () => {
    // ICU knows the name IST, but the IANA database does not. Other versions of Node.js may not know the name.
    const known = isTimeZone('IST') ? 'a time zone that the database server knows' : 'a name of the IANA.*';
    expect(await mistakesOf(importDefinition(definition({ time_zone: 'IST' })))).toEqual([
      expect.stringMatching(`^1\\.json: time_zone: must be ${known}, but is "IST"$`),
    ]);
  });

  it('are rejected if a field type has another component in the database', async () => {
    const wanted = definition();
    wanted.steps[0].fields[0].field_type = { name: 'text', component: 'textarea-input' };
    expect(await mistakesOf(importDefinition(wanted))).toEqual([
      '1.json: steps[0].fields[0].field_type.component: must be "text-input" for the field type "text", but is "textarea-input"',
    ]);
  });

  it('are rejected if the value of an option exceeds 2600 bytes, the most that fits into its index', async () => {
    // The text is random, because PostgreSQL would compress a repetitive text in the index.
    const value = randomBytes(9_000).toString('base64').slice(0, 2_601);
    const wanted = definition();
    wanted.steps[0].fields[1].options[0].value = value;
    expect(await mistakesOf(importDefinition(wanted))).toEqual([
      '1.json: steps[0].fields[1].options[0].value: must have at most 2600 bytes in UTF-8, but has 2601',
    ]);
    expect(await exported(wanted.slug)).toBeUndefined();

    wanted.steps[0].fields[1].options[0].value = value.slice(1);
    expect(await importDefinition(wanted)).toMatchObject([{ change: 'created' }]);
  });

  it('are accepted with a longer value of an option that the form already has', async () => {
    const { slug } = (await importDefinition(definition()))[0]!;
    await database.dataSource.query(
      `update options set value = repeat('long', 1000) from fields join forms on forms.id = form_id
        where fields.id = field_id and slug = $1 and value = 'a'`,
      [slug],
    );
    expect(await importDefinition(await exported(slug))).toMatchObject([{ change: 'unchanged' }]);
  });
});

describe('a form', () => {
  it('may define a field type of its own', async () => {
    const wanted = definition();
    wanted.steps[0].fields[0].field_type = { name: 'signature', component: 'signature-pad' };
    await importDefinition(wanted);
    expect((await exported(wanted.slug)).steps[0].fields[0].field_type).toEqual({
      name: 'signature',
      component: 'signature-pad',
    });
  });

  it('with unusual values in every column is exported and imported again without a change', async () => {
    const { manager } = database.dataSource;
    const form = await manager.save(
      manager.create(Form, { name: ' ', slug: newSlug(), description: '\u0001\n"\\é😀' }),
    );
    const meta = { toJSON: 1, constructor: {}, '': [1e-7, 12345678901234567890n.toString(), null] };
    const [last, first] = await manager.save([
      manager.create(Step, { formId: form.id, stepNumber: 2_147_483_647, title: '', isVisible: false, meta }),
      manager.create(Step, { formId: form.id, stepNumber: 5, title: '-' }),
    ]);
    await manager.query(
      `update steps set meta = '{"big": 1e400, "long": 12345678901234567890.5, "__proto__": {"a": 1}}'
      where id = $1`,
      [first!.id],
    );
    const entity = await manager.save(
      manager.create(EntityDefinition, { formId: form.id, name: '"', label: '' }),
    );
    const type = await manager.save(manager.create(FieldType, { name: 'Odd type', component: ' ' }));
    const codes = ['First Name', '__proto__', "it's", 'ÄÖ', '1', 'x'.repeat(255)];
    const fields = await manager.save(
      codes.map((code, index) =>
        manager.create(Field, {
          formId: form.id,
          stepId: (index % 2 ? last : first)!.id,
          fieldTypeId: type.id,
          code,
          label: '',
          order: -1,
          entityId: index < 3 ? entity.id : null,
          placeholder: '',
          description: null,
          defaultValue: '',
        }),
      ),
    );
    await manager.save(
      ['', ' ', '0', 'é'].map((value) =>
        manager.create(Option, { fieldId: fields[0]!.id, label: '', value, order: 0 }),
      ),
    );
    for (const [field, dependsOn] of [
      [0, 0],
      [0, 1],
      [0, 0],
      [1, 0],
    ] as const) {
      await manager.save(
        manager.create(Condition, {
          formId: form.id,
          fieldId: fields[field]!.id,
          dependsOnFieldId: fields[dependsOn]!.id,
          operator: 'in',
          value: ' , ',
          action: 'hide',
        }),
      );
    }
    await manager.save([
      // The database accepts this pattern, although it is no valid regular expression (J5).
      manager.create(FieldRule, { fieldId: fields[0]!.id, kind: 'pattern', value: '(?=', message: ' ' }),
      manager.create(FieldRule, { fieldId: fields[0]!.id, kind: 'max', value: '-.5E+9' }),
      manager.create(FieldRule, { fieldId: fields[1]!.id, kind: 'max_date', value: 'today-99999d' }),
    ]);
    for (const owner of [{ stepId: last!.id }, { entityId: entity.id }, { stepId: last!.id }])
      await manager.save(
        manager.create(Condition, {
          ...owner,
          dependsOnFieldId: fields[3]!.id,
          operator: 'not_in',
          value: '\u0001\n',
          action: 'show',
          groupNumber: -2_147_483_648,
        }),
      );
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
      [1, 2, 3, 4, 5, 6].map((number) => {
        const changed = forms.map((form) => ({ ...form, name: `Form ${number}` }));
        return importDefinition(...(number % 2 ? changed : changed.reverse()));
      }),
    );
    for (const { slug } of forms) expect((await rowsOf(slug)).form.version).toBe(7);
  });
});

it('importing an invalid pattern is rejected, unless the form already has it (J5)', async () => {
  const withPattern = (value: string) => {
    const wanted = definition();
    wanted.steps[0].fields[0].rules = [{ kind: 'pattern', value }];
    return wanted;
  };
  const message = expect.stringMatching(
    /^1[.]json: steps\[0\][.]fields\[0\][.]rules\[0\][.]value: must be an RE2 regular expression, but "[(]a" is not: /,
  );
  const good = withPattern('a+');
  await importDefinition(good);
  expect(await mistakesOf(importDefinition({ ...withPattern('(a'), slug: good.slug }))).toEqual([message]);

  await database.dataSource.query(
    `update field_rules set value = '(a' from fields join forms on forms.id = form_id
      where fields.id = field_id and slug = $1`,
    [good.slug],
  );
  expect(await importDefinition({ ...withPattern('(a'), slug: good.slug })).toMatchObject([
    { change: 'unchanged' },
  ]);
});

describe('seeding', () => {
  let fresh: TestDatabase;
  beforeEach(async () => {
    fresh = await testDatabase();
  });
  afterEach(() => fresh.drop());
  const userOf = async (plainToken: string) =>
    (
      await fresh.dataSource.query<{ email: string; name: string }[]>(
        `select email, name from api_tokens join users on users.id = user_id where token_hash = $1`,
        [Buffer.from(hashToken(plainToken), 'hex')],
      )
    )[0];

  it('finds the field types of FIRST_FIELD_TYPES in a migrated database', async () => {
    const types = await fresh.dataSource.manager.find(FieldType, { order: { id: 'ASC' } });
    expect(types.map(({ name, component }) => [name, component])).toEqual([...FIRST_FIELD_TYPES]);
  });

  it('happens once, even if two servers start at once, and returns a development token (A6)', async () => {
    const tokens = await Promise.all([seedOnce(fresh.dataSource, ROOT), seedOnce(fresh.dataSource, ROOT)]);
    expect(tokens.filter((token) => token === undefined)).toHaveLength(1);
    expect(await userOf(tokens.find((token) => token !== undefined)!)).toEqual({
      email: 'dev@formtrail.local',
      name: 'development',
    });
    expect(await fresh.dataSource.manager.countBy(Form, { version: 1 })).toBe(EXAMPLES.length);
    expect(await seedOnce(fresh.dataSource, ROOT)).toBeUndefined();
  });

  it('leaves existing forms unchanged', async () => {
    const own = definition({ slug: 'job-application', name: 'Our own' });
    await importForms(fresh.dataSource, [{ name: 'own.json', text: JSON.stringify(own) }]);
    expect(await seedOnce(fresh.dataSource, ROOT)).toMatch(/^ftk_/);
    expect(await fresh.dataSource.manager.find(Form)).toMatchObject([{ name: 'Our own', version: 1 }]);
  });

  it('by command restores the example forms, and returns another token', async () => {
    const first = (await seedOnce(fresh.dataSource, ROOT))!;
    await fresh.dataSource.query(`update forms set name = 'Edited' where slug = 'job-application'`);

    const { forms, plainToken } = await seed(fresh.dataSource, ROOT);

    expect(plainToken).not.toBe(first);
    expect(await userOf(plainToken)).toEqual(await userOf(first));
    expect(forms.filter(({ change }) => change === 'changed')).toMatchObject([
      { slug: 'job-application', version: 3 },
    ]);
  });
});
