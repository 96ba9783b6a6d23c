import fc from 'fast-check';
import { fits, resolve } from '../support/documented.js';
import { fromSchemas } from './from-schema.js';
import { operations } from './request-plans.js';

const { valid, hostile } = fromSchemas(resolve);

describe('what the OpenAPI document asks for', () => {
  const schemas = operations.flatMap(({ route, operation: { requestBody }, parameters }) => [
    ...(requestBody
      ? [{ what: `the body of ${route}`, schema: requestBody.content['application/json'].schema }]
      : []),
    ...parameters.map(({ name, schema }) => ({ what: `${name} of ${route}`, schema })),
  ]);

  it.each(schemas)('is what is made as valid, and seldom what is made as hostile: $what', ({ schema }) => {
    fc.assert(fc.property(valid(schema), (value) => fits(schema, value)));
    const broken = fc
      .sample(hostile(schema), { seed: 1, numRuns: 200 })
      .filter((value) => !fits(schema, value));
    // Texts without bounds fit any string.
    expect(broken.length).toBeGreaterThan(80);
  });
});
