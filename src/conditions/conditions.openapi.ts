import { applyDecorators } from '@nestjs/common';
import { ApiOperation } from '#swagger';
import { ApiContent, ApiInvalid } from '../http/openapi/openapi.decorators.js';
import { privateHeaders } from '../http/openapi/openapi.headers.js';
import {
  conditionsExplained,
  conditionsList,
  conditionsMap,
  conditionsErrors,
  conditionsWithRecords,
} from '../forms/states/conditions.examples.js';
import { CONDITIONS } from '../forms/states/conditions.response.js';
import { ApiReadsSubmission } from '../submissions/submissions.openapi.js';

export const ApiResolveConditions = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'resolveConditions',
      summary: 'Resolve which fields are visible and required',
      description:
        'Evaluates all conditions of the form against the values stored now, those of hidden fields included unless ' +
        'the operator has set HIDDEN_VALUES=ignore, and ' +
        'says of every field of every step whether it is visible and required. Ask after you stored values and ' +
        'after a change of step, and render from the result. A hidden field is never required.',
    }),
    ApiReadsSubmission(),
    ApiContent({
      ...CONDITIONS,
      description: 'The state of every field.',
      headers: privateHeaders,
      examples: {
        map: { summary: 'shape=map', value: { data: conditionsMap } },
        list: { summary: 'shape=list', value: { data: conditionsList } },
        records: { summary: 'shape=map&scope=records', value: conditionsWithRecords },
        explained: { summary: 'shape=map&explain=true', value: { data: conditionsExplained } },
      },
    }),
    ApiInvalid('A parameter is wrong.', conditionsErrors),
  );
