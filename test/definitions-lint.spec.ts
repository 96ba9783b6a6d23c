import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DefinitionError } from '../src/forms/definitions/definition-error.js';
import { FORM_DEFINITION, resolve, type Schema } from '../src/forms/definitions/definition-schema.js';
import { importForms } from '../src/forms/definitions/import-forms.js';
import { lintFiles } from '../src/forms/definitions/lint-files.js';
import { groupBy } from '../src/forms/group-by.js';
import { openCommandLine, type OpenCommandLine } from './support/command-line.js';
import { wholeDefinition } from './support/whole-definition.js';

/** `forms lint` rejects the same new forms as `forms import`, with the same messages, but without a database. */

let { database, directory, run, close } = {} as OpenCommandLine;
beforeAll(async () => {
  ({ database, directory, run, close } = await openCommandLine());
}, 120_000);
afterAll(() => close());

type Edit = (form: any) => unknown;
type Files = readonly { readonly name: string; readonly text: string }[];

const fileOf = (form: unknown, name = 'form.json') => ({ name, text: JSON.stringify(form) });
const edited = (edit: Edit): Files => {
  const form = wholeDefinition();
  edit(form);
  return [fileOf(form)];
};

const linted = (files: Files) => lintFiles(files).mistakes;
const imported = async (files: Files) => {
  const error = await importForms(database.dataSource, files).catch((one: unknown) => one);
  if (error instanceof DefinitionError) return error.mistakes;
  if (error instanceof Error) throw error;
  return [];
};

it('wholeDefinition() has every key, none with its default, and is accepted', async () => {
  const missing: string[] = [];
  const visit = (schema: Schema, value: any, at: string) => {
    const { properties = {}, items } = resolve(schema);
    for (const [key, property] of Object.entries(properties)) {
      if (resolve(property).readOnly) continue;
      const isDefault = property.default !== undefined && value[key] === property.default;
      if (!Object.hasOwn(value, key) || isDefault) missing.push(`${at}.${key}`);
      else visit(property, value[key], `${at}.${key}`);
    }
    if (items !== undefined) visit(items, value[0], `${at}[0]`);
  };
  visit(FORM_DEFINITION, wholeDefinition(), '');
  expect(missing).toEqual([]);

  const files = [fileOf(wholeDefinition())];
  expect([linted(files), await imported(files)]).toEqual([[], []]);
});

const field: (form: any) => any = (form) => form.steps[0].fields[0];
const rule = (kind: string, value: string): Edit => {
  return (form) => (field(form).rules = [{ kind, value }]);
};
const twoFiles = (edit: (second: any, first: any) => unknown): Files => {
  const [first, second] = [wholeDefinition(), wholeDefinition()];
  edit(second, first);
  return [fileOf(first, 'first.json'), fileOf(second, 'second.json')];
};

