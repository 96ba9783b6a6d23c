import { exportForm } from '../src/capabilities/definitions/export-form.js';
import { importForms } from '../src/capabilities/definitions/import-forms.js';
import { isOneServer } from './support/it-on-one-server.js';
import { useDatabase } from './support/test-database.js';
import { wholeDefinition } from './support/whole-definition.js';

/** Definitions with comparisons between fields, exclusive options and formulas (C17, J9, J10, J12, K1). */

const database = useDatabase();

const importDefinition = async (form: object) => {
  const files = [{ name: 'form.json', text: JSON.stringify(form) }];
  return (await importForms(database.dataSource, files)).forms[0]!;
};
const exported = async (slug: string): Promise<any> => exportForm(database.dataSource, slug);
/** The ids of the rules and options of a form. */
const idsOf = (slug: string) =>
  database.dataSource.query<object[]>(
    `select field_rules.id as rule, options.id as option from forms join fields on form_id = forms.id
       left join field_rules on field_rules.field_id = fields.id left join options on options.field_id = fields.id
      where slug = $1 order by 1, 2`,
    [slug],
  );

let slugs = 0;
const price = { is_repeatable: true, entity: 'item' };

function definition(): any {
  slugs += 1;
  const field = (code: string, type: string, more: object = {}) => ({
    ...{ code, label: code, field_type: { name: type } },
    ...more,
  });
  return {
    name: 'Order',
    slug: `compared-${slugs}`,
    locale: 'en',
    entities: [{ name: 'item', label: 'Item', is_repeatable: true }],
    steps: [
      {
        step_number: 1,
        title: 'Order',
        fields: [
          // Refers to fields that come later.
          field('total', 'number', { computed: { op: 'sum', of: ['price', { value: '4.90' }] } }),
          field('end', 'date', {
            rules: [
              { kind: 'min_date', value: 'today' },
              { kind: 'min_date', other_field: 'start', offset_days: 1, message: 'Later.' },
              {
                ...{ kind: 'min_date', other_field: 'ordered', message: 'After the order.' },
                translations: { de: { message: 'Nach der Bestellung.' } },
              },
            ],
            conditions: [
              {
                depends_on_field_code: 'start',
                operator: 'on_or_after',
                value_field: 'ordered',
                action: 'show',
              },
            ],
          }),
          field('start', 'date'),
          field('ordered', 'date'),
          field('price', 'number', { ...price, rules: [{ kind: 'max_sum', value: '100' }] }),
          field('extras', 'checkbox', {
            options: [
              { label: 'Gift wrap', value: 'wrap' },
              { label: 'None', value: 'none', is_exclusive: true },
            ],
          }),
        ],
      },
    ],
  };
}
const fieldIn = (form: any, code: string) => form.steps[0].fields.find((field: any) => field.code === code);

describe('a definition with comparisons between fields and formulas', () => {
  it('is exported as it was imported, and changes nothing when it is imported again', async () => {
    // Citus rejects the keys of public forms and limits.
    for (const form of isOneServer ? [definition(), wholeDefinition()] : [definition()]) {
      await importDefinition(form);
      const first = await exported(form.slug);
      const ids = await idsOf(form.slug);
      for (const same of [first, form])
        expect(await importDefinition(same)).toMatchObject({ change: 'unchanged', version: 1 });
      expect(await idsOf(form.slug)).toEqual(ids);
    }
    const form = definition();
    await importDefinition(form);
    expect((await exported(form.slug)).steps).toMatchObject(form.steps);
  });

  it('keeps the rules and options that stay, with their translations', async () => {
    const form = definition();
    await importDefinition(form);
    const ids = await idsOf(form.slug);
    const [today, start, ordered] = fieldIn(form, 'end').rules;
    fieldIn(form, 'end').rules = [ordered, { ...start, offset_days: 2 }, { ...today, value: 'today+1y' }];
    fieldIn(form, 'extras').options[1].is_exclusive = false;
    expect(await importDefinition(form)).toMatchObject({ change: 'changed', version: 2 });
    expect(await idsOf(form.slug)).toEqual(ids);
    const now = await exported(form.slug);
    expect(fieldIn(now, 'end').rules).toEqual([
      { kind: 'min_date', value: 'today+1y', message: null },
      { ...start, offset_days: 2 },
      ordered,
    ]);
    expect(fieldIn(now, 'extras').options.map(({ is_exclusive }: any) => is_exclusive)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('may replace a field that others are compared with, in the same import', async () => {
    const form = definition();
    await importDefinition(form);
    const text = JSON.stringify(form)
      .replaceAll('"ordered"', '"ordered_on"')
      .replaceAll('"price"', '"amount"');
    expect(await importDefinition(JSON.parse(text))).toMatchObject({ change: 'changed', version: 2 });
    const now = await exported(form.slug);
    expect(fieldIn(now, 'total').computed).toEqual({ op: 'sum', of: ['amount', { value: '4.90' }] });
    expect(fieldIn(now, 'end').rules[2]).toMatchObject({
      other_field: 'ordered_on',
      translations: { de: { message: 'Nach der Bestellung.' } },
    });

    fieldIn(form, 'total').computed = null;
    fieldIn(form, 'end').rules = fieldIn(form, 'end').conditions = [];
    form.steps[0].fields = ['total', 'end'].map((code) => fieldIn(form, code));
    expect(await importDefinition(form)).toMatchObject({ change: 'changed', version: 3 });
    expect(fieldIn(await exported(form.slug), 'total')).not.toHaveProperty('computed');
  });

  it('exports the codes that a renamed field has now', async () => {
    const form = definition();
    await importDefinition(form);
    await database.dataSource.query(
      `update fields set code = code || '_2' from forms where forms.id = form_id and slug = $1`,
      [form.slug],
    );
    const now = await exported(form.slug);
    expect(fieldIn(now, 'total_2').computed.of[0]).toBe('price_2');
    expect(fieldIn(now, 'end_2').conditions[0].value_field).toBe('ordered_2');
    expect(await importDefinition(now)).toMatchObject({ change: 'unchanged', version: 2 });
  });
});
