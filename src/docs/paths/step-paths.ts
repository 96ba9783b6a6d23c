import { API_PREFIX } from '../../http/api-prefix.js';
import {
  alreadyCompleted,
  alreadyOnFirstStep,
  alreadyOnLastStep,
  type Problem,
} from '../../http/problems.js';
import { keyMistakes } from '../examples/mistakes.js';
import { onFirstStep, onSecondStep } from '../examples/submission-examples.js';
import { privateHeaders, submissionHeaders } from '../headers.js';
import type { Examples, Operation, Paths } from '../openapi-types.js';
import { parameterRefs } from '../parameters.js';
import { json, responseRef, unprocessable } from '../responses.js';
import { inData, schemaRef } from '../schemas/vocabulary.js';
import { guardedOperation } from './operation.js';

interface Move extends Pick<Operation, 'operationId' | 'summary' | 'description'> {
  readonly progress: Examples;
  readonly atTheEnd: Readonly<Record<string, Problem>>;
}

function move({ operationId, summary, description, progress, atTheEnd }: Move): Operation {
  return guardedOperation({
    operationId,
    summary,
    description: `${description} No body is needed; one that is sent is not looked at, but must be JSON.`,
    tags: ['Submissions'],
    parameters: parameterRefs('SubmissionUuid', 'IfMatch', 'IdempotencyKey'),
    responses: {
      200: {
        description: 'Where the submission is now.',
        headers: submissionHeaders,
        content: json(inData(schemaRef('StepProgress')), progress),
      },
      400: responseRef('MalformedRequest'),
      404: responseRef('SubmissionNotFound'),
      409: responseRef('StillRunning'),
      412: responseRef('Changed'),
      413: responseRef('BodyTooLarge'),
      415: responseRef('NotJson'),
      422: unprocessable(
        'There is no step to go to, the submission is completed, or the `Idempotency-Key` cannot be used.',
        keyMistakes,
        privateHeaders,
        { ...atTheEnd, alreadyCompleted: alreadyCompleted() },
      ),
    },
  });
}

export const stepPaths: Paths = {
  [`${API_PREFIX}/submissions/{uuid}/advance`]: {
    post: move({
      operationId: 'advanceSubmission',
      summary: 'Go to the next step',
      description:
        'Moves on by one step of the form, visible or not. It does not ask whether fields are filled in.',
      progress: { secondOfFive: { value: { data: onSecondStep } } },
      atTheEnd: { lastStep: alreadyOnLastStep() },
    }),
  },

  [`${API_PREFIX}/submissions/{uuid}/retreat`]: {
    post: move({
      operationId: 'retreatSubmission',
      summary: 'Go back to the previous step',
      description: 'Moves back by one step of the form, visible or not. Values stay as they are.',
      progress: { firstOfFive: { value: { data: onFirstStep } } },
      atTheEnd: { firstStep: alreadyOnFirstStep() },
    }),
  },
};