/** Bad definitions by the constraint that each violates, or by a description if only code rejects the definition. */
const BAD: Record<string, () => Files> = {
  forms_name_check: () => edited((form) => (form.name = '')),
  forms_slug_check: () => edited((form) => (form.slug = 'a--b')),
  forms_completion_check: () => edited((form) => (form.completion = 'none')),
  forms_access_check: () => edited((form) => (form.access = 'none')),
  forms_proof_of_work_check: () => edited((form) => (form.proof_of_work = 999)),
  forms_slug_key: () => twoFiles((second, first) => (second.slug = first.slug)),
  forms_uuid_key: () => twoFiles((second, first) => (second.uuid = first.uuid.toUpperCase())),
  steps_step_number_check: () => edited((form) => (form.steps[0].step_number = 0)),
  steps_form_id_step_number_key: () => edited((form) => (form.steps[1].step_number = 1)),
  steps_meta_check: () => edited((form) => (form.steps[0].meta = [])),
  entities_name_check: () => edited((form) => (form.entities[1].name = '')),
  entities_form_id_name_key: () => edited((form) => (form.entities[1].name = 'trip')),
  entities_min_records_check: () => edited((form) => (form.entities[0].min_records = -1)),
  entities_max_records_check: () => edited((form) => (form.entities[0].max_records = 0)),
  entities_records_check: () => edited((form) => (form.entities[0].min_records = 4)),
  'entities_records_check, of what is not repeatable': () =>
    edited((form) => (form.entities[1].max_records = 2)),
  field_types_name_check: () => edited((form) => (field(form).field_type.name = '')),
  field_types_component_check: () =>
    edited((form) => (field(form).field_type = { name: 'stars', component: '' })),
  field_types_name_key: () =>
    edited((form) => {
      field(form).field_type = { name: 'stars', component: 'star-input' };
      form.steps[0].fields[1].field_type = { name: 'stars', component: 'moon-input' };
    }),
  fields_code_check: () => edited((form) => (field(form).code = '')),
  fields_form_id_code_key: () =>
    edited((form) => form.steps[1].fields.push({ ...form.steps[0].fields[1], conditions: [] })),
  fields_meta_check: () => edited((form) => (field(form).meta = [])),
  fields_max_bytes_check: () => edited((form) => (field(form).max_bytes = 0)),
  fields_accept_check: () => edited((form) => (field(form).accept = 'PDF')),
  fields_field_type_id_fkey: () => edited((form) => (field(form).field_type = { name: 'unknown' })),
  fields_entity_id_form_id_fkey: () => edited((form) => (field(form).entity = 'nobody')),
  options_field_id_value_key: () => edited((form) => (field(form).options[1].value = 'a')),
  field_rules_field_id_kind_key: () =>
    edited((form) => field(form).rules.push({ kind: 'max_length', value: '10' })),
  field_rules_value_check: () => edited(rule('min', '1,5')),
  'field_rules_value_check, of a length': () => edited(rule('max_length', '65536')),
  'field_rules_value_check, of a day': () => edited(rule('min_date', '2026-02-29')),
  'field_rules_value_check, of a pattern': () => edited(rule('pattern', '')),
  field_rules_message_check: () => edited((form) => (field(form).rules[0].message = '')),
  conditions_depends_on_field_id_form_id_fkey: () =>
    edited((form) => (field(form).conditions[0].depends_on_field_code = 'nobody')),

  'conditions_depends_on_field_id_form_id_fkey, of a step': () =>
    edited((form) => (form.steps[0].conditions[0].depends_on_field_code = 'nobody')),
  'conditions_depends_on_field_id_form_id_fkey, of an entity': () =>
    edited((form) => (form.entities[0].conditions[0].depends_on_field_code = 'nobody')),
  conditions_require_check: () => edited((form) => (form.steps[0].conditions[0].action = 'require')),
  'conditions_require_check, of an entity': () =>
    edited((form) => (form.entities[0].conditions[0].action = 'require')),
  'a condition that names another owner': () =>
    edited((form) => (form.steps[0].conditions[0].field_code = 'kind')),

  'an entity with a name that ends in a dot and a number': () =>
    edited((form) => (form.entities[1].name = 'trip.17')),
  'a code that ends in a dot and a number': () =>
    edited((form) => (form.steps[0].fields[1].code = 'trip.17')),

  'an entity with the name of a field': () => edited((form) => (form.entities[1].name = 'kind')),
  'a time zone that is none': () => edited((form) => (form.time_zone = 'Europe/Berlim')),
  'a pattern that is too large': () => edited(rule('pattern', '[a-z]{1,301}')),
  'a pattern with a lookahead': () => edited(rule('pattern', String.raw`^(?!\s)[a-z ]+$`)),
  'a pattern with a back reference': () => edited(rule('pattern', String.raw`(a)\1`)),
  'a pattern with a property that is none': () => edited(rule('pattern', String.raw`\p{Foo}`)),
  'a code that is not snake_case': () =>
    edited((form) => {
      form.steps[1].fields.push({ ...form.steps[0].fields[1], code: 'firstName' });
    }),
  'the component of another field type': () =>
    edited((form) => (field(form).field_type = { name: 'text', component: 'rich-text' })),
  'an option that does not fit into its index': () =>
    edited((form) => (field(form).options[0].value = 'x'.repeat(2_601))),
  'a lone surrogate': () => edited((form) => (form.steps[0].meta = { text: '\ud800' })),
  'a number out of range': () => [{ name: 'form.json', text: '{"steps": 1e400}' }],
  'a duplicate key': () => [{ name: 'form.json', text: '{"steps": [], "steps": []}' }],
  'nesting without end': () => {
    const text = JSON.stringify(wholeDefinition()).replace(
      '{"icon":"user"}',
      '{"a":'.repeat(1_001) + '1' + '}'.repeat(1_001),
    );
    return [{ name: 'form.json', text }];
  },
  'no JSON': () => [{ name: 'form.json', text: '{"name": }' }],
  'no object': () => [fileOf([])],
};

