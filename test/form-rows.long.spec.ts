import { randomUUID } from 'node:crypto';
import { exportForm } from '../src/forms/definitions/export-form.js';
import { importForms } from '../src/forms/definitions/import-forms.js';
import { findExportedForm } from '../src/submissions/export/exported-form.js';
import { statementsDuring } from './support/statements.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const importDefinition = async (definition: object) => {
  const files = [{ name: 'form.json', text: JSON.stringify(definition) }];
  return (await importForms(database.dataSource, files)).forms[0]!;
};

/** Builds a form: `count` entities, two steps of `count` fields. A field has `count` options, a rule, a condition. */
function sized(count: number, slug: string, label = 'A label'): any {
  const numbers = Array.from({ length: count }, (_, number) => number);
  return {
    name: label,
    slug,
    entities: numbers.map((number) => ({ name: `entity_${number}`, label, is_repeatable: true })),
    steps: [1, 2].map((step_number) => ({
      step_number,
      title: label,
      fields: numbers.map((number) => ({
        code: `field_${step_number}_${number}`,
        label,
        field_type: { name: 'select' },
        entity: `entity_${number}`,
        options: numbers.map((option) => ({ label, value: String(option) })),
        rules: [{ kind: 'pattern', value: label }],
        conditions: [
          { depends_on_field_code: 'field_1_0', operator: 'equals', value: label, action: 'show' },
        ],
      })),
    })),
  };
}

/** Creates a submission with a value for each field and a record of each entity. */
async function fillIn(slug: string): Promise<void> {
  const uuid = randomUUID();
  await database.dataSource.query(
    `with someone as (insert into users (email) values ($1 || '@example.org') returning id)
     insert into submissions (uuid, form_id, user_id)
     select $1::uuid, forms.id, someone.id from forms, someone where slug = $2`,
    [uuid, slug],
  );
  for (const sql of [
    `insert into submission_values (submission_uuid, field_id, form_id, is_repeatable, value)
     select uuid, fields.id, form_id, is_repeatable, 'x' from submissions join fields using (form_id) where uuid = $1`,
    `insert into entity_records (submission_uuid, form_id, entity_id)
     select uuid, form_id, entities.id from submissions join entities using (form_id) where uuid = $1`,
  ])
    await database.dataSource.query(sql, [uuid]);
}

describe('the number of statements does not depend on the number of rows when', () => {
  type Work = (count: number, slug: string) => Promise<unknown>;
  const create: Work = (count, slug) => importDefinition(sized(count, slug));

  it.each<[string, Work, Work]>([
    ['a form is created', () => Promise.resolve(), create],
    ['a form is imported without changes', create, create],
    ['every row of a form changes', create, (count, slug) => importDefinition(sized(count, slug, 'Another'))],
    [
      'all rows of a form are deleted',
      create,
      (_, slug) => importDefinition({ name: 'Empty', slug, steps: [] }),
    ],
    [
      'an import is rejected because every field and entity is in use',
      async (count, slug) => {
        await create(count, slug);
        await fillIn(slug);
      },
      async (count, slug) => {
        const error = await importDefinition({ name: 'Empty', slug, steps: [] }).catch((one: unknown) => one);
        expect(error).toMatchObject({ mistakes: { length: count * 3 } });
      },
    ],
    ['a form is exported', create, (_, slug) => exportForm(database.dataSource, slug)],
    [
      'the export of submissions reads a form whose fields are only for display',
      (count, slug) => {
        const form = sized(count, slug);
        for (const { fields } of form.steps)
          for (const field of fields) field.field_type = { name: 'heading' };
        return importDefinition(form);
      },
      (_, slug) => findExportedForm(database.dataSource.manager, slug),
    ],
  ])('%s', async (_, prepare, work) => {
    const countOf = async (rows: number) => {
      const slug = `form-${randomUUID()}`;
      await prepare(rows, slug);
      return (await statementsDuring(() => work(rows, slug))).length;
    };

    const few = await countOf(1);
    expect(few).toBeGreaterThan(0);
    expect(await countOf(20)).toBe(few);
  });
});
