import {
  conditionsExplained,
  conditionsHiddenBy,
  conditionsList,
  conditionsMap,
  conditionsErrors,
  conditionsWithRecords,
  conditionsWithSteps,
} from '../forms/states/conditions.examples.js';
import { CONDITIONS } from '../forms/states/conditions.response.js';
import { ApiContent, ApiInvalid, ApiRoute, versioned } from '../http/openapi/openapi.decorators.js';
import { privateHeaders } from '../http/openapi/openapi.headers.js';
import { ApiReadsSubmission } from '../submissions/submission-reference.openapi.js';

export const ApiResolveConditions = () =>
  ApiRoute(
    'resolveConditions',
    'Resolve which fields are visible and required',
    'Evaluates all conditions of the form on the stored values, and returns for every field of every step whether it ' +
      'is visible and required. While a step or an entity is hidden by its conditions, all of its fields are hidden. Values of hidden fields count, unless the operator has set HIDDEN_VALUES=ignore. ' +
      'Call it after you store values and after a change of step, and render the result. A hidden field is never ' +
      'required. With `steps=true`, the response also tells which steps and entities are visible.',
    ApiReadsSubmission(),
    ApiContent(200, CONDITIONS, 'The state of every field.', privateHeaders, {
      map: versioned(conditionsMap, 'shape=map'),
      list: versioned(conditionsList, 'shape=list'),
      records: { summary: 'shape=map&scope=records', value: conditionsWithRecords },
      steps: { summary: 'shape=map&steps=true', value: conditionsWithSteps },
      explained: versioned(conditionsExplained, 'shape=map&explain=true'),
      hiddenByStep: versioned(conditionsHiddenBy, 'shape=map&explain=true, with a hidden step'),
    }),
    ApiInvalid('A parameter is wrong.', conditionsErrors),
  );
