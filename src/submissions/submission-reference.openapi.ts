import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiParam } from '#swagger';
import { ApiErrors } from '../http/openapi/openapi.decorators.js';
import { UUID } from '../http/openapi/openapi.schemas.js';
import { created } from './submissions.examples.js';

/** For routes that only read the submission in their path. */
export function ApiReadsSubmission() {
  return applyDecorators(ApiSubmissionUuid(), ApiErrors('malformedUrl', 'submissionNotFound'));
}

/** For routes that write to the submission in their path, with or without a body. */
export function ApiWritesSubmission() {
  return applyDecorators(
    ApiSubmissionUuid(),
    ApiHeader({
      name: 'If-Match',
      description:
        'The ETag of the state that your write builds on, quotes included. If the submission has been written to ' +
        'since, the answer is 412 and nothing changes. Without the header, or with `*`, nothing is checked.',
      schema: { type: 'string', examples: [`"${created.updated_at}"`] },
    }),
    ApiErrors('malformedRequest', 'submissionNotFound', 'submissionChanged', 'bodyTooLarge', 'notJson'),
  );
}

function ApiSubmissionUuid() {
  return ApiParam({
    name: 'uuid',
    description:
      'The `uuid` that beginning the submission answered, in any letter case. A malformed one is 404, as is that of ' +
      'somebody else.',
    // The page at /docs would fill in an `example`, but nobody has this submission.
    schema: { ...UUID, examples: [created.uuid] },
  });
}

export function ApiIdempotencyKey() {
  return applyDecorators(
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'A text of your choice, such as a random UUID: new for each thing you want done, the same when you send it ' +
        'again. For 24 hours the same request with the same key gets the first answer and is not carried out twice. ' +
        'Only successes are remembered: after an error, send the request again with the same key.',
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: 255,
        pattern: '^[ -~]+$',
        examples: ['b3f1c2de-6a0f-4f0e-8a55-0d9c6c1f7e21'],
      },
    }),
    ApiErrors('requestRunning'),
  );
}
