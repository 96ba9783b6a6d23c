import type { FastifyReply } from 'fastify';

/** What a handler responds with of a submission, as of when it was written last. */
export interface SubmissionState<Data = unknown> {
  readonly data: Data;
  /** The validator of that state (S11). */
  readonly updatedAt: string;
}

/** The body of a response, which gets the validator of what it tells. */
export function withETag({ data, updatedAt }: SubmissionState, reply: FastifyReply) {
  void reply.header('ETag', `"${updatedAt}"`);
  return { data };
}
