import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiParam } from '#swagger';
import type { ProblemCode, ProblemType } from '../http/errors/problem-codes.js';
import { ApiErrors, BODY_ERRORS, URL_ERRORS } from '../http/openapi/openapi.decorators.js';
import { UUID_SCHEMA } from '../http/openapi/openapi.schemas.js';

const FAILS = [...URL_ERRORS, 'submission_not_found'] as const;

/** For routes that only read the submission in their path. `codes` are their further errors. */
export function ApiReadsSubmission(...codes: (ProblemCode | ProblemType)[]) {
  return applyDecorators(ApiSubmissionUuid(), ApiErrors(...FAILS, ...codes));
}

/** For routes that write to the submission in their path, with or without a body. */
export function ApiWritesSubmission(...codes: (ProblemCode | ProblemType)[]) {
  return applyDecorators(
    ApiSubmissionUuid(),
    ApiHeader({
      name: 'If-Match',
      description: 'The ETag of the submission. If it has changed since, the response is 412.',
      schema: { type: 'string' },
    }),
    ApiErrors(...BODY_ERRORS, ...FAILS, 'submission_changed', ...codes),
  );
}

const ApiSubmissionUuid = () =>
  ApiParam({ name: 'uuid', description: 'The `uuid` of one of your submissions.', schema: UUID_SCHEMA });

/** The header of routes that execute a request once. Their errors include `idempotent_request_running`. */
export const ApiIdempotencyKey = () =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'A new text for each operation, and the same text when you retry it within 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  });
