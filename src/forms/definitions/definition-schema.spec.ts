import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { FORM_DEFINITION, type Schema } from './definition-schema.js';

const ROOT = path.resolve(__dirname, '../../..');
const FILE = path.join(ROOT, 'form-definition.schema.json');
const EXAMPLES = path.join(ROOT, 'examples/forms');
const json = (file: string): any => JSON.parse(readFileSync(file, 'utf8'));

describe('the JSON Schema of definitions', () => {
  it('is published as the code has it: forms schema > form-definition.schema.json', () => {
    expect(readFileSync(FILE, 'utf8')).toBe(`${JSON.stringify(FORM_DEFINITION, null, 2)}\n`);
  });

  it.each(readdirSync(EXAMPLES))('is named by %s, and taken from there by any validator', (name) => {
    const example = path.join(EXAMPLES, name);
    const schema = path.resolve(EXAMPLES, json(example).$schema);
    expect(schema).toBe(FILE);
    const validate = new Ajv2020({ allowUnionTypes: true }).compile(json(schema));
    validate(json(example));
    expect(validate.errors).toBeNull();
  });

  it('says of every key what it is for, and allows no other', () => {
    const { $defs, ...form } = FORM_DEFINITION;
    for (const [name, schema] of Object.entries<Schema>({ ...$defs, form })) {
      expect([name, schema.additionalProperties]).toEqual([name, false]);
      for (const [key, property] of Object.entries(schema.properties ?? {})) {
        expect([name, key, property.description ?? property.$ref]).toEqual([
          name,
          key,
          expect.stringMatching(/.{10}/),
        ]);
      }
    }
  });
});
