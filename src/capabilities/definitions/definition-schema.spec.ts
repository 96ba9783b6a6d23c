import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getMetadataArgsStorage } from 'typeorm';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ACTIONS, OPERATORS } from '../../conditions/engine/index.js';
import { COMPONENTS, FIRST_FIELD_TYPES } from '../../forms/field-types.js';
import { COMPLETION_POLICIES } from '../../config/environment.js';
import { FieldRule } from '../../forms/entities/field-rule.js';
import { RULE_KINDS } from '../../forms/entities/rule-kinds.js';
import { MAX_NAME, MAX_RULE_VALUE, SLUG } from '../../forms/limits.js';
import { FORM_DEFINITION, resolveReference, type Schema } from './definition-schema.js';

const ROOT = path.resolve(__dirname, '../../..');
const FILE = path.join(ROOT, 'schemas/form-definition.schema.json');
const EXAMPLES = path.join(ROOT, 'examples/forms');
const json = (file: string): any => JSON.parse(readFileSync(file, 'utf8'));

const { $defs, ...form } = FORM_DEFINITION;
const { ignored: _, time: __, ...objects } = { ...$defs, form };

describe('form-definition.schema.json', () => {
  const { entity, step, field, field_type, condition, container_condition, rule } = $defs;

  it('has the same names and limits as the code', () => {
    expect(condition.properties.operator.enum).toEqual(OPERATORS);
    expect(condition.properties.action.enum).toEqual(ACTIONS);
    expect(field_type.properties.name.examples).toEqual([...FIRST_FIELD_TYPES.keys()]);
    expect(field_type.properties.component.examples).toEqual(COMPONENTS);
    expect(rule.properties.kind.enum).toEqual(RULE_KINDS);
    expect(rule.properties.value.maxLength).toBe(MAX_RULE_VALUE);
    expect(form.properties.completion.enum.toSorted()).toEqual([...COMPLETION_POLICIES, null].toSorted());
    expect(form.properties.slug.pattern).toBe(SLUG);
    const { name, slug } = form.properties;
    const named = [name, slug, entity.properties.name, step.properties.title, field.properties.code];
    const others = [field.properties.entity, field_type.properties.name, field_type.properties.component];
    for (const { maxLength } of [...named, ...others]) expect(maxLength).toBe(MAX_NAME);
    for (const { title } of [slug, field.properties.code])
      expect(title).toMatch(new RegExp(` up to ${MAX_NAME}$`));
  });

  it('describes conditions of steps and entities like those of fields, except for what they act on (C10)', () => {
    const shape = (definition: typeof condition | typeof container_condition) => {
      const { properties, required, additionalProperties } = definition;
      const { action: _, group, ...others } = properties;
      return { others, group: { ...group, description: '' }, required, additionalProperties };
    };
    expect(shape(container_condition)).toEqual(shape(condition));
    expect(container_condition.properties.action.enum).toEqual(['show', 'hide']);
    const conditions = { type: 'array', items: { $ref: '#/$defs/container_condition' }, default: [] };
    for (const { properties } of [entity, step]) expect(properties).toMatchObject({ conditions });
  });

  it('allows the same rule values as the table', () => {
    const [check] = getMetadataArgsStorage().checks.filter(
      ({ target, name }) => target === FieldRule && name === 'field_rules_value_check',
    );
    const inTable = [...(check?.expression ?? '').matchAll(/value ~ '([^']+)'/g)].map(
      ([, pattern]) => pattern,
    );
    expect(inTable).toEqual(rule.allOf.map(({ then }) => then.properties.value.pattern));
  });

  it('is referenced by each example, and accepts it', () => {
    const validate = new Ajv2020({ allowUnionTypes: true }).compile(json(FILE));
    for (const name of readdirSync(EXAMPLES)) {
      const example = json(path.join(EXAMPLES, name));
      expect(path.resolve(EXAMPLES, example.$schema)).toBe(FILE);
      validate(example);
      expect([name, validate.errors]).toEqual([name, null]);
    }
  });

  it('describes every key, and allows no other keys', () => {
    for (const [name, schema] of Object.entries(objects)) {
      expect([name, schema.additionalProperties]).toEqual([name, false]);
      for (const [key, property] of Object.entries<Schema & { description?: string }>(schema.properties)) {
        const { description } = { ...resolveReference(property), ...property } as { description?: string };
        expect([name, key, description]).toEqual([name, key, expect.stringMatching(/.{10}/)]);
      }
    }
  });
});
