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
        'The ETag of the version that your write is based on, including the quotes. If the submission has changed ' +
        'since, the response is 412 and nothing is written. Without the header, or with `*`, nothing is checked.',
      schema: { type: 'string', examples: [`"${created.updated_at}"`] },
    }),
    ApiErrors('malformedRequest', 'submissionNotFound', 'submissionChanged', 'bodyTooLarge', 'notJson'),
  );
}

function ApiSubmissionUuid() {
  return ApiParam({
    name: 'uuid',
    description:
      'The `uuid` of one of your submissions, in any letter case. A malformed UUID gets 404, and so does a submission ' +
      'of another user.',
    // Use `examples`, because the page at /docs would send an `example` unchanged, and no user has this submission.
    schema: { ...UUID, examples: [created.uuid] },
  });
}

export function ApiIdempotencyKey() {
  return applyDecorators(
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'A text of your choice, such as a random UUID. Use a new key for each operation, and the same key when you retry ' +
        'it. For 24 hours, the same request with the same key returns the first response and is not executed again. ' +
        'Only successful responses are stored: after an error, retry with the same key.',
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
