import { randomBytes } from 'node:crypto';
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

const newSlug = () => `form-${randomBytes(4).toString('hex')}`;

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
  const { dataSource } = database;
  const uuid = crypto.randomUUID();
  await dataSource.query('insert into users (email) values ($1)', [`${uuid}@example.org`]);
  await dataSource.query(
    `insert into submissions (uuid, form_id, user_id)
     select $1, (select id from forms where slug = $2), (select id from users where email = $3)`,
    [uuid, slug, `${uuid}@example.org`],
  );
  await dataSource.query(
    `insert into submission_values (submission_uuid, field_id, form_id, is_repeatable, value)
     select $1, fields.id, form_id, is_repeatable, 'x' from fields join forms on forms.id = form_id where slug = $2`,
    [uuid, slug],
  );
  await dataSource.query(
    `insert into entity_records (submission_uuid, form_id, entity_id)
     select $1, form_id, entities.id from entities join forms on forms.id = form_id where slug = $2`,
    [uuid, slug],
  );
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
      const slug = newSlug();
      await prepare(rows, slug);
      const sent = await statementsDuring(() => work(rows, slug));
      return sent.length;
    };

    const few = await countOf(1);
    expect(few).toBeGreaterThan(0);
    expect(await countOf(20)).toBe(few);
  });
});
