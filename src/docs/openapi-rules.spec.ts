import { createConfig, lintFromString } from '@redocly/openapi-core';
import { document } from '../../test/support/documented.js';

/** All rules of Redocly hold, whether it calls a breach an error or a warning, but for what is said of these. */
const RULES = {
  // Whom to turn to is known to who runs the service, not to us.
  'info-contact': 'off',
  // Probes have nothing to get wrong.
  'operation-4xx-response': 'off',
  // The specification fixes the paths, `advance` and `by-slug` among them.
  'path-segment-plural': 'off',
  // Errors come as problem details, too.
  'response-mime-type': {
    severity: 'error',
    allowedValues: ['application/json', 'application/problem+json', '*/*'],
  },
  // Files are of any type.
  'request-mime-type': { severity: 'error', allowedValues: ['application/json', '*/*'] },
  // The tags come in the order in which they are needed.
  'tags-alphabetical': 'off',
  // Every request and answer has examples as a whole.
  'scalar-property-missing-example': 'off',
  // Most texts of the contract may be empty, and formats and patterns have a length of their own.
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
