import { DefinitionError } from '../src/capabilities/definitions/definition-error.js';
import { importForms } from '../src/capabilities/definitions/import-forms.js';
import { lintFiles } from '../src/capabilities/definitions/lint-files.js';
import { itOnOneServer, onOneServer } from './support/it-on-one-server.js';
import { useDatabase } from './support/test-database.js';
import { wholeDefinition } from './support/whole-definition.js';

/** `forms lint` rejects the same new forms as `forms import`, with the same messages, but without a database. */

const database = useDatabase();

type Files = readonly { readonly name: string; readonly text: string }[];

const fileOf = (form: unknown, name = 'form.json') => ({ name, text: JSON.stringify(form) });

/** Replaces a value of the form. Returns the form. */
function replace(form: any, path: string, value: unknown): any {
  const keys = path.split('.');
  const parent = keys.slice(0, -1).reduce((one, key) => one[key], form);
  parent[keys.at(-1)!] = value;
  return form;
}
/** The file of a form with another value. */
const set = (path: string, value: unknown): Files => [fileOf(replace(wholeDefinition(), path, value))];
const KIND = 'steps.0.fields.0';
const setRule = (kind: string, value: string) => set(`${KIND}.rules`, [{ kind, value }]);
/** Two files, the second of which has a value of the first. */
function twins(key: 'slug' | 'uuid', change: (value: string) => string): Files {
  const [first, second] = [wholeDefinition(), wholeDefinition()];
  return [fileOf(first, 'first.json'), fileOf(replace(second, key, change(first[key])), 'second.json')];
}
const text = (json: string): Files => [{ name: 'form.json', text: json }];

const stars = (component: string, code: string) => ({
  ...{ code, label: '', field_type: { name: 'stars', component } },
});
const option = { label: '', value: 'a' };
const rule = { kind: 'max_length', value: '9' };
const END = 'steps.0.fields.4';
const between = { kind: 'min_date', other_field: 'start' };
const setFormula = (of: unknown[], op = 'sum') => set('steps.0.fields.5.computed', { op, of });

/** Texts in 201 languages. */
const MANY = Object.fromEntries(
  Array.from({ length: 201 }, (_, index) => [`de-x-${index + 100}`, { name: 'a' }]),
);

