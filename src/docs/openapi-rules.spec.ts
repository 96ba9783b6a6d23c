import { createConfig, lintFromString } from '@redocly/openapi-core';
import { document } from '../../test/support/documented.js';

/** Exceptions to the rules of the linter, Redocly. All other rules apply, both errors and warnings. */
const RULES = {
  // Only the operator of a service knows its contact.
  'info-contact': 'off',
  // No request to a health check is invalid.
  'operation-4xx-response': 'off',
  // The specification fixes the paths, `advance` and `by-slug` among them.
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

it("the OpenAPI document passes a linter's rules", async () => {
  const problems = await lintFromString({
    source: JSON.stringify(document),
    config: await createConfig({ extends: ['all'], rules: RULES }),
  });
  const found = problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
  expect(found).toEqual([]);
});