describe('a bad definition', () => {
  /** Constraints that no definition can violate, because the import itself sets these columns. */
  const OUT_OF_REACH =
    /_(id_form_id|id_form_id_is_repeatable)_key$|^(steps_form_id|entities_form_id|options_field_id|field_rules_field_id|fields_step_id_form_id|conditions_(field|step|entity)_id_form_id)_fkey$|^conditions_owner_check$|^forms_(created|updated)_at_check$|^fields_retired_at_check$/;

  it('is listed above for each constraint of the tables that an import writes to', async () => {
    const found = await database.dataSource.query<{ name: string }[]>(
      `select conname as name from pg_constraint where contype in ('c', 'u', 'f') and conrelid = any ($1::regclass[])`,
      [['forms', 'steps', 'entities', 'field_types', 'fields', 'options', 'field_rules', 'conditions']],
    );
    const names = found.map(({ name }) => name).filter((name) => !OUT_OF_REACH.test(name));
    const known = Object.keys(BAD).filter((name) => /^\w+_(check|key|fkey)$/.test(name));
    expect(known.toSorted()).toEqual(names.toSorted());
  });

  it.each(Object.entries(BAD))('(%s) makes lint and import fail with the same words', async (_, bad) => {
    const files = bad();
    for (const { name, text } of files) await writeFile(path.join(directory, name), text);
    const names = files.map(({ name }) => name);
    const outcomeOf = async (command: string, heading: string) => {
      const { status, stderr } = await run(['forms', command, ...names]);
      expect(stderr).toMatch(new RegExp(`^formtrail: ${heading}(:|, because of \\d+ mistakes:)\n`));
      return { status, mistakes: stderr.replace(heading, '') };
    };

    const outcome = await outcomeOf('lint', 'This cannot be imported');
    expect(outcome.status).toBe(1);
    expect(await outcomeOf('import', 'Nothing was imported')).toEqual(outcome);
  });
});

// Last in the file, because it adds field types.
describe('the JSON Schema', () => {
  const ANY = [null, true, 1.5, 2 ** 31, '', 'A\n', [], {}];

  /** Values of other types, and values at and just beyond each limit of the schema. */
  function* variantsOf(schema: Schema): Iterable<unknown> {
    const { type, enum: choices, minLength, maxLength, minimum, maximum } = resolve(schema);
    yield* ANY;
    if (choices !== undefined) yield* choices;
    if (minLength !== undefined) yield* ['x'.repeat(minLength - 1), '😀'.repeat(minLength)];
    if (maxLength !== undefined) yield* ['x'.repeat(maxLength), '😀'.repeat(maxLength + 1)];
    if (minimum !== undefined) yield* [minimum, minimum - 1];
    if (maximum !== undefined) yield* [maximum, maximum + 1];
    if (type?.includes('string')) yield '\u0000';
  }

  /** Yields a name and an edit of the whole definition for each variant of each property. */
  function* editsOf(schema: Schema, at: readonly (string | number)[]): Iterable<[string, Edit]> {
    const { properties, items } = resolve(schema);
    const within = (edit: (parent: any, key: string | number) => void): Edit => {
      return (form) =>
        edit(
          at.slice(0, -1).reduce((value, key) => value[key], form),
          at.at(-1)!,
        );
    };
    const name = at.join('.');
    if (at.length > 0) {
      for (const variant of variantsOf(schema))
        yield [
          `${name} is ${JSON.stringify(variant).slice(0, 30)}`,
          within((parent, key) => (parent[key] = variant)),
        ];
      yield [`${name} is missing`, within((parent, key) => (parent[key] = undefined))];
    }
    for (const [key, property] of Object.entries(properties ?? {}))
      if (!resolve(property).readOnly) yield* editsOf(property, [...at, key]);
    if (items !== undefined) yield* editsOf(items, [...at, 0]);
    if (properties !== undefined)
      yield [
        `${name} has a key too many`,
        (form) => (at.reduce((value, key) => value[key], form).unknown = 1),
      ];
  }

  const edits = [...editsOf(FORM_DEFINITION, [])];

  /** Earlier cases have added field types to the database, which messages list. */
  const withoutAddedTypes = <T>(mistakes: T): T =>
    JSON.parse(JSON.stringify(mistakes).replace(/(, paragraph), [\w ,-]+/g, '$1')) as T;

  it('gives many cases', () => {
    expect(edits.length).toBeGreaterThan(500);
  });

  it.each([...groupBy(edits, ([name]) => name.replace(/[. ].*/s, ''))])(
    'makes lint and import report the same mistakes in %s',
    async (_, cases) => {
      let rejected = 0;
      for (const [name, edit] of cases) {
        const files = edited(edit);
        const mistakes = linted(files);
        rejected += mistakes.length === 0 ? 0 : 1;
        expect([name, withoutAddedTypes(await imported(files))]).toEqual([name, mistakes]);
      }
      expect(rejected).toBeGreaterThan(0);
    },
    120_000,
  );
});
