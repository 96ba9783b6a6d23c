import type { Operation } from '../openapi-types.js';
import { responseRef } from '../responses.js';

type Described = Omit<Operation, 'security'>;

/** What the rate limit, a fault of the service and a lost database answer on every path of the API. */
const ANYWHERE = {
  429: responseRef('TooManyRequests'),
  500: responseRef('ServerError'),
  503: responseRef('DatabaseUnavailable'),
};

export function publicOperation(operation: Described): Operation {
  return { ...operation, security: [], responses: { ...operation.responses, ...ANYWHERE } };
}

export function guardedOperation(operation: Described): Operation {
  return {
    ...operation,
    security: [{ bearer: [] }],
    responses: { ...operation.responses, 401: responseRef('Unauthenticated'), ...ANYWHERE },
  };
}
