import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { document } from '../support/documented.js';
import type { MediaType, Method, Operation, Reference, Schema } from '../support/openapi-types.js';
import { formSchema } from '../../src/forms/forms.examples.js';
import { read } from './repository.js';

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  (Object.entries(methods) as [Method, Operation][]).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path}`,
    operation,
  })),
);
const apiOperations = operations.filter(({ route }) => route.includes(' /api/v1/'));
const ajv = new Ajv2020({
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  keywords: ['components', 'example'],
});
addFormats.default(ajv);

/** Present only with a query parameter, for clients that accept problem details, if something hides a field, or with some ops. */
const ON_DEMAND =
  /\.(conditions_met|hidden_by|records|conditions|mistakes)$|^Conditions\.(steps|entities|computed)$|^ComputedValue\.operands$|^MetCondition\.value_field_code$|^SubmissionWithValues\.computed$|^HiddenBy\.|^Formula\.(scale|with)$/;

/** Exceptions to the rules of the linter, Redocly. All other rules apply, both errors and warnings. */
const RULES = {
  // Only the operator of a service knows its contact.
  'info-contact': 'off',
  // No request to a health check is invalid.
  'operation-4xx-response': 'off',
  // The contract fixes the paths, `advance` and `by-slug` among them.
  'path-segment-plural': 'off',
  // Error responses can be problem details.
  'response-mime-type': {
    severity: 'error',
    allowedValues: ['application/json', 'application/problem+json', '*/*'],
  },
  // A file can have any type.
  'request-mime-type': { severity: 'error', allowedValues: ['application/json', '*/*'] },
  // The tags are in the order in which clients need them.
  'tags-alphabetical': 'off',
  // Every request and response has examples of its whole body.
  'scalar-property-missing-example': 'off',
  // Most texts of the contract may be empty, and formats and patterns imply a length.
  'required-string-property-missing-min-length': 'off',
} as const;

const statusesOf = ({ responses }: Operation) => Object.keys(responses).map(Number);

describe('the OpenAPI document', () => {
  it('has its version and a relative server URL', () => {
    expect(document.openapi).toBe('3.1.0');
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(document.info.version).toBe(version);
    expect(document.servers).toEqual([{ url: '/' }]);
  });

  it("passes a linter's rules", async () => {
    const problems = await lintFromString({
      source: JSON.stringify(document),
      config: await createConfig({ extends: ['all'], rules: RULES }),
    });
    const found = problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
    expect(found).toEqual([]);
  });

  it.each(operations)('has a summary and a known tag: $route', ({ operation }) => {
    expect(operation.summary).toMatch(/^[A-Z].{5,60}[^.]$/);
    expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining([...operation.tags]));
  });

  it.each(apiOperations)('describes the responses to overload and faults: $route', ({ operation }) => {
    expect(statusesOf(operation)).toEqual(expect.arrayContaining([429, 500, 503]));
  });

  it.each(operations)('describes every error as problem details too: $route', ({ operation }) => {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const isHealth = operation.tags.includes('Health');
      const types = Object.keys(content ?? {}).filter((type) => type === 'application/problem+json');
      expect([status, types.length]).toEqual([status, Number(status) < 400 || isHealth ? 0 : 1]);
    }
  });

  it('describes 401 for exactly the operations that need a token', () => {
    for (const { route, operation } of operations) {
      const { security } = operation;
      expect([route, [[], [{ bearer: [] }]]]).toEqual([route, expect.arrayContaining([security])]);
      expect([route, statusesOf(operation).includes(401)]).toEqual([route, security.length > 0]);
    }
  });

  it('allows no undescribed properties in responses', () => {
    for (const [at, schema] of responseSchemas()) {
      const keywords = ['type', '$ref', 'oneOf', 'anyOf'].filter((keyword) => keyword in schema);
      expect([at, keywords]).toEqual([at, [expect.any(String)]]);
      const { type, properties, required, additionalProperties } = schema as Schema;
      if (properties !== undefined) {
        expect([at, additionalProperties]).toEqual([at, false]);
        const always = Object.keys(properties).filter(
          (property) => required?.includes(property) === true || !ON_DEMAND.test(`${at}.${property}`),
        );
        expect([at, required ?? []]).toEqual([at, always]);
      } else if ([type].flat().includes('object')) {
        expect([at, additionalProperties]).not.toEqual([at, undefined]);
      }
    }
  });

  it.each(examples())('has an example that fits its schema: $at', ({ schema, example }) => {
    const validate = ajv.compile({ ...schema, components: document.components });
    validate(example);
    expect(validate.errors).toBeNull();
  });

  it('uses a form of the shipped examples', () => {
    const shipped = JSON.parse(read('examples/forms/job-application.json')) as typeof formSchema;
    const { steps, version: _, ...text } = formSchema;
    // Form files omit properties that are null, false or empty.
    const written = Object.entries(text).filter(
      ([, value]) => value !== null && value !== false && !(Array.isArray(value) && value.length === 0),
    );
    expect(shipped).toMatchObject(Object.fromEntries(written));
    for (const { id: _stepId, fields, conditions: _conditions, ...step } of steps) {
      expect(shipped.steps[0]).toMatchObject(step);
      for (const { id: _, meta, conditions, rules, ...field } of fields) {
        const omitted = { entity: undefined, max_bytes: undefined, accept: undefined, computed: undefined };
        // No response says whether a field is personal.
        const published = shipped.steps[0]?.fields.map((field) => ({ ...field, is_personal: undefined }));
        expect(published).toContainEqual({
          ...{ ...field, ...omitted },
          options: field.options.map(({ places: _, is_exclusive: __, ...option }) => option),
          ...(meta !== null && { meta }),
          conditions: conditions.map(
            ({ depends_on_field_id: _, value_field_code: __, group: ___, ...condition }) => condition,
          ),
          rules: rules.map(({ other_field_code: _, offset_days: __, ...rule }) => rule),
        });
      }
    }
  });
});

/** Every example of the document, with its schema. */
function examples() {
  return [...objectsIn(document)].flatMap(([at, { schema, examples, ...given }]) => {
    if (typeof schema !== 'object' || schema === null) return [];
    const { example = given['example'] } = schema as Schema;
    const named = Object.entries((examples ?? {}) as Record<string, { value: unknown }>);
    return [
      ...named.map(([name, { value }]) => ({ at: `${at} ${name}`, schema, example: value })),
      ...(example === undefined ? [] : [{ at, schema, example }]),
    ];
  });
}

/** Every schema that is part of a response, with the path to it. */
function responseSchemas(): [string, Schema | Reference][] {
  const { schemas } = document.components;
  const ofRequests = [
    ...['NewSubmission', 'SubmissionChange', 'NewValues', 'NewValue', 'NewRecord', 'NewFile'],
    ...['NewRespondent', 'Resumption', 'Webhook'],
  ];
  const named = Object.entries(schemas).filter(([name]) => !ofRequests.includes(name));
  const inline = operations.flatMap(({ route, operation }) =>
    Object.entries(operation.responses).flatMap(([status, { content }]) =>
      Object.entries((content ?? {}) as Record<string, MediaType>).map(
        ([type, { schema }]) => [`${route} ${status} ${type}`, schema] as const,
      ),
    ),
  );
  return [...named, ...inline].flatMap(([at, schema]) => [...schemasIn(schema, at)]);
}

function* schemasIn(schema: Schema | Reference, at: string): Generator<[string, Schema | Reference]> {
  yield [at, schema];
  if ('$ref' in schema) return;
  const { items, additionalProperties, oneOf = [], anyOf = [], properties = {} } = schema;
  const parts = [items, additionalProperties, ...oneOf, ...anyOf, ...Object.values(properties)];
  for (const part of parts) if (typeof part === 'object') yield* schemasIn(part, `${at} *`);
}

/** Every object at any depth, with the path to it. */
function* objectsIn(value: unknown, at = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  yield [at, value as Record<string, unknown>];
  for (const [name, member] of Object.entries(value)) yield* objectsIn(member, `${at} ${name}`.trim());
}