/** Bad definitions by the constraint that each violates, or by a description if only code rejects the definition. */
const BAD: Record<string, Files> = {
  forms_name_check: set('name', ''),
  forms_slug_check: set('slug', 'a--b'),
  forms_completion_check: set('completion', 'none'),
  forms_access_check: set('access', 'none'),
  forms_proof_of_work_check: set('proof_of_work', 999),
  forms_opens_at_check: set('opens_at', '2026-02-30T08:00:00Z'),
  forms_closes_at_check: set('closes_at', 'infinity'),
  forms_opening_check: set('closes_at', '2026-12-01T09:00:00+01:00'),
  forms_max_submissions_check: set('max_submissions', 0),
  forms_max_per_user_check: set('max_per_user', 0),
  forms_keep_completed_days_check: set('keep_completed_days', 0),
  forms_keep_drafts_days_check: set('keep_drafts_days', 36_501),
  forms_keep_personal_days_check: set('keep_personal_days', 0),
  options_places_check: set(`${KIND}.options.0.places`, -1),
  forms_locale_check: set('locale', 'en_US'),
  forms_slug_key: twins('slug', (slug) => slug),
  forms_uuid_key: twins('uuid', (uuid) => uuid.toUpperCase()),
  steps_step_number_check: set('steps.0.step_number', 0),
  steps_form_id_step_number_key: set('steps.1.step_number', 1),
  steps_meta_check: set('steps.0.meta', []),
  entities_name_check: set('entities.1.name', ''),
  entities_form_id_name_key: set('entities.1.name', 'trip'),
  entities_min_records_check: set('entities.0.min_records', -1),
  entities_max_records_check: set('entities.0.max_records', 0),
  entities_records_check: set('entities.0.min_records', 4),
  'entities_records_check, of what is not repeatable': set('entities.1.max_records', 2),
  field_types_name_check: set(`${KIND}.field_type.name`, ''),
  field_types_component_check: set(`${KIND}.field_type`, { name: 'stars', component: '' }),
  field_types_name_key: set('steps.1.fields', [stars('star-input', 's'), stars('moon-input', 'm')]),
  fields_code_check: set(`${KIND}.code`, ''),
  fields_form_id_code_key: set('steps.1.fields', [{ ...stars('star-input', 'other') }]),
  fields_meta_check: set(`${KIND}.meta`, []),
  fields_max_bytes_check: set(`${KIND}.max_bytes`, 0),
  fields_accept_check: set(`${KIND}.accept`, 'PDF'),
  fields_field_type_id_fkey: set(`${KIND}.field_type`, { name: 'unknown' }),
  fields_entity_id_form_id_fkey: set(`${KIND}.entity`, 'nobody'),
  options_field_id_value_key: set(`${KIND}.options`, [option, option]),
  field_rules_field_id_kind_key: set(`${KIND}.rules`, [rule, rule]),
  field_rules_field_id_kind_other_field_id_key: set(`${END}.rules`, [between, between]),
  field_rules_other_field_check: set(`${END}.rules.0.value`, 'today'),
  field_rules_offset_days_check: set(`${END}.rules.0.offset_days`, 100_000),
  field_rules_value_check: setRule('min', '1,5'),
  field_rules_message_check: set(`${KIND}.rules.0.message`, ''),
  conditions_depends_on_field_id_form_id_fkey: set(`${KIND}.conditions.0.depends_on_field_code`, 'nobody'),
  conditions_value_field_id_check: set(`${END}.conditions.0.value`, 'x'),
  translations_locale_check: set('translations', { i_de: { name: 'Ganz' } }),
  translations_key_check: set('translations', { de: { title: 'Ganz' } }),
  translations_text_check: set('steps.0.translations', { de: { title: '' } }),
  translations_form_id_locale_owner_key_key: set('translations', { de: { name: 'a' }, DE: { name: 'b' } }),
  conditions_require_check: set('steps.0.conditions.0.action', 'require'),

  'a rule with an other field that is none': set(`${END}.rules.0.other_field`, 'nobody'),
  'a rule of a sum of a text': setRule('min_sum', '1'),
  'a condition that compares with a field that is none': set(`${END}.conditions.0.value_field`, 'nobody'),
  'a formula with an operand that is no field': setFormula(['nobody']),
  'a formula with a wrong number of operands': setFormula(['start'], 'days_between'),
  'a formula that needs its own value': setFormula(['days']),

  'a translation into the language of the form': set('translations', { EN: { name: 'Whole' } }),
  'more than 200 further languages': set('translations', MANY),
  'an entity with a name that ends in a dot and a number': set('entities.1.name', 'trip.17'),
  'a code that ends in a dot and a number': set('steps.0.fields.1.code', 'trip.17'),
  'an entity with the name of a field': set('entities.1.name', 'kind'),
  'a time zone that is none': set('time_zone', 'Europe/Berlim'),
  'a pattern with a back reference': setRule('pattern', String.raw`(a)\1`),
  'an option that does not fit into its index': set(`${KIND}.options.0.value`, 'x'.repeat(2_601)),
  'a lone surrogate': set('steps.0.meta', { text: '\ud800' }),
  'a number out of range': text('{"steps": 1e400}'),
  'a duplicate key': text('{"steps": [], "steps": []}'),
  'nesting without end': text('{"a":'.repeat(1_001) + '1' + '}'.repeat(1_001)),
  'no JSON': text('{"name": }'),
  'no object': text('[]'),
};

onOneServer('a bad definition', () => {
  /** Constraints that no definition can violate, because the import itself sets these columns. */
  const OUT_OF_REACH =
    /_(id_form_id|id_form_id_is_repeatable)_key$|^(steps_form_id|entities_form_id|options_field_id|field_rules_field_id|fields_step_id_form_id|translations_form_id|(conditions|translations)_(field|step|entity)_id_form_id)_fkey$|^(conditions|translations)_owner_check$|^forms_(created|updated)_at_check$|^fields_retired_at_check$/;

  it('is listed above for each constraint of the tables that an import writes to', async () => {
    const found = await database.dataSource.query<{ name: string }[]>(
      `select conname as name from pg_constraint where contype in ('c', 'u', 'f') and conrelid = any ($1::regclass[])
       union select indexrelid::regclass::text from pg_index where indisunique and indrelid = any ($1::regclass[])
          and not exists (select from pg_constraint where conindid = indexrelid)`,
      [
        [
          'forms',
          'steps',
          'entities',
          'field_types',
          'fields',
          'options',
          'field_rules',
          'conditions',
          'translations',
        ],
      ],
    );
    const names = found.map(({ name }) => name).filter((name) => !OUT_OF_REACH.test(name));
    const known = Object.keys(BAD).filter((name) => /^\w+_(check|key|fkey)$/.test(name));
    expect(known.toSorted()).toEqual(names.toSorted());
  });

  it.each(Object.entries(BAD))('(%s) makes lint and import fail with the same words', async (_, files) => {
    const { mistakes } = lintFiles(files);
    expect(mistakes).not.toEqual([]);
    const imported = importForms(database.dataSource, files);
    await expect(imported).rejects.toBeInstanceOf(DefinitionError);
    await expect(imported).rejects.toMatchObject({ mistakes });
  });
});

itOnOneServer('a form with a value for every key is accepted by lint and import', async () => {
  const files = [fileOf(wholeDefinition())];
  expect(lintFiles(files).mistakes).toEqual([]);
  expect((await importForms(database.dataSource, files)).forms).toMatchObject([{ change: 'created' }]);
});
