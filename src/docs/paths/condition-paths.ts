import { API_PREFIX } from '../../http/api-prefix.js';
import { conditionsMistakes } from '../examples/mistakes.js';
import { conditionsExplained, conditionsList, conditionsMap } from '../examples/submission-examples.js';
import { privateHeaders } from '../headers.js';
import type { Paths } from '../openapi-types.js';
import { parameterRefs } from '../parameters.js';
import { json, responseRef, unprocessable } from '../responses.js';
import { inData, schemaRef } from '../schemas/vocabulary.js';
import { guardedOperation } from './operation.js';

const states = inData({ oneOf: [schemaRef('ConditionsMap'), schemaRef('ConditionsList')] });

export const conditionPaths: Paths = {
  [`${API_PREFIX}/submissions/{uuid}/conditions`]: {
    get: guardedOperation({
      operationId: 'resolveConditions',
      summary: 'Resolve which fields are visible and required',
      description:
        'Evaluates all conditions of the form against the values stored now, those of hidden fields included unless ' +
        'the operator has set HIDDEN_VALUES=ignore, and ' +
        'says of every field of every step whether it is visible and required. Ask after you stored values and ' +
        'after a change of step, and render from the result. A hidden field is never required.',
      tags: ['Conditions'],
      parameters: parameterRefs('SubmissionUuid', 'Shape', 'Explain'),
      responses: {
        200: {
          description: 'The state of every field.',
          headers: privateHeaders,
          content: json(states, {
            map: { summary: 'shape=map', value: { data: conditionsMap } },
            list: { summary: 'shape=list', value: { data: conditionsList } },
            explained: { summary: 'shape=map&explain=true', value: { data: conditionsExplained } },
          }),
        },
        400: responseRef('MalformedUrl'),
        404: responseRef('SubmissionNotFound'),
        422: unprocessable('A parameter is wrong.', conditionsMistakes, privateHeaders),
      },
    }),
  },
};
