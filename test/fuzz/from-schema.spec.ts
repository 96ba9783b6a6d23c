import fc from 'fast-check';
import { fits, resolve } from '../support/documented.js';
import { fromSchemas } from './from-schema.js';
import { operations } from './request-plans.js';

const { valid, hostile } = fromSchemas(resolve);

describe('values made from a schema of the OpenAPI document', () => {
  const schemas = operations.flatMap(({ route, operation: { requestBody }, parameters }) => [
    ...(requestBody
      ? [{ what: `the body of ${route}`, schema: requestBody.content['application/json'].schema }]
      : []),
    ...parameters.map(({ name, schema }) => ({ what: `${name} of ${route}`, schema })),
  ]);

  it.each(schemas)('match it if valid, and often violate it if hostile: $what', ({ schema }) => {
    fc.assert(fc.property(valid(schema), (value) => fits(schema, value)));
    const broken = fc
      .sample(hostile(schema), { seed: 1, numRuns: 200 })
      .filter((value) => !fits(schema, value));
    // Not all of them, because a schema for text without bounds matches any string.
    expect(broken.length).toBeGreaterThan(80);
  });
});
