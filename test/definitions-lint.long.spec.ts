import { DefinitionError } from '../src/forms/definitions/definition-error.js';
import {
  FORM_DEFINITION,
  resolveReference,
  type Schema,
} from '../src/forms/definitions/definition-schema.js';
import { importForms } from '../src/forms/definitions/import-forms.js';
import { lintFiles } from '../src/forms/definitions/lint-files.js';
import { groupBy } from '../src/forms/group-by.js';
import { testDatabase, type TestDatabase } from './support/test-database.js';
import { wholeDefinition } from './support/whole-definition.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

type Edit = (form: any) => unknown;

const imported = async (files: Parameters<typeof importForms>[1]) => {
  const error = await importForms(database.dataSource, files).catch((one: unknown) => one);
  if (error instanceof DefinitionError) return error.mistakes;
  if (error instanceof Error) throw error;
  return [];
};

describe('the JSON Schema', () => {
  const ANY = [null, true, 1.5, 2 ** 31, '', 'A\n', [], {}];

  /** Values of other types, and values at and just beyond each limit of the schema. */
  function* variantsOf(schema: Schema): Iterable<unknown> {
    const { type, enum: choices, minLength, maxLength, minimum, maximum } = resolveReference(schema);
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
    const { properties, items } = resolveReference(schema);
    const name = at.join('.');
    const within = (form: any, keys: typeof at) => keys.reduce((value, key) => value[key], form);
    const set =
      (value: unknown): Edit =>
      (form) =>
        (within(form, at.slice(0, -1))[at.at(-1)!] = value);
    if (at.length > 0) {
      for (const variant of variantsOf(schema))
        yield [`${name} is ${JSON.stringify(variant).slice(0, 30)}`, set(variant)];
      yield [`${name} is missing`, set(undefined)];
    }
    for (const [key, property] of Object.entries(properties ?? {}))
      if (!resolveReference(property).readOnly) yield* editsOf(property, [...at, key]);
    if (items !== undefined) yield* editsOf(items, [...at, 0]);
    if (properties !== undefined)
      yield [`${name} has a key too many`, (form) => (within(form, at).unknown = 1)];
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
        const form = wholeDefinition();
        edit(form);
        const files = [{ name: 'form.json', text: JSON.stringify(form) }];
        const { mistakes } = lintFiles(files);
        rejected += mistakes.length === 0 ? 0 : 1;
        expect([name, withoutAddedTypes(await imported(files))]).toEqual([name, mistakes]);
      }
      expect(rejected).toBeGreaterThan(0);
    },
    120_000,
  );
});
